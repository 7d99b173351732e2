//! Requests of others, forwarded as an account: any method and path, both bodies streamed.
//!
//! They have connections of their own: those of the [calls](super::call) are driven by a call that reads its whole
//! answer.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AUTHORIZATION, LOCATION, USER_AGENT};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Collected, Limited};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use super::call::{Answer, OCS_API_REQUEST, X_FORWARDED_FOR};
use super::error::BoxError;
use super::ocs::X_USER_ID;
use super::{Access, GroupwareError, LoginEvidence, Reply, Route, notes};
use crate::outbound::{AGENT, CallError, SMALL, TcpConnector};

/// The body of a forwarded request.
pub(crate) type SentBody = UnsyncBoxBody<Bytes, BoxError>;

pub(super) type StreamingClient = Client<HttpsConnector<TcpConnector>, SentBody>;

/// More fields than hyper expects, as for the other calls.
const MAX_FIELDS: usize = 256;

/// How much of an answer is read at once, in bytes, and how large its head may be. A download whose caller does not read
/// takes about 150 KiB with it, and almost 1 MiB with hyper's own.
const BUFFER: usize = 24 * 1024;

pub(super) fn client(connector: HttpsConnector<TcpConnector>, idle: Duration) -> StreamingClient {
    Client::builder(TokioExecutor::new())
        .pool_idle_timeout(idle)
        .pool_timer(TokioTimer::new())
        .http1_max_headers(MAX_FIELDS)
        .http1_max_buf_size(BUFFER)
        .build(connector)
}

impl Access {
    /// Sends `request`, completed with the login, and returns the head of the answer with its body to be read. Fails
    /// when `too_late` is, which returns the time that was waited.
    ///
    /// The evidence is that of the head: only an answer to a refused login is read here, and is an error.
    pub(crate) async fn forward(
        &self,
        mut request: Request<SentBody>,
        too_late: impl Future<Output = Duration>,
    ) -> Reply<Response<Incoming>> {
        self.complete(&mut request);
        let began = Instant::now();
        let answered = tokio::select! {
            answered = self.groupware.0.streaming.request(request) => {
                answered.map_err(unreachable)
            }
            waited = too_late => Err(GroupwareError::TimedOut(waited)),
        };
        notes::record_call(began.elapsed());
        match answered {
            Ok(response) => self.judge(response).await,
            Err(error) => Reply::failed(error),
        }
    }

    fn complete<B>(&self, request: &mut Request<B>) {
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
    }

    /// What the answer shows about the login.
    async fn judge(&self, response: Response<Incoming>) -> Reply<Response<Incoming>> {
        let status = response.status();
        let named = response.headers().get(X_USER_ID);
        let is_named = named.is_some_and(|id| id.as_bytes() == self.account.user_id().as_bytes());
        let location = response.headers().get(LOCATION).map(HeaderValue::as_bytes);
        let path = location.and_then(|it| it.split(|&byte| byte == b'?').next());
        // Where a caller that accepts HTML is sent who is not logged in.
        let is_login_page = path.is_some_and(|path| path.ends_with(b"/login"));
        if status == StatusCode::UNAUTHORIZED
            || !is_named && (status == StatusCode::TOO_MANY_REQUESTS || is_login_page)
        {
            let (head, body) = response.into_parts();
            // It is small. What is not, or does not come, is not the server's own.
            let body =
                timeout(self.groupware.0.settings.timeout, Limited::new(body, SMALL).collect());
            let body = body.await.ok().and_then(Result::ok).map(Collected::to_bytes);
            let body = body.unwrap_or_default();
            let answer = Answer { route: Route::User, status, headers: head.headers, body };
            return answer.reply(&self.account, |answer| Err(answer.refused_forward()));
        }
        if named.is_some() && !is_named {
            return Reply::failed(GroupwareError::OtherAccount);
        }
        // Nobody asked for another protocol.
        if status.is_informational() {
            return Reply::failed(GroupwareError::Unexpected(status.as_u16()));
        }
        // Others may be of something in front of the server, or for everybody.
        let is_accepted = is_named || status.is_success() || status == StatusCode::NOT_MODIFIED;
        let login = if is_accepted { LoginEvidence::Accepted } else { LoginEvidence::None };
        Reply { result: Ok(response), login }
    }
}

fn unreachable(error: hyper_util::client::legacy::Error) -> GroupwareError {
    let error: BoxError = match error.is_connect() {
        true => CallError::Connect(error.into()).into(),
        false => error.into(),
    };
    GroupwareError::Unreachable(error)
}
