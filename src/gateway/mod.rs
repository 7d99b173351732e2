//! The management API as a [`tower::Service`] over `http` types (docs/API.md).
//!
//! [`Gateway::into_service`] is the whole stack; [`layer`] has its parts. The page of the [crate] has an example.

mod account_rule;
mod accounts;
mod authority;
mod body;
mod builder;
mod client_address;
mod endpoint;
mod error;
pub mod forward;
mod input;
mod keyed_mutex;
mod known;
pub mod layer;
mod login;
mod makers;
mod method_name;
mod observer;
mod openapi;
mod path;
mod preset;
mod principal;
mod receiving;
mod route;
mod run_to_end;
mod settings;
mod shared;
mod stack;
mod trace_id;
mod user;
mod users;
mod waits;

pub use account_rule::{AccountRule, UnknownAccountRule};
pub use accounts::{AccountPolicy, Accounts, BindingPolicy, PolicyAccounts};
pub use body::AnswerBody;
pub use builder::{Gateway, IncompleteError};
pub use client_address::ClientAddress;
pub(crate) use endpoint::AppPasswordEndpoints;
pub use error::{Error, PresetFailure, Refusal, RejectionReason};
pub(crate) use login::Logins;
pub use login::{BearerLogins, LoginPolicy, RefusedLogins};
pub use method_name::MethodName;
pub use observer::{EndedRequest, RequestObserver};
pub use openapi::OPENAPI;
pub use path::Endpoint;
pub use preset::{PresetError, PresetWebhook, WebhookPreset, WebhookPresets};
pub use principal::{Principal, UnboundPerson};
pub use settings::{AdminPolicy, PageLogin, Settings, UnboundedWebhooks};
pub use shared::Shared;
pub use stack::Api;
pub use user::User;
