//! `portreeve demo`: the gateway in front of a stand-in Nextcloud, in one process and in memory, with a
//! user, a token and a stored app password. It shows what each of the two receives.

mod groupware;
mod traffic;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use clap::{ArgMatches, Command};
use http::Request;
use http::request::Parts;
use hyper::body::Incoming;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::layer::root::RootLayer;
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, Groupware};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::outbound::{HttpUrl, HttpUrlError};
use portreeve::server::{self, Bounds};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tower::{ServiceBuilder, ServiceExt as _, service_fn};

use self::traffic::{Hop, Traffic, show_answer};
use super::commands::option;
use super::output::{print, say};
use super::signals::{self, Shutdown};
use super::{Failure, block_on, logging};
use crate::config::LogFormat;

/// The account of the demo; an administrator of the stand-in server.
const USER: &str = "alice";

/// Accepts the token of the demo.
struct OneToken(BearerToken);

impl TokenVerifier for OneToken {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let known = self.0.expose().as_bytes();
        match token.expose().as_bytes().ct_eq(known).into() {
            true => Ok(Caller::new(USER)),
            false => Err(RefusalReason::Unknown.into()),
        }
    }
}

pub(super) fn command() -> Command {
    Command::new("demo")
        .about("Try the gateway: run it with a stand-in for Nextcloud, and show the requests that each receives")
        .after_help("Everything is kept in memory, and lost when it ends.")
        .arg(
            option("listen", "ADDRESS", "Address and port to listen on")
                .default_value("127.0.0.1:8000")
                .value_parser(address),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let listen = *matches
        .get_one::<SocketAddr>("listen")
        .expect("it has a default");
    // The log lines of requests would mix with those of the traffic.
    logging::start(LogFormat::Text, logging::filter_without_setting("warn")?);
    block_on(async {
        let (shutdown, hangup) = (Shutdown::catch()?, signals::hangup()?);
        let token = format!("prt_{}", random()?);
        let token = BearerToken::new(&token).expect("it is a b64token");
        let password = Arc::new(AppPassword::new(&random()?).map_err(Failure::new)?);
        let traffic = Traffic::of(token.clone(), password.clone());
        let groupware = groupware::start(USER, &password, traffic.clone()).await?;
        let gateway = gateway(&token, &password, url(groupware)?, traffic).await?;

        let listener = TcpListener::bind(listen).await.map_err(|error| {
            Failure::new(format_args!(
                "--listen: cannot listen on {listen}: {error}; name another address"
            ))
        })?;
        if !listen.ip().to_canonical().is_loopback() {
            say(format_args!(
                "portreeve: warning: {listen} can be reached from other machines without TLS, so the token can be \
                 read in transit"
            ));
        }
        // Whoever closed standard output does not want to read it.
        print(greeting(listener.local_addr()?, groupware, token.expose()).as_bytes())?;
        let shutdown = shutdown.requested(Some(hangup));
        server::serve(listener, gateway, Bounds::default(), shutdown).await;
        Ok(())
    })
}

/// The gateway, wrapped to show each request and its response.
async fn gateway(
    token: &BearerToken,
    password: &AppPassword,
    groupware: HttpUrl,
    traffic: Traffic,
) -> Result<
    impl tower::Service<
        Request<Incoming>,
        Response = http::Response<http_body_util::Full<bytes::Bytes>>,
        Error = Infallible,
        Future: Send,
    > + Clone
    + Send
    + 'static,
    Failure,
> {
    let keyring = Keyring::generate().map_err(Failure::new)?;
    let vault = Vault::new(keyring, MemoryStore::new());
    let stored = vault.put(USER, USER, password).await;
    stored.map_err(Failure::new)?;
    let groupware = Groupware::builder(groupware)
        .build()
        .map_err(Failure::new)?;
    let mut settings = Settings::default();
    let delivery = DeliveryAuth::derived(random()?.into());
    settings.delivery = Some(delivery.map_err(Failure::new)?);
    let gateway = Gateway::new(OneToken(token.clone()), vault.clone())
        .groupware(groupware)
        .settings(settings)
        .into_service();
    let gateway = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault))
        .layer(RootLayer)
        .service(gateway);
    Ok(service_fn(move |request: Request<Incoming>| {
        traffic.request(Hop::ToGateway, &request);
        let answer = gateway.clone().oneshot(request);
        async move {
            let answer = answer.await?;
            show_answer(answer.status());
            Ok(answer)
        }
    }))
}

/// Parses a TCP address of `listen`.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit_once(':').map_or("8000", |(_, port)| port);
        match text.starts_with("localhost:") {
            true => format!("must be an IP address; localhost is 127.0.0.1:{port}"),
            false => "must be an IP address and a port, such as 127.0.0.1:8000".to_owned(),
        }
    })
}

fn url(address: SocketAddr) -> Result<HttpUrl, Failure> {
    format!("http://{address}")
        .parse()
        .map_err(|error: HttpUrlError| Failure::new(error))
}

/// 40 random characters that are valid in a token and an app password.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(Failure::new)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The lines can be pasted, all at once and repeatedly: an interactive zsh takes `#` for a command, a response does
/// not end with a line break, and a second registration has another id.
fn greeting(gateway: SocketAddr, groupware: SocketAddr, token: &str) -> String {
    format!(
        r#"The gateway listens on http://{gateway}, a stand-in for Nextcloud on http://{groupware}.
{USER} is an administrator there and has a token and a stored app password. Try, in another terminal:

TOKEN={token}

echo; echo '== the apps installed on the server'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/apps

echo; echo '== a webhook for each new file under /alice/files/Reports'
CREATED=$(curl -i -w '\n' -H "Authorization: Bearer $TOKEN" -d '{{
  "event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent",
  "uri": "https://hooks.example.org/new-file",
  "eventFilter": {{"event.node.path": "/^\\/alice\\/files\\/Reports\\//"}}
}}' http://{gateway}/api/v1/webhooks); printf '%s\n' "$CREATED"
WEBHOOK=$(printf '%s\n' "$CREATED" | sed -n 's/.*"id": *\([0-9][0-9]*\).*/\1/p')

echo; echo '== all webhooks; then delete that one'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/webhooks
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" -X DELETE http://{gateway}/api/v1/webhooks/$WEBHOOK

echo; echo '== the state of the stored app password'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/background-sync/status

echo; echo '== the public status of the gateway'
curl -i -w '\n' http://{gateway}/api/v1/status

echo; echo '== the answer without a token'
curl -i -w '\n' http://{gateway}/api/v1/apps

Ctrl-C ends the demo. Each request is shown here, with the credential that it carries:

"#
    )
}
