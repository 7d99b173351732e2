//! The public status of the server, which needs no login.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::call::Answer;
use super::{Groupware, GroupwareError, JobLimit, Reply, Route};

/// Timeout for the call that determines the version, which delays another request; at most half of that one's.
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
        let data = match self.public_data().await {
            Err(GroupwareError::Maintenance) => return Err(self.unavailable().await),
            data => data?,
        };
        let call = self.call_of(Route::Webhooks);
        let reply = self.call(&call, |answer| Reply::without_login(answer.data()));
        let webhooks = match reply.await.result {
            // It asks for a login, so the route exists.
            Ok(_) | Err(GroupwareError::Anonymous) => true,
            Err(GroupwareError::WebhooksOff) => false,
            Err(error) => return Err(error),
        };
        let version = data["version"]["string"].as_str().map(str::to_owned);
        Ok(ServerStatus { version, webhooks })
    }

    /// The limit of a delivery in the server's job queue (docs/API.md, section 4.9). The
    /// server's version is requested without credentials, at most every ten minutes, or once a minute if it is
    /// not available; then the limit that was known last applies, or else the smallest one.
    pub async fn job_limit(&self) -> JobLimit {
        let ask = || async {
            let patience = PATIENCE.min(self.0.settings.timeout / 2);
            let answer = tokio::time::timeout(patience, self.public_data()).await;
            let data = answer.ok().and_then(Result::ok).unwrap_or_default();
            let major = data["version"]["major"].as_u64();
            if major.is_none() {
                tracing::debug!("the version of the groupware server is unknown");
            } else {
                let brute_force = &data["capabilities"]["bruteforce"];
                self.learn_allow_listed(brute_force["allow-listed"] == true);
            }
            major.map(JobLimit::of_version)
        };
        // Boxed, as it is seldom needed: it would enlarge the future of every call.
        self.0.known_limit.get_or(|| Box::pin(ask())).await
    }

    /// Why the server answers nothing but 503.
    async fn unavailable(&self) -> GroupwareError {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Status {
            maintenance: bool,
            needs_db_upgrade: bool,
        }

        let call = self.call_of(Route::Status);
        let read = |answer: Answer| {
            let unreadable = |fault| answer.unreadable("it is not a status", fault);
            Reply::without_login(serde_json::from_slice(&answer.body).map_err(unreadable))
        };
        match self.call(&call, read).await.result {
            Ok(Status { maintenance: false, needs_db_upgrade: true }) => {
                GroupwareError::UpgradePending
            }
            _ => GroupwareError::Maintenance,
        }
    }

    async fn public_data(&self) -> Result<Value, GroupwareError> {
        let call = self.call_of(Route::Capabilities);
        let data = self.call(&call, |answer| Reply::without_login(answer.data())).await.result?;
        serde_json::from_slice(data.as_bytes())
            .map_err(|error| GroupwareError::unreadable_by("its capabilities are not JSON", error))
    }
}
