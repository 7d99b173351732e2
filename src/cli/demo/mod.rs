//! `portreeve demo`: the gateway between a stand-in Nextcloud and a receiver of deliveries, in one process, with a user,
//! a token, a stored app password and a target. It shows what each of them receives.

mod groupware;
mod receiver;
mod traffic;

use std::convert::Infallible;
use std::future::pending;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

use clap::{ArgMatches, Command};
use http::request::Parts;
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use ipnet::IpNet;

use portreeve::deliveries::{Deliveries, Limits, Networks, Queue, Sender, TargetSettings, Worker};
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{AnswerBody, Endpoint, Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, EventClasses, Groupware, WebhookSecret};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::outbound::{HttpUrl, PlainHttp};
use portreeve::server::{self, Bounds};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use secrecy::SecretString;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::util::BoxCloneService;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt as _, service_fn};

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
        .after_help("Its database is in a temporary folder, which is removed when it ends.")
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
    // It outlives the tasks that write there.
    let dir = match matches.get_flag(NEXTCLOUD_ONLY) {
        true => None,
        false => Some(tempfile::tempdir().map_err(|error| {
            Failure::new(format_args!(
                "cannot make a temporary folder: {error}; set TMPDIR to a folder that can be written, such as \
                 /dev/shm"
            ))
        })?),
    };
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
        let password = AppPassword::new(&random()?)?;
        let Some(dir) = &dir else {
            let traffic = Traffic::new([of_password(&password)]);
            let nextcloud = groupware::service(USER, &password, traffic);
            print(nextcloud_only(address, password.expose()).as_bytes())?;
            server::serve(listener, nextcloud, Bounds::default(), shutdown).await;
            return Ok(());
        };
        let gateway = start(address, &password, dir.path()).await?;
        server::serve(listener, gateway, Bounds::default(), shutdown).await;
        Ok(())
    })
}

/// Starts all but the gateway, which listens on `address`, and says what to try.
async fn start(
    address: SocketAddr,
    password: &AppPassword,
    dir: &Path,
) -> Result<Handler<AnswerBody>, Failure> {
    let url = base(address)?;
    let delivery = DeliveryAuth::derived(random()?.into())?;
    let of_delivery =
        delivery.authorization_for(&format!("{url}{}", Endpoint::ReceiveDelivery.as_str()));
    let token = BearerToken::new(&format!("prt_{}", random()?)).expect("it is a b64token");
    let traffic = Traffic::new([
        of_password(password),
        (token.expose().into(), "Bearer prt_\u{2026}"),
        (
            of_delivery.expose()["Bearer ".len()..].into(),
            "Bearer (derived)",
        ),
    ]);
    let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let secret = WebhookSecret::generate()?;
    let target = TargetSettings {
        uri: format!("{}/files", base(receiver.local_addr()?)?),
        events: Vec::new(),
        filter: None,
        secret: secret.expose(),
        previous: Vec::new(),
    };
    serve(receiver, receiver::service(secret, traffic.clone()));
    let nextcloud = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let nextcloud_address = nextcloud.local_addr()?;
    serve(
        nextcloud,
        groupware::service(USER, password, traffic.clone()),
    );
    let (vault, deliveries) = stored(dir, password).await?;
    let id = deliveries.add_target(Some(USER), &target).await?.id;
    let networks = Networks::new([IpNet::from(IpAddr::from(Ipv4Addr::LOCALHOST))]);
    let sender = Sender::with_system_roots(networks, [])?;
    let worker = Worker::new(deliveries.clone(), sender.clone(), EventClasses::default());
    tokio::spawn(worker.run(CancellationToken::new()));
    let mut settings = Settings::default();
    settings.delivery = Some(delivery);
    settings.public_url = Some(url);
    let groupware = Groupware::new(base(nextcloud_address)?, Default::default())?;
    let gateway = Gateway::new(OneToken(token.clone()), vault.clone())
        .groupware(groupware)
        .settings(settings)
        .deliveries((deliveries, sender));
    let gateway = ServiceBuilder::new()
        .layer(ProbeLayer::new(vault).root())
        .service(gateway.into_service());
    let gateway = shown(gateway, traffic, |path| {
        // The stand-in shows what it delivers.
        (path != Endpoint::ReceiveDelivery.as_str()).then_some(Hop::TO_GATEWAY)
    });
    // Whoever closed standard output does not want to read it.
    let shown = Shown {
        gateway: address,
        nextcloud: nextcloud_address,
        receiver: target.uri,
        target: id.to_string(),
        token: token.expose(),
        password: password.expose(),
    };
    print(greeting(&shown).as_bytes())?;
    Ok(gateway)
}

/// The app password as a bearer token, as the gateway sends it from some version of Nextcloud on.
fn of_password(password: &AppPassword) -> (SecretString, &'static str) {
    (password.expose().into(), "Bearer \u{2022}\u{2022}\u{2022}")
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

/// The vault and the queue, with the app password of the user.
async fn stored(dir: &Path, password: &AppPassword) -> Result<(Vault, Deliveries), Failure> {
    let store = SqliteStore::open(dir.join("portreeve.db")).await?;
    let queue = Queue::in_sqlite(&store)?;
    let vault = Vault::new(Keyring::generate()?, store);
    vault.put(USER, USER, password).await?;
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    Ok((vault, deliveries))
}

/// `service`, which shows each request and its response if there is a hop for its path.
fn shown<S, B>(service: S, traffic: Traffic, hop: fn(&str) -> Option<Hop>) -> Handler<B>
where
    S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    BoxCloneService::new(service_fn(move |request: Request<Incoming>| {
        let hop = hop(request.uri().path());
        if let Some(hop) = hop {
            traffic.request(hop, &request);
        }
        let answer = service.clone().oneshot(request);
        async move {
            let answer = answer.await?;
            if let Some(hop) = hop {
                show_answer(hop, answer.status());
            }
            Ok(answer)
        }
    }))
}

fn base(address: SocketAddr) -> Result<HttpUrl, Failure> {
    HttpUrl::base(&format!("http://{address}"), PlainHttp::Anywhere).map_err(Failure::new)
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
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn nextcloud_only(address: SocketAddr, password: &str) -> String {
    format!(
        r#"A stand-in for Nextcloud listens on http://{address}, the address to give to `portreeve init`.
{USER} is an administrator there, and has this app password, for `portreeve credentials put --user {USER}`:

{password}

With it, this uploads a file, which is delivered to the webhooks for such events:

curl -sS -i -u {USER}:{password} -X PUT -d 'a note' http://{address}/remote.php/dav/files/{USER}/Notes/today.md

Ctrl-C ends it. Each request is shown here, with the credential that it carries:

"#
    )
}

/// What the lines to paste contain.
struct Shown<'a> {
    gateway: SocketAddr,
    nextcloud: SocketAddr,
    receiver: String,
    target: String,
    token: &'a str,
    password: &'a str,
}

/// The lines can be pasted, all at once and repeatedly: an interactive zsh takes `#` for a command, and a response does
/// not end with a line break.
fn greeting(shown: &Shown<'_>) -> String {
    let Shown {
        gateway,
        nextcloud,
        receiver,
        target,
        token,
        password,
    } = shown;
    format!(
        r#"The gateway listens on http://{gateway}, a stand-in for Nextcloud on http://{nextcloud}.
{USER} is an administrator there; the gateway has an app password of hers. It delivers her events to
{receiver}, which verifies the signatures, and answers 503 to the first attempt of each.
Try, in another terminal:

TOKEN={token}

echo; echo '== the apps that announce capabilities'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/apps

echo; echo '== the webhooks of a preset: Nextcloud delivers events of files to the gateway itself'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" -X PUT -d '{{"uri": "self"}}' http://{gateway}/api/v1/webhook-presets/files

echo; echo '== {USER} uploads a file'
curl -sS -i -u {USER}:{password} -X PUT -d 'a note' http://{nextcloud}/remote.php/dav/files/{USER}/Notes/today.md

echo; echo '== what became of its delivery 7 seconds later'
sleep 7
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/deliveries/targets/{target}/deliveries

echo; echo '== all webhooks; then delete those of the preset'
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/webhooks
curl -sS -i -w '\n' -H "Authorization: Bearer $TOKEN" -X DELETE 'http://{gateway}/api/v1/webhook-presets/files?uri=self'

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
