//! docs/openapi.json, the description of the API. Every answer in the tests of the gateway is compared with it as
//! well (`support/src/contract`).

use portreeve_test_support as support;

mod document;
mod refusals;
mod table;
mod targets;
mod troubleshooting;
