//! `GET /api/v1/apps` (docs/API.md, section 3).

use super::answer::{Answer, member};
use crate::gateway::Error;
use crate::groupware::{Access, Reply};

pub(super) async fn list(access: &Access) -> Reply<Answer, Error> {
    let reply = access.app_ids().await;
    reply.and_then(|ids| Ok(member("apps", ids.as_json())))
}
