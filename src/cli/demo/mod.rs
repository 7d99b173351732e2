//! `portreeve demo`: the gateway between a stand-in Nextcloud and a receiver of deliveries, in one process, with two
//! users and their tokens, a stored app password and a target of one of them. It shows what each receives.

mod accounts;
mod groupware;
mod receiver;
mod traffic;

use std::convert::Infallible;
use std::future::pending;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use clap::{ArgMatches, Command};
use http::request::Parts;
use http::{Request, Response};
use hyper::body::Incoming;
use ipnet::IpNet;

use portreeve::deliveries::{Deliveries, Limits, Maker, Networks, Queue, TargetSettings, Worker};
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::gateway::{AnswerBody, Endpoint, Gateway, PageLogin, Settings, Shared};
use portreeve::groupware::{DeliveryAuth, Groupware, WebhookSecret};
use portreeve::identity::{BearerToken, Caller, RefusalReason, TokenVerifier, VerifyError};
use portreeve::outbound::{HttpUrl, PlainHttp};
use portreeve::server::{self, Bounds};
use portreeve::vault::{AppPassword, Keyring, SqliteStore, Vault};
use rustls::pki_types::CertificateDer;
use secrecy::SecretString;
use subtle::ConstantTimeEq as _;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::util::BoxCloneService;
use tower::{Service, ServiceBuilder, ServiceExt as _, service_fn};

use self::traffic::{Hop, Traffic, show_answer};
use super::commands::{option, switch};
use super::output::{print, say};
use super::signals::{self, Shutdown};
use super::{Failure, block_on, logging, tls};
use crate::config::LogFormat;
use crate::tls::{config, trusted_roots};

const NEXTCLOUD_ONLY: &str = "nextcloud-only";

/// All three servers have one type, so that serving is compiled once.
type Handler = BoxCloneService<Request<Incoming>, Answer, Infallible>;

type Answer = Response<AnswerBody>;

/// The accounts of the stand-in. The first one is an administrator there.
const USERS: [&str; 2] = [ADMINISTRATOR, "bob"];
const ADMINISTRATOR: &str = "alice";

/// How long the end waits for requests. A second signal within the first second counts as the same one, so that none can
/// end the demo before its folder is removed.
const DRAIN: Duration = Duration::from_millis(900);

/// Accepts a token of each user.
struct Tokens([(BearerToken, &'static str); 2]);

impl TokenVerifier for Tokens {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let token = token.expose().as_bytes();
        let is_it = |known: &BearerToken| token.ct_eq(known.expose().as_bytes()).into();
        let known = self.0.iter().find(|(known, _)| is_it(known));
        known.map(|(_, user)| Caller::new(*user)).ok_or_else(|| RefusalReason::Unknown.into())
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
        .arg(
            option("ca", "FILE", "PEM file of certificates to trust for deliveries, in addition to the system's")
                .value_parser(|path: &str| tls::certificates(path.as_ref())),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let listen = *matches.get_one::<SocketAddr>("listen").expect("it has a default");
    let ca = matches.get_one::<Vec<CertificateDer<'_>>>("ca");
    let ca = ca.cloned().unwrap_or_default();
    // The log lines of requests would mix with those of the traffic.
    logging::start(LogFormat::Text, logging::filter_without_setting("warn")?);
    // It outlives the tasks that write there.
    let dir = (!matches.get_flag(NEXTCLOUD_ONLY)).then(tempfile::tempdir);
    let dir = dir.transpose().map_err(|error| {
        Failure::new(format_args!(
            "cannot make a temporary folder: {error}; set TMPDIR to a folder that can be written, such as /dev/shm"
        ))
    })?;
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
            let deliverer = groupware::deliverer(config(trusted_roots(), ca)?);
            let nextcloud = groupware::service(&password, deliverer, traffic);
            let text = format!(
                include_str!("nextcloud_only.txt"),
                address = address,
                password = password.expose()
            );
            print(text.as_bytes())?;
            server::serve(listener, nextcloud, bounds(), shutdown).await;
            return Ok(());
        };
        let (gateway, shared) = start(address, &password, dir.path(), ca).await?;
        let shutdown = async move {
            shutdown.await;
            shared.stop_waits();
        };
        server::serve(listener, gateway, bounds(), shutdown).await;
        Ok(())
    })
}

fn bounds() -> Bounds {
    let mut bounds = Bounds::default();
    bounds.drain_timeout = DRAIN;
    bounds
}

/// Starts all but the gateway, which listens on `address`, and says what to try.
async fn start(
    address: SocketAddr,
    password: &AppPassword,
    dir: &Path,
    ca: Vec<CertificateDer<'static>>,
) -> Result<(Handler, Shared), Failure> {
    let url = base(address)?;
    let delivery = DeliveryAuth::derived(random()?.into())?;
    let of_delivery =
        delivery.authorization_for(&format!("{url}{}", Endpoint::ReceiveDelivery.as_str()));
    let token = || {
        let token = BearerToken::new(&format!("prt_{}", random()?));
        Ok::<_, Failure>(token.expect("it is a b64token"))
    };
    let [alice, bob] = [token()?, token()?];
    let traffic = Traffic::new([
        of_password(password),
        (alice.expose().into(), "Bearer prt_\u{2026}"),
        (bob.expose().into(), "Bearer prt_\u{2026}"),
        (of_delivery.expose()["Bearer ".len()..].into(), "Bearer (derived)"),
    ]);
    let receiver = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let secret = WebhookSecret::generate()?;
    let target =
        TargetSettings::new(format!("{}/files", base(receiver.local_addr()?)?), secret.expose());
    let service = receiver::service(secret, traffic.clone());
    tokio::spawn(server::serve(receiver, service, Bounds::default(), pending()));
    let nextcloud = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let nextcloud_address = nextcloud.local_addr()?;
    let deliverer = groupware::deliverer(config(trusted_roots(), ca.clone())?);
    let service = groupware::service(password, deliverer, traffic.clone());
    tokio::spawn(server::serve(nextcloud, service, Bounds::default(), pending()));
    let store = SqliteStore::open(dir.join("portreeve.db")).await?;
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(Keyring::generate()?, store);
    vault.put(ADMINISTRATOR, ADMINISTRATOR, password).await?;
    let deliveries = Deliveries::new(vault.clone(), queue, Limits::default());
    let maker = Maker::of(ADMINISTRATOR);
    deliveries.add_target(Some(ADMINISTRATOR), &target, maker).await?;
    let networks = Networks::new([IpNet::from(IpAddr::from(Ipv4Addr::LOCALHOST))]);
    let worker = Worker::with_extra_ca(deliveries, networks, ca)?;
    tokio::spawn(worker.clone().run(CancellationToken::new()));
    let mut settings = Settings::default();
    settings.delivery = Some(delivery);
    settings.public_url = Some(url);
    settings.page = Some(PageLogin::Paste);
    let groupware = Groupware::new(base(nextcloud_address)?, Default::default())?;
    let shared = Shared::new(vault.clone(), &settings, TaskTracker::new());
    let tokens = Tokens([(alice.clone(), USERS[0]), (bob.clone(), USERS[1])]);
    let gateway = Gateway::new(tokens, vault.clone())
        .shared(shared.clone())
        .groupware(groupware)
        .settings(settings)
        .deliveries(worker)
        .into_service()?;
    let mut probes = ProbeLayer::new(vault);
    probes.root = true;
    let gateway = ServiceBuilder::new().layer(probes).service(gateway);
    let gateway = shown(gateway, traffic, |path| {
        // The stand-in shows what it delivers, and the files of the page are the same for everybody.
        let is_shown = path != Endpoint::ReceiveDelivery.as_str() && !path.starts_with("/ui");
        is_shown.then_some(Hop::TO_GATEWAY)
    });
    // The lines can be pasted into bash, zsh and fish, all at once and repeatedly: an interactive zsh takes `#` for a
    // command, and a response does not end with a line break. docs/GUIDE.md goes on with their variables.
    let text = format!(
        include_str!("gateway.txt"),
        gateway = address,
        nextcloud = nextcloud_address,
        receiver = target.uri,
        token = alice.expose(),
        bob = bob.expose(),
        password = password.expose(),
    );
    print(text.as_bytes())?;
    Ok((gateway, shared))
}

/// The app password as a bearer token, as the gateway sends it from some version of Nextcloud on.
fn of_password(password: &AppPassword) -> (SecretString, &'static str) {
    (password.expose().into(), "Bearer \u{2022}\u{2022}\u{2022}")
}

/// `service`, which shows each request and its response if there is a hop for its path.
fn shown<S>(service: S, traffic: Traffic, hop: fn(&str) -> Option<Hop>) -> Handler
where
    S: Service<Request<Incoming>, Response = Answer, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
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

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        if let Some(port) = text.strip_prefix("localhost:") {
            return format!("must be an IP address; localhost is 127.0.0.1:{port}");
        }
        "must be an IP address and a port, such as 127.0.0.1:8000".to_owned()
    })
}

/// 40 random characters that are valid in a token and an app password.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
