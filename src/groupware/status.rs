//! The public status of the server, which needs no login.

use std::time::Duration;

use serde_json::Value;

use super::call::Call;
use super::{Groupware, GroupwareError, JobLimit, Route};

/// Timeout for the call that determines the version, which delays another request.
const PATIENCE: Duration = Duration::from_secs(5);

/// The public status of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerStatus {
    /// Its version, such as `32.0.1`.
    pub version: Option<String>,
    /// Whether its app for webhooks is enabled.
    pub webhooks: bool,
}

impl Groupware {
    /// Gets the public status of the server, by two calls without credentials.
    ///
    /// # Errors
    /// Any [`GroupwareError`].
    pub async fn status(&self) -> Result<ServerStatus, GroupwareError> {
        let data = self.public_data().await?;
        let call = Call::new(Route::Webhooks, self.routes().webhooks.clone());
        let webhooks = match self.exchange(&call).await?.data() {
            // It asks for a login, so the route exists.
            Ok(_) | Err(GroupwareError::Anonymous) => true,
            Err(GroupwareError::WebhooksOff) => false,
            Err(error) => return Err(error),
        };
        Ok(ServerStatus {
            version: data["version"]["string"].as_str().map(str::to_owned),
            webhooks,
        })
    }

    /// The limit of a delivery in the server's job queue ([docs/API.md](crate::docs::api), section 4.9). The
    /// server's version is requested without credentials, at most every ten minutes; if it is not available,
    /// the smallest limit is assumed.
    pub async fn job_limit(&self) -> JobLimit {
        if let Some(limit) = self.known_limit().get() {
            return limit;
        }
        let data = match tokio::time::timeout(PATIENCE, Box::pin(self.public_data())).await {
            Ok(Ok(data)) => data,
            _ => Value::Null,
        };
        let Some(major) = data["version"]["major"].as_u64() else {
            tracing::debug!("the version of the groupware server is unknown");
            return JobLimit::default();
        };
        let limit = JobLimit::of_version(major);
        self.known_limit().learn(limit);
        limit
    }

    async fn public_data(&self) -> Result<Value, GroupwareError> {
        let capabilities = self.routes().capabilities.clone();
        let call = Call::new(Route::Capabilities, capabilities);
        let data = self.exchange(&call).await?.data()?;
        serde_json::from_slice(data.as_bytes()).map_err(|error| GroupwareError::Unreadable {
            reason: "its capabilities are not JSON",
            source: Some(error.into()),
        })
    }
}
