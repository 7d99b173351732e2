//! `portreeve demo`: the gateway as `serve` runs it, in front of a stand-in groupware server in
//! the same process, with a user, a token and a stored app password.

mod groupware;

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Arg, ArgMatches, Command};
use portreeve::gateway::{
    AccountPolicy, AdminPolicy, BearerLogins, ClientAddress, Limits, LoginPolicy,
    UnboundedWebhooks, WebhookPresets,
};
use portreeve::groupware::{BaseUrl, BaseUrlError, DeliveryAuth, EventClasses};
use portreeve::identity::TokensFile;
use portreeve::server::Bounds;
use portreeve::vault::AppPassword;

use super::{Failure, block_on, logging, open, serve};
use crate::config::setting::DATA_DIR;
use crate::config::{
    Config, Database, GroupwareConfig, IdentityConfig, Keys, LogFormat, VaultConfig,
};

/// The account of the demo; an administrator of the stand-in server.
const USER: &str = "alice";

pub(super) fn command() -> Command {
    Command::new("demo")
        .about("Try the gateway: starts one with a stand-in groupware server and prints curl lines")
        .after_help("Everything it makes lies in a temporary directory and is gone when it ends.")
        .arg(
            Arg::new("listen")
                .long("listen")
                .value_name("ADDRESS")
                .default_value("127.0.0.1:8000")
                .value_parser(address)
                .help("Address and port to listen on"),
        )
}

pub(super) fn run(matches: &ArgMatches) -> Result<(), Failure> {
    let listen = *matches
        .get_one::<SocketAddr>("listen")
        .expect("it has a default");
    logging::start(LogFormat::Text, logging::filter_without_setting()?);
    let dir = tempfile::Builder::new()
        .prefix("portreeve-demo-")
        .tempdir()?;
    block_on(async {
        let password = AppPassword::new(&random_password()?).map_err(Failure::new)?;
        let groupware = groupware::start(USER, &password).await?;
        let config = Config {
            listen: listen.into(),
            groupware: Some(GroupwareConfig {
                bearer: BearerLogins::default(),
                url: url(groupware)?,
                allow_plain_http: false,
                timeout: Duration::from_secs(30),
                ca: None,
            }),
            account: AccountPolicy::default(),
            groupware_public_url: None,
            logins: LoginPolicy::default(),
            administrators: AdminPolicy::default(),
            vault: VaultConfig {
                database: Database::Sqlite(dir.path().join("portreeve.db")),
                database_set_by: DATA_DIR,
                keys: Keys::File(dir.path().join("vault.key")),
                keys_set_by: DATA_DIR,
            },
            identity: IdentityConfig {
                tokens_file: Some(dir.path().join("tokens")),
                ..IdentityConfig::default()
            },
            delivery: Some(DeliveryAuth::derived(random_password()?.into()).map_err(Failure::new)?),
            shared_key: None,
            client_address: ClientAddress::withheld(),
            event_classes: EventClasses::default(),
            presets: WebhookPresets::built_in(),
            unbounded_webhooks: UnboundedWebhooks::default(),
            public_url: None,
            public_status: true,
            scopes: Vec::new(),
            limits: Limits::default(),
            bounds: Bounds::default(),
            metrics_listen: None,
            audit_log: None,
            otlp_endpoint: None,
        };
        let vault = open::vault(&config.vault).await?;
        vault
            .put(USER, USER, &password)
            .await
            .map_err(Failure::new)?;
        drop(vault);
        let tokens = TokensFile::new(dir.path().join("tokens"));
        let made = tokens.new_token(USER, []).map_err(Failure::new)?;
        serve::serve(config, Vec::new(), serve::OnHangup::ShutDown, |addresses| {
            let address = addresses
                .tcp
                .first()
                .expect("it listens on the one of the command line");
            greet(*address, groupware, made.token.expose());
        })
        .await
    })
}

/// An address as `listen` has it, on TCP.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        let port = text.rsplit_once(':').map_or("8000", |(_, port)| port);
        match text.starts_with("localhost:") {
            true => format!("write the address of localhost: 127.0.0.1:{port}"),
            false => "must be an IP address and a port, such as 127.0.0.1:8000".to_owned(),
        }
    })
}

fn url(address: SocketAddr) -> Result<BaseUrl, Failure> {
    format!("http://{address}")
        .parse()
        .map_err(|error: BaseUrlError| Failure::new(error))
}

/// 40 characters that an app password may have, from the system's random numbers.
fn random_password() -> Result<String, Failure> {
    let mut bytes = [0; 20];
    getrandom::fill(&mut bytes).map_err(Failure::new)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The lines work when they are pasted, all of them at once and again too: an interactive zsh takes `#`
/// for a command, an answer does not end its line, and what is made the second time has another id.
fn greet(gateway: SocketAddr, groupware: SocketAddr, token: &str) {
    println!(
        r#"The gateway listens on http://{gateway}, its stand-in groupware server on http://{groupware}.
{USER} is an administrator there and has a token and a stored app password. Try, in another terminal:

TOKEN={token}

echo; echo '== the apps installed on the groupware server'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/apps

echo; echo '== a webhook for each new file under /alice/files/Reports'
CREATED=$(curl -i -w '\n' -H "Authorization: Bearer $TOKEN" -d '{{
  "event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent",
  "uri": "https://hooks.example.org/new-file",
  "eventFilter": {{"event.node.path": "/^\\/alice\\/files\\/Reports\\//"}}
}}' http://{gateway}/api/v1/webhooks); printf '%s\n' "$CREATED"
WEBHOOK=$(printf '%s\n' "$CREATED" | sed -n 's/.*"id": *\([0-9][0-9]*\).*/\1/p')

echo; echo '== all webhooks; then the end of that one'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/webhooks
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" -X DELETE http://{gateway}/api/v1/webhooks/$WEBHOOK

echo; echo '== the stored app password, and since when'
curl -i -w '\n' -H "Authorization: Bearer $TOKEN" http://{gateway}/api/v1/background-sync/status

echo; echo '== what the gateway tells anybody of itself'
curl -i -w '\n' http://{gateway}/api/v1/status

echo; echo '== what somebody without a token gets elsewhere'
curl -i -w '\n' http://{gateway}/api/v1/apps

Ctrl-C ends it."#
    );
}
