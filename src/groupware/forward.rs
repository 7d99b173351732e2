//! Requests of others, forwarded as an account: any method and path, both bodies streamed.

use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, LOCATION, USER_AGENT};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Collected, Limited};
use tokio::time::timeout;

use super::call::{Answer, OCS_API_REQUEST, X_FORWARDED_FOR};
use super::client::not_http;
use super::ocs::names_only;
use super::{Access, GroupwareError, LoginEvidence, Reply, Route, notes};
use crate::outbound::{AGENT, ReceivedBody, SMALL, SentBody};

impl Access {
    /// Sends `request`, whose URI is a path, completed with the login, and `body`, and returns the head of the answer with
    /// its body to be read; once more if it `may_repeat`, as [`Pool::send`](crate::outbound::Pool::send) says; or `too_late`.
    ///
    /// The evidence is that of the head: only an answer to a refused login is read here, and is an error.
    // What comes before the future: an `async fn` keeps room for its arguments twice.
    pub(crate) fn forward(
        &self,
        request: &Request<()>,
        body: SentBody,
        may_repeat: bool,
        stall: Duration,
        too_late: impl Future<Output = GroupwareError>,
    ) -> impl Future<Output = Reply<Response<ReceivedBody>>> {
        let complete = || self.complete(request.clone());
        // Boxed, since it is moved more than once.
        let sent = Box::pin(self.groupware.0.streaming.send(complete, body, may_repeat, stall));
        async move {
            let began = Instant::now();
            let failed = |error| {
                not_http(&error).unwrap_or_else(|| GroupwareError::Unreachable(error.into()))
            };
            let answered = tokio::select! {
                biased;
                answered = sent => answered.map_err(failed),
                error = too_late => Err(error),
            };
            notes::record_call(began.elapsed());
            match answered {
                Ok(response) => self.judge(response).await,
                Err(error) => Reply::failed(error),
            }
        }
    }

    fn complete(&self, mut request: Request<()>) -> Request<()> {
        let headers = request.headers_mut();
        headers.insert(AUTHORIZATION, self.account.authorization());
        headers.insert(USER_AGENT, AGENT);
        if self.account.is_bearer() {
            // Without it, the server does not look at bearer tokens everywhere.
            let value = HeaderValue::from_static("true");
            headers.entry(OCS_API_REQUEST).or_insert(value);
        }
        let address = self.client_address.map(|it| it.to_canonical().to_string());
        if let Some(Ok(value)) = address.map(HeaderValue::try_from) {
            headers.insert(X_FORWARDED_FOR, value);
        }
        request
    }

    /// What the answer shows about the login.
    async fn judge(&self, response: Response<ReceivedBody>) -> Reply<Response<ReceivedBody>> {
        let status = response.status();
        let named = names_only(response.headers(), self.account.user_id());
        let is_named = named == Some(true);
        let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
        let path = location.and_then(|it| it.split(|&byte| byte == b'?').next());
        // Where a caller that accepts HTML is sent who is not logged in.
        let is_login_page = path.is_some_and(|path| path.ends_with(b"/login"));
        let is_of_login =
            matches!(status, StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS);
        if !is_named && (is_of_login || is_login_page) {
            // Boxed, as it is seldom needed: it would enlarge the future of every call.
            return Box::pin(self.refused(response)).await;
        }
        if named == Some(false) {
            return Reply::failed(GroupwareError::OtherAccount);
        }
        // Nobody asked for another protocol.
        if status.is_informational() {
            return Reply::failed(GroupwareError::Unexpected(status.as_u16()));
        }
        // Others may be of something in front of the server, or for everybody.
        let is_accepted = is_named || status.is_success() || status == StatusCode::NOT_MODIFIED;
        let login = if is_accepted { LoginEvidence::Accepted } else { LoginEvidence::None };
        if named.is_none() && is_accepted && !self.is_confirmed() {
            return self.confirm(response, login).await;
        }
        Reply { result: Ok(response), login }
    }

    async fn refused(&self, response: Response<ReceivedBody>) -> Reply<Response<ReceivedBody>> {
        let (head, body) = response.into_parts();
        // It is small. What is not, or does not come, is not the server's own.
        let body = Limited::new(body, SMALL).collect();
        let body = timeout(self.groupware.0.settings.timeout, body).await;
        let body = body.ok().and_then(Result::ok).map(Collected::to_bytes).unwrap_or_default();
        let answer =
            Answer { route: Route::User, status: head.status, headers: head.headers, body };
        let named = names_only(&answer.headers, self.account.user_id());
        let reply = answer.reply(named, |answer| Err(answer.refused_forward()));
        if matches!(reply.result, Err(GroupwareError::Throttled)) {
            self.groupware.learn_allow_listed(false);
        }
        reply
    }
}
