//! `portreeve demo`: the gateway between a stand-in Nextcloud and a receiver of webhooks, in one process and in memory,
//! with a user, a token and a stored app password. It shows what each of them receives.

mod groupware;
mod traffic;

use std::convert::Infallible;
use std::future::pending;
use std::net::SocketAddr;

use clap::{ArgMatches, Command};
use http::request::Parts;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::layer::root::RootLayer;
use portreeve::gateway::{AnswerBody, Gateway, Settings};
use portreeve::groupware::{CheckDeliveryLayer, DeliveryAuth, Groupware};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::outbound::HttpUrl;
use portreeve::server::{self, Bounds};
use portreeve::vault::{AppPassword, Keyring, MemoryStore, Vault};
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tower::util::BoxCloneService;
use tower::{BoxError, Layer as _, ServiceBuilder, ServiceExt as _, service_fn};

use self::traffic::{Hop, Traffic, show_answer};
use super::commands::{option, switch};
use super::output::{print, say};
use super::signals::{self, Shutdown};
use super::{Failure, block_on, logging};
use crate::config::LogFormat;

/// The argument that leaves out the gateway.
const NEXTCLOUD_ONLY: &str = "nextcloud-only";

/// What can be served.
type Handler<B> = BoxCloneService<Request<Incoming>, Response<B>, Infallible>;

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
                .default_value_if(NEXTCLOUD_ONLY, "true", "127.0.0.1:8081")
                .default_value("127.0.0.1:8000")
                .value_parser(address),
        )
        .arg(switch(
            NEXTCLOUD_ONLY,
            "Run only the stand-in, for a gateway that you configure, and print an app password for it",
        ))
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let listen = *matches
        .get_one::<SocketAddr>("listen")
        .expect("it has a default");
    // The log lines of requests would mix with those of the traffic.
    logging::start(LogFormat::Text, logging::filter_without_setting("warn")?);
    block_on(async {
        let (shutdown, hangup) = (Shutdown::catch()?, signals::hangup()?);
        let shutdown = shutdown.requested(Some(hangup));
        let listener = TcpListener::bind(listen).await.map_err(|error| {
            Failure::new(format_args!(
                "--listen: cannot listen on {listen}: {error}; name another address"
            ))
        })?;
        if !listen.ip().to_canonical().is_loopback() {
            say(format_args!(
                "portreeve: warning: {listen} can be reached from other machines without TLS, so tokens and \
                 passwords can be read in transit"
            ));
        }
        let address = listener.local_addr()?;
        let password = AppPassword::new(&random()?).map_err(Failure::new)?;
        let of_password = (password.expose().into(), "Bearer \u{2022}\u{2022}\u{2022}");
        if matches.get_flag(NEXTCLOUD_ONLY) {
            let nextcloud = groupware::service(USER, &password, Traffic::new([of_password]));
            print(nextcloud_only(address, password.expose()).as_bytes())?;
            server::serve(listener, nextcloud, Bounds::default(), shutdown).await;
            return Ok(());
        }
        let receiver = TcpListener::bind(("127.0.0.1", 0)).await?;
        let uri = format!("http://{}/tags", receiver.local_addr()?);
        let delivery = DeliveryAuth::derived(random()?.into()).map_err(Failure::new)?;
        let of_delivery = delivery.authorization_for(&uri);
        let token = BearerToken::new(&format!("prt_{}", random()?)).expect("it is a b64token");
        let traffic = Traffic::new([
            of_password,
            (token.expose().into(), "Bearer prt_\u{2026}"),
            (
                of_delivery.expose()["Bearer ".len()..].into(),
                "Bearer (derived)",
            ),
        ]);
        let nextcloud = TcpListener::bind(("127.0.0.1", 0)).await?;
        let addresses = [address, nextcloud.local_addr()?];
        let url = format!("http://{}", addresses[1]).parse::<HttpUrl>();
        let url = url.map_err(Failure::new)?;
        let gateway = gateway(&token, &password, url, delivery, traffic.clone()).await?;
        serve(nextcloud, groupware::service(USER, &password, traffic));
        let accept = service_fn(async |_: Request<Incoming>| Ok(Response::<String>::default()));
        let checked = CheckDeliveryLayer::credential(&of_delivery).layer(accept);
        serve(receiver, BoxCloneService::new(checked));
        // Whoever closed standard output does not want to read it.
        print(greeting(addresses, token.expose(), password.expose(), &uri).as_bytes())?;
        server::serve(listener, gateway, Bounds::default(), shutdown).await;
        Ok(())
    })
}

/// Serves until the demo ends.
fn serve<B>(listener: TcpListener, service: Handler<B>)
where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + 'static,
{
    tokio::spawn(server::serve(
        listener,
        service,
        Bounds::default(),
        pending(),
    ));
}

/// The gateway, wrapped to show each request and its response.
async fn gateway(
    token: &BearerToken,
    password: &AppPassword,
    groupware: HttpUrl,
    delivery: DeliveryAuth,
    traffic: Traffic,
) -> Result<Handler<AnswerBody>, Failure> {
    let keyring = Keyring::generate().map_err(Failure::new)?;
    let vault = Vault::new(keyring, MemoryStore::new());
    let stored = vault.put(USER, USER, password).await;
    stored.map_err(Failure::new)?;
    let groupware = Groupware::builder(groupware)
        .build()
        .map_err(Failure::new)?;
    let mut settings = Settings::default();
    settings.delivery = Some(delivery);
    let gateway = Gateway::new(OneToken(token.clone()), vault.clone())
        .groupware(groupware)
        .settings(settings)
        .into_service();
    let gateway = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault))
        .layer(RootLayer)
        .service(gateway);
    let shown = service_fn(move |request: Request<Incoming>| {
        traffic.request(Hop::TO_GATEWAY, &request);
        let answer = gateway.clone().oneshot(request);
        async move {
            let answer = answer.await?;
            show_answer(Hop::TO_GATEWAY, answer.status());
            Ok(answer)
        }
    });
    Ok(BoxCloneService::new(shown))
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

/// 40 random characters that are valid in a token and an app password.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(Failure::new)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn nextcloud_only(address: SocketAddr, password: &str) -> String {
    format!(
        r#"A stand-in for Nextcloud listens on http://{address}, the address to give to `portreeve init`.
{USER} is an administrator there, and has this app password, for `portreeve credentials put --user {USER}`:

{password}

With it, this puts a tag on a file, which is delivered to the webhooks for such events:

curl -sS -i -u {USER}:{password} -X PUT http://{address}/remote.php/dav/systemtags-relations/files/114/1

Ctrl-C ends it. Each request is shown here, with the credential that it carries:

"#
    )
}

/// The lines can be pasted, all at once and repeatedly: an interactive zsh takes `#` for a command, and a response does
/// not end with a line break.
fn greeting(
    [gateway, groupware]: [SocketAddr; 2],
    token: &str,
    password: &str,
    uri: &str,
) -> String {
    format!(
        r#"The gateway listens on http://{gateway}, a stand-in for Nextcloud on http://{groupware}.
{USER} is an administrator there; the gateway has an app password of hers. Try, in another terminal:

TOKEN={token}

echo; echo '== the apps that announce capabilities'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/apps

echo; echo '== the webhooks of a preset: tags put on files and taken off them'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" -X PUT -d '{{"uri": "{uri}"}}' http://{gateway}/api/v1/webhook-presets/tags

echo; echo '== {USER} tags a file in Nextcloud, which delivers that'
curl -sS -i -u {USER}:{password} -X PUT http://{groupware}/remote.php/dav/systemtags-relations/files/114/1

echo; echo '== all webhooks; then delete those of the preset'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/webhooks
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" -X DELETE -G --data-urlencode 'uri={uri}' http://{gateway}/api/v1/webhook-presets/tags

echo; echo '== the state of the stored app password'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/background-sync/status

echo; echo '== the public status of the gateway'
curl -sS -i -w '\n' http://{gateway}/api/v1/status

echo; echo '== the answer without a token'
curl -sS -i -w '\n' http://{gateway}/api/v1/apps

Ctrl-C ends the demo. Each request is shown here, with the credential that it carries:

"#
    )
}
