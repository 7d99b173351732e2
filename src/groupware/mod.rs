//! The outbound client of the groupware server (a Nextcloud).
//!
//! [`Groupware`] is the server with its connection pool; an [`Access`] makes each call with the credentials
//! of one [`Account`]: exactly one request, without headers or cookies of anyone else, following no redirects, with one
//! timeout for connecting, headers and body (docs/API.md, section 8). A caller's access token is never passed on. A
//! [`Reply`] is the result of a call together with what it shows about the login.
//!
//! [`EventFilter`] refuses filters that would harm the users of the server, [`EventSample`] tries a
//! filter on an event, [`KnownEvent`] lists the known events. [`DeliveryAuth`] and [`CheckDeliveryLayer`] are the two ends
//! of a delivery of the server, [`WebhookSecret`] and [`CheckSignatureLayer`] those of one that the gateway sends on.

mod access;
mod account;
mod call;
mod capabilities;
mod check_delivery;
mod check_signature;
mod client;
mod delivery;
mod error;
mod filter;
mod forward;
mod json;
mod known_apps;
mod known_limit;
mod known_list;
mod login_flow;
pub(crate) mod notes;
mod observer;
mod ocs;
mod reply;
mod route;
pub(crate) mod standard_webhooks;
mod status;
mod users;
mod webhooks;
mod write_error;

pub use access::Access;
pub use account::{Account, AccountError};
pub use capabilities::AppIds;
pub use check_delivery::{CheckDelivery, CheckDeliveryLayer};
pub use check_signature::{CheckSignature, CheckSignatureLayer};
pub use client::{BuildError, ClientSettings, Groupware};
pub use delivery::{DeliveryAuth, DeliveryAuthError, DeliveryCredential, SharedOrigin};
pub use error::GroupwareError;
pub(crate) use filter::has_more_values;
pub use filter::{
    BoundingFilter, EventClasses, EventField, EventFilter, EventMatch, EventSample, EventShape,
    FilterFault, JobLimit, KnownEvent, MatchResult, SampleError, UnboundedEvent, is_class_name,
};
pub(crate) use known_list::Listed;
pub use login_flow::{Grant, PendingLoginFlow};
pub use observer::{CallObserver, CallOutcome, EndedCall};
pub use ocs::RawJson;
pub use reply::{LoginEvidence, Reply};
pub use route::Route;
pub use standard_webhooks::{SignatureError, WebhookSecret, WebhookSecretError};
pub use status::ServerStatus;
pub use users::AccountInfo;
pub(crate) use users::has_the_form_of_an_app_password;
pub use webhooks::NewWebhook;
pub use write_error::{Effect, WriteError};
pub(crate) use write_error::{LOST_GRANT, NOT_KNOWN};
