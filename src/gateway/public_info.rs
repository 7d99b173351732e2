//! What the gateway tells callers without a token.

use std::time::Instant;

use super::PublicUrl;
use super::layer::public::Status;
use super::layer::resource_metadata::ResourceMetadata;

/// The public information about the gateway (docs/API.md, sections 10.1 and 11).
#[derive(Clone, Debug)]
pub(super) struct PublicInfo {
    pub(super) public_url: Option<PublicUrl>,
    pub(super) status: bool,
    pub(super) issuer: Option<Box<str>>,
    pub(super) scopes: Vec<Box<str>>,
}

// === impl PublicInfo ===

impl PublicInfo {
    /// The public status, if it is shown, of a gateway that started at `started`.
    pub(super) fn status(&self, has_groupware: bool, started: Instant) -> Option<Status> {
        let status = Status::since(started).webhooks(has_groupware);
        self.status.then(|| status.issuer(self.issuer.clone()))
    }

    /// The metadata for clients without a token, if they are published.
    pub(super) fn metadata(&self) -> Option<ResourceMetadata> {
        let metadata = ResourceMetadata::new(self.public_url.clone()?);
        let scopes = self.scopes.iter().cloned();
        Some(metadata.issuer(self.issuer.clone()).scopes(scopes))
    }
}

impl Default for PublicInfo {
    fn default() -> Self {
        Self {
            public_url: None,
            status: true,
            issuer: None,
            scopes: Vec::new(),
        }
    }
}
