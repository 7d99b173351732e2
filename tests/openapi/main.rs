//! docs/openapi.json, the description of the API, compared with the running gateway in both directions.

use portreeve_test_support as support;

mod bound;
mod contract;
mod document;
mod events;
mod failures;
mod front_end;
mod login_flow;
mod passwords;
mod presets;
mod refusals;
mod shown;
mod troubleshooting;
mod webhooks;
