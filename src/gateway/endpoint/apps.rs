//! `GET /api/v1/apps` (specification, sections 2.4 and 4.1 rule 1).

use bytes::Bytes;
use http::Response;
use http_body_util::Full;

use super::member;
use crate::gateway::layer::provisioning::Access;
use crate::gateway::{Error, Tried};

pub(super) async fn list(access: &Access) -> Result<Tried<Response<Full<Bytes>>>, Error> {
    let ids = access
        .groupware
        .app_ids(&access.account, access.client_address)
        .await?;
    let list = serde_json::to_vec(&ids).map_err(|error| Error::Other(error.into()))?;
    Ok(Tried {
        value: member("apps", &list),
        login_proved: ids.login_proved(),
    })
}
