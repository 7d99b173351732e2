//! The table of settings: each is described here and nowhere else.
//!
//! A row contains the notation and the parser of a setting, so that each can be checked by itself, used or not; its
//! default; when a change takes effect; and which commands read it. The command line, the environment, the TOML file,
//! `check-config`, the error messages, SIGHUP and docs/CONFIGURATION.md are all generated from it.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use portreeve::gateway::forward::Scopes;
use portreeve::gateway::{
    AccountRule, BearerLogins, BindingPolicy, ClientAddress, UnboundedWebhooks,
};
use portreeve::groupware::{EventClasses, SharedOrigin};
use portreeve::outbound::HttpUrl;
use secrecy::SecretString;

use super::database::{self, Database};
use super::listen::{self, Listen};
use super::parse::{self, LogFormat, WebhookAuth};
use super::syntax::Notation::{self, List, Secret, Tables, Value};
use super::syntax::{DURATION, FILE, SECRET, SWITCH, Syntax, count, one_of};

pub(crate) const DATABASE: &str = "portreeve.db";
pub(crate) const KEYS: &str = "vault.key";

const ANY_DATA_DIR: &str = "<data_dir>";
const PRESET_EXAMPLE: &str = r#"{"reports": {"description": "Files in the folder Reports of any user", "webhooks": [{"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "event_filter": {"event.node.path": "/^\\/[^\\/]+\\/files\\/Reports\\//"}}]}}"#;
/// No default and no example: nobody should copy a secret from a page.
const NO_SECRET: Fallback = none("");

#[derive(Debug)]
pub(crate) struct Setting {
    /// The TOML key; the flag is the same with hyphens.
    pub(crate) key: &'static str,
    pub(crate) env: &'static str,
    pub(crate) notation: Notation,
    pub(crate) fallback: Fallback,
    pub(crate) takes_effect: Effect,
    groups: &'static [Group],
    /// Its meaning, in one sentence.
    pub(crate) help: &'static str,
    /// Checks a text; an error describes why it is invalid.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

#[derive(Debug)]
pub(crate) struct Typed<T: 'static> {
    pub(crate) setting: Setting,
    /// Parses a text. An error says what would be valid, and contains nothing of a secret.
    pub(crate) read: fn(&str) -> Result<T, String>,
}

/// When a change takes effect in a running gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// When the settings are reloaded, on SIGHUP.
    AtReload,
    AtRestart,
}

/// The readers of a setting besides `serve` and `check-config`, which read all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// Commands that find the running gateway.
    Healthcheck,
    Tls,
    /// The client of the groupware server.
    Server,
    /// The store of credentials, and its keys.
    Vault,
    /// Everything that opens a PostgreSQL database.
    Postgres,
    Tokens,
    Verifiers,
    /// The commands that identify a person.
    Person,
    /// The commands that change something.
    Audit,
    Deliveries,
    Forward,
    /// `init`, which asks for them or takes them as flags, and writes them to the file.
    Init,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Fallback {
    /// This value, parsed like a given one.
    Value(&'static str),
    /// The file of this name in the data directory, with `prefix` before its path.
    DataFile {
        prefix: &'static str,
        name: &'static str,
    },
    Words {
        text: &'static str,
        example: &'static str,
    },
}

/// Defines a constant for each row, and `ALL` with all rows in order.
macro_rules! settings {
    ($($name:ident: $type:ty = $key:literal, $syntax:expr, $fallback:expr, $effect:ident, [$($group:ident),*], $help:literal;)*) => {
        $(pub(crate) const $name: &Typed<$type> = &{
            const SYNTAX: Syntax<$type> = $syntax;
            Typed {
                setting: Setting {
                    key: $key,
                    env: settings!(@env $name),
                    notation: SYNTAX.0,
                    fallback: $fallback,
                    takes_effect: Effect::$effect,
                    groups: &[$(Group::$group),*],
                    help: $help,
                    check: |text| (SYNTAX.1)(text).map(drop),
                },
                read: SYNTAX.1,
            }
        };)*

        /// All settings, in the order of `--help` and `check-config`.
        pub(crate) const ALL: &[&Setting] = &[$(&$name.setting),*];
    };
    // The variables that are shared with front ends.
    (@env WEBHOOK_SECRET) => { "WEBHOOK_SECRET" };
    (@env WEBHOOK_SECRET_PREVIOUS) => { "WEBHOOK_SECRET_PREVIOUS" };
    (@env MCP_SERVER_API_KEY) => { "MCP_SERVER_API_KEY" };
    (@env $name:ident) => { concat!("PORTREEVE_", stringify!($name)) };
}

settings! {
    LISTEN: Vec<Listen> = "listen", Syntax(List("ADDRESSES"), listen::addresses), Fallback::Value("127.0.0.1:8000"), AtRestart, [Healthcheck, Init, Deliveries],
        "Where to listen: IP addresses with a port, and unix:/path for unix sockets; sockets passed by systemd replace these";
    UNIX_SOCKET_MODE: u32 = "unix_socket_mode", Syntax(Value("MODE"), parse::unix_mode), Fallback::Value("0660"), AtRestart, [],
        "The file mode of the unix sockets in listen, which decides who may connect";
    TLS_CERT: PathBuf = "tls_cert", FILE, words("none: plain HTTP", "/etc/portreeve/tls.pem"), AtReload, [Healthcheck, Tls, Deliveries],
        "PEM file with the gateway's certificate and its chain, for all addresses except unix sockets";
    TLS_KEY: PathBuf = "tls_key", FILE, none("/etc/portreeve/tls.key"), AtReload, [Healthcheck, Tls],
        "PEM file with the private key of that certificate";
    TLS_CLIENT_CA: PathBuf = "tls_client_ca", FILE, none("/etc/portreeve/clients.pem"), AtReload, [Healthcheck, Tls],
        "PEM file with certificate authorities: only clients with a certificate from one of them are admitted, also to the probes";
    GROUPWARE_URL: HttpUrl = "groupware_url", Syntax(Value("URL"), parse::base_url), none("https://cloud.example.org"), AtRestart, [Server, Init],
        "The address of Nextcloud, with its path prefix if it has one; without this setting, the endpoints that need it answer 500";
    GROUPWARE_PUBLIC_URL: HttpUrl = "groupware_public_url", Syntax(Value("URL"), parse::base_url), words("the address that the server reports", "https://cloud.example.org"), AtReload, [Forward],
        "Nextcloud's address for browsers, for the page on which users grant app passwords";
    GROUPWARE_TIMEOUT: Duration = "groupware_timeout", DURATION, Fallback::Value("30s"), AtReload, [Server],
        "Time limit of one call to Nextcloud: connecting, headers and body together";
    GROUPWARE_CA: PathBuf = "groupware_ca", FILE, none("/etc/portreeve/ca.pem"), AtReload, [Server, Verifiers, Init],
        "PEM file with certificates to trust in addition to the system's, for Nextcloud and the identity provider";
    ALLOW_PLAIN_HTTP: bool = "allow_plain_http", SWITCH, Fallback::Value("false"), AtReload, [Server, Verifiers, Init],
        "Allow plain HTTP to Nextcloud and the identity provider beyond loopback: app passwords and tokens can then be read in transit, and signing keys forged";
    DATA_DIR: PathBuf = "data_dir", Syntax(Value("DIR"), parse::path), words("the platform's state directory", "/var/lib/portreeve"), AtRestart, [Vault, Init],
        "The directory of the database and the key file";
    DATABASE_URL: Database = "database_url", Syntax(Value("URL"), database::parse), data_file("sqlite:", DATABASE), AtRestart, [Vault],
        "The database of stored credentials: sqlite: with a path, or postgres://user@host/database for several gateways";
    DATABASE_PASSWORD: SecretString = "database_password", SECRET, NO_SECRET, AtRestart, [Vault, Postgres],
        "The password of a PostgreSQL database; if unset, it is looked up in the file that PGPASSFILE names, or in ~/.pgpass";
    DATABASE_CONNECTIONS: usize = "database_connections", count::<1, 1000>(), Fallback::Value("8"), AtRestart, [Vault, Postgres],
        "Maximum connections of one gateway to a PostgreSQL database, not counting the one that listens for changes";
    DATABASE_TIMEOUT: Duration = "database_timeout", DURATION, Fallback::Value("5s"), AtRestart, [Vault, Postgres],
        "Time limit of one operation on a PostgreSQL database, including the wait for a free connection";
    KEY_FILE: PathBuf = "key_file", FILE, data_file("", KEYS), AtRestart, [Vault],
        "The keys that encrypt the credentials, one base64 key of 32 bytes per line; the first one encrypts, all decrypt; created at first use";
    ENCRYPTION_KEYS: SecretString = "encryption_keys", Syntax(Secret, parse::keys), NO_SECRET, AtReload, [Vault],
        "Base64 keys of 32 bytes, separated by commas; the first one encrypts, all decrypt; overrides key_file";
    TOKENS_FILE: PathBuf = "tokens_file", FILE, none("/var/lib/portreeve/tokens"), AtReload, [Tokens, Verifiers, Init],
        "Digests of the static tokens, written by `portreeve token new`";
    ISSUER: String = "issuer", Syntax(Value("URL"), parse::issuer), none("https://id.example.org/realms/office"), AtReload, [Verifiers, Person, Init],
        "The OpenID provider whose JWT access tokens are accepted: exactly the value of `iss`";
    AUDIENCE: Vec<String> = "audience", Syntax(List("AUDIENCES"), parse::names), none("portreeve"), AtReload, [Verifiers, Init],
        "Accept only tokens with one of these as `aud`; an issuer and introspection need this or allowed_client";
    ALLOWED_CLIENT: Vec<String> = "allowed_client", Syntax(List("CLIENTS"), parse::names), none("settings-app,workflows"), AtReload, [Verifiers, Init],
        "Accept only tokens issued to one of these clients (`client_id`, `appid`, `azp`); with audience set, both must match";
    USER_CLAIM: String = "user_claim", Syntax(Value("NAME"), parse::text), Fallback::Value("sub"), AtReload, [Verifiers],
        "The claim from which `account` derives the Nextcloud account id; it must be one that users cannot change, unlike preferred_username and email at many providers";
    ACCOUNT: Option<AccountRule> = "account", Syntax(Value("RULE"), parse::account_rule), Fallback::Value("claim"), AtReload, [],
        "How the Nextcloud account id is derived from user_claim: claim (unchanged), user_oidc:<provider id> (the hash of Nextcloud's app user_oidc), user_oidc_name:<identifier> (its provider-based ids), or bound (the account that `portreeve accounts` has bound to issuer and subject); static tokens name the user id themselves";
    ACCOUNT_BINDING: BindingPolicy = "account_binding", one_of!("off" => BindingPolicy::Operator, "login-flow" => BindingPolicy::LoginFlow), Fallback::Value("off"), AtReload, [],
        "With account = bound, let a person without an account start a login flow, and bind them to the account that grants it: anybody with a token can then send the grant page to others and be bound to the account of whoever grants it";
    REQUIRED_SCOPE: Vec<String> = "required_scope", Syntax(List("SCOPES"), parse::scopes), none("webhooks"), AtReload, [Verifiers],
        "Accept only tokens with all of these scopes";
    INTROSPECTION_URL: HttpUrl = "introspection_url", Syntax(Value("URL"), parse::endpoint), words("the one that the issuer announces, if introspection_client_id is set", "https://id.example.org/introspect"), AtReload, [Verifiers],
        "The introspection endpoint for other tokens (RFC 7662); never on Nextcloud";
    INTROSPECTION_CLIENT_ID: String = "introspection_client_id", Syntax(Value("ID"), parse::text), none("portreeve"), AtReload, [Verifiers],
        "The client id for introspection requests";
    INTROSPECTION_CLIENT_SECRET: SecretString = "introspection_client_secret", SECRET, NO_SECRET, AtReload, [Verifiers],
        "The secret of that client";
    TOKEN_CACHE_TTL: Duration = "token_cache_ttl", Syntax(Value("DURATION"), parse::cache_ttl), Fallback::Value("60s"), AtReload, [Verifiers],
        "How long a verified token is remembered, at most until it expires; a revoked one may be accepted for that long";
    TOKEN_CACHE_SIZE: usize = "token_cache_size", count::<0, 10_000_000>(), Fallback::Value("10000"), AtReload, [Verifiers],
        "How many verified tokens are remembered";
    ADMIN_SCOPE: String = "admin_scope", Syntax(Value("SCOPE"), parse::admin_scope), none("portreeve:admin"), AtReload, [],
        "Only a token with this scope makes its caller an administrator; if unset, membership of Nextcloud's group admin does";
    ADMIN_REVEAL: bool = "admin_reveal", SWITCH, Fallback::Value("false"), AtReload, [],
        "Let administrators read the stored app password of a user; each time is recorded in the audit log";
    REFUSED_RETRY: Duration = "refused_retry", DURATION, Fallback::Value("30m"), AtRestart, [],
        "Time after which a stored app password that Nextcloud refused is tried again, once";
    REFUSED_LOGIN_BUDGET: Option<usize> = "refused_login_budget", Syntax(Value("N"), parse::refused_login_budget), Fallback::Value("5"), AtRestart, [],
        "Maximum HTTP Basic logins that Nextcloud may refuse within 30 minutes, for all users together: it blocks this address after 11, and further logins use bearer tokens; at most 10, or unlimited for a Nextcloud with this address on its allow-list";
    GROUPWARE_BEARER: BearerLogins = "groupware_bearer", one_of!("auto" => BearerLogins::Auto, "off" => BearerLogins::Off), Fallback::Value("auto"), AtRestart, [Server],
        "Whether app passwords are also sent to Nextcloud as bearer tokens, which it does not count; set it to off for a Nextcloud that passes bearer tokens on (user_oidc with userinfo validation)";
    WEBHOOK_SECRET: SecretString = "webhook_secret", SECRET, NO_SECRET, AtReload, [Deliveries],
        "The secret from which the credentials of webhook deliveries are derived";
    WEBHOOK_SECRET_PREVIOUS: SecretString = "webhook_secret_previous", SECRET, NO_SECRET, AtReload, [Deliveries],
        "The former webhook_secret: deliveries with its credentials are accepted, too, until each preset is registered with the new one";
    WEBHOOK_AUTH: WebhookAuth = "webhook_auth", one_of!("derived" => WebhookAuth::Derived, "shared" => WebhookAuth::Shared), Fallback::Value("derived"), AtReload, [Deliveries],
        "Whether each destination gets its own derived credential, or the listed origins get the secret itself";
    WEBHOOK_SHARED_ORIGINS: Vec<SharedOrigin> = "webhook_shared_origins", Syntax(List("ORIGINS"), parse::shared_origins), none("https://hooks.example.org"), AtReload, [Deliveries],
        "Origins that get the secret itself with webhook_auth = shared, such as https://hooks.example.org";
    TRUSTED_EVENT_CLASSES: EventClasses = "trusted_event_classes", Syntax(List("CLASSES"), parse::event_classes), none(r"OCA\Approval\Events\ApprovedEvent"), AtReload, [],
        r"Event classes beyond the known ones, such as OCA\Approval\Events\ApprovedEvent, whose filters are not checked against what the events contain, and whose events go to whoever causes them";
    UNBOUNDED_WEBHOOKS: UnboundedWebhooks = "unbounded_webhooks", one_of!("warn" => UnboundedWebhooks::Warn, "refuse" => UnboundedWebhooks::Refuse), Fallback::Value("warn"), AtReload, [],
        "What to do with a webhook whose deliveries can be too large for Nextcloud, which makes its users' writes fail: warn in the answer, or refuse it";
    WEBHOOK_PRESETS: String = "webhook_presets", Syntax(Tables("JSON"), parse::text), words("the built-in ones", PRESET_EXAMPLE), AtReload, [],
        "Your own webhook presets by name, added to the built-in ones or replacing them: tables [webhook_presets.NAME] in the file, JSON elsewhere";
    DELIVERIES: bool = "deliveries", SWITCH, Fallback::Value("false"), AtRestart, [Deliveries],
        "Receive the deliveries of webhooks, store them, and send them to the targets of users, with retries and signatures; needs webhook_secret";
    DELIVERY_NETWORKS: Vec<IpNet> = "delivery_networks", Syntax(List("NETWORKS"), parse::networks), none("192.168.1.0/24"), AtRestart, [Deliveries],
        "Networks beyond the public internet to which deliveries may be sent, also without TLS, such as 192.168.1.0/24";
    DELIVERIES_KEEP: Duration = "deliveries_keep", DURATION, Fallback::Value("7d"), AtRestart, [Deliveries],
        "How long a delivery is kept after it was received, sent or not";
    DELIVERIES_MAX: u64 = "deliveries_max", Syntax(Value("SIZE"), parse::large_size), Fallback::Value("10 GiB"), AtRestart, [Deliveries],
        "Maximum size of all stored deliveries: then the account with most gives up its oldest";
    MCP_SERVER_API_KEY: SecretString = "mcp_server_api_key", Syntax(Secret, parse::shared_key), NO_SECRET, AtReload, [],
        "The key that every call must carry as X-API-Key; the front end Astrolabe never sends it";
    PUBLIC_URL: HttpUrl = "public_url", Syntax(Value("URL"), parse::base_url), none("https://portreeve.example.org"), AtReload, [Deliveries, Forward],
        "The gateway's address for callers; if set, they can find out without a token who issues tokens (RFC 9728); also the address to which deliveries are sent";
    PUBLIC_STATUS: bool = "public_status", SWITCH, Fallback::Value("true"), AtReload, [],
        "Whether to answer GET /api/v1/status, which needs no token";
    FORWARD: Scopes = "forward", Syntax(List("FAMILIES"), parse::opened), none("notes,calendar.read"), AtReload, [Forward],
        "The APIs of Nextcloud that are forwarded for tokens with their scopes: notes, calendar, contacts, files, tables, deck, cookbook, sharing, news, mail, talk, collectives; with .read or .write at the end only that";
    FORWARD_SCOPE_PREFIX: String = "forward_scope_prefix", Syntax(Value("TEXT"), parse::scope_prefix), none("https://cloud.example.org/"), AtReload, [Forward],
        "What the identity provider puts before the scopes of forward and operation_scopes; scopes without it count, too";
    OPERATION_SCOPES: bool = "operation_scopes", SWITCH, Fallback::Value("false"), AtReload, [],
        "Whether the gateway's own operations need scopes of the token, too: apps.read, webhooks.read, webhooks.write, credentials.read, credentials.write, deliveries.read, deliveries.write";
    PAGE: bool = "page", SWITCH, Fallback::Value("false"), AtReload, [],
        "Serve a page for people at /ui/; needs public_url and, with an issuer, page_client_id";
    PAGE_CLIENT_ID: String = "page_client_id", Syntax(Value("ID"), parse::text), none("portreeve-page"), AtReload, [],
        "The public client of the page at the issuer; its redirect URI is public_url and /ui/";
    PAGE_SCOPE: Vec<String> = "page_scope", Syntax(List("SCOPES"), parse::scopes), Fallback::Value("openid"), AtReload, [],
        "The scopes that the page asks for";
    FORWARD_CLIENT_ADDRESS: bool = "forward_client_address", SWITCH, Fallback::Value("false"), AtReload, [],
        "Send the caller's address to Nextcloud as X-Forwarded-For";
    TRUSTED_PROXIES: ClientAddress = "trusted_proxies", Syntax(List("NETWORKS"), parse::trusted_proxies), none("10.0.0.0/8"), AtReload, [],
        "Proxies in front of this gateway whose X-Forwarded-For is trusted, such as 10.0.0.0/8; unix: for those on a unix socket";
    MAX_IN_FLIGHT: usize = "max_in_flight", count::<1, 1_000_000>(), Fallback::Value("1024"), AtRestart, [],
        "Maximum requests in flight; further ones get 503";
    MAX_IN_FLIGHT_PER_CALLER: usize = "max_in_flight_per_caller", count::<1, 1_000_000>(), Fallback::Value("64"), AtRestart, [],
        "Maximum requests in flight of one user; further ones get 429";
    REQUEST_TIMEOUT: Duration = "request_timeout", DURATION, Fallback::Value("60s"), AtReload, [],
        "Time limit of one request, which then gets 504";
    MAX_BODY: usize = "max_body", Syntax(Value("SIZE"), parse::size), Fallback::Value("64 KiB"), AtReload, [],
        "Maximum size of a request body; larger ones get 413";
    MAX_CONNECTIONS: usize = "max_connections", count::<1, 1_000_000>(), Fallback::Value("4096"), AtRestart, [],
        "Maximum open connections; for a further one, the one idle longest is closed";
    MAX_CONNECTIONS_PER_ADDRESS: usize = "max_connections_per_address", count::<1, 1_000_000>(), none("64"), AtRestart, [],
        "Maximum open connections from one address; further ones are closed; leave it unset behind a proxy, whose address all connections have";
    IDLE_TIMEOUT: Duration = "idle_timeout", DURATION, Fallback::Value("75s"), AtRestart, [],
        "Time after which an idle connection is closed, whether its client sends pings or not";
    MAX_CONNECTION_AGE: Duration = "max_connection_age", DURATION, none("1h"), AtRestart, [],
        "Age at which a connection is closed, once its requests are answered";
    HEAD_TIMEOUT: Duration = "head_timeout", DURATION, Fallback::Value("10s"), AtRestart, [],
        "Time limit for the head of a request to arrive, once it has begun";
    STALL_TIMEOUT: Duration = "stall_timeout", DURATION, Fallback::Value("30s"), AtRestart, [],
        "Time after which the connection of a client that accepts no data of its answer is closed, and a forwarded call is ended whose body stands still";
    METRICS_LISTEN: SocketAddr = "metrics_listen", Syntax(Value("ADDRESS"), parse::address), none("127.0.0.1:9090"), AtRestart, [],
        "Address and port of the operator's listener: /metrics for Prometheus, /openapi.json, /healthz and /readyz; if unset, there are no metrics";
    AUDIT_LOG: PathBuf = "audit_log", FILE, none("/var/log/portreeve/audit.log"), AtRestart, [Audit],
        "File to which audit lines are appended as JSON, in addition to the log; SIGHUP reopens it";
    LOG_FORMAT: LogFormat = "log_format", one_of!("text" => LogFormat::Text, "json" => LogFormat::Json), Fallback::Value("text"), AtRestart, [],
        "The format of log lines";
    LOG_LEVEL: String = "log_level", Syntax(Value("FILTER"), parse::text), Fallback::Value("info"), AtReload, [],
        "Which log lines are written: a level, and levels for single modules, such as info,portreeve::identity=debug; RUST_LOG overrides it";
}

/// The settings of `groups`, in that order.
pub(crate) fn of(groups: &[Group]) -> impl Iterator<Item = &'static Setting> {
    let of_group = |group| ALL.iter().copied().filter(move |it| it.is_in(group));
    groups.iter().copied().flat_map(of_group)
}

// === impl Typed ===

impl<T> Deref for Typed<T> {
    type Target = Setting;

    fn deref(&self) -> &Setting {
        &self.setting
    }
}

// === impl Setting ===

impl Setting {
    /// `--listen`; `None` for a secret.
    pub(crate) fn flag(&self) -> Option<String> {
        (self.notation != Notation::Secret).then(|| format!("--{}", self.key.replace('_', "-")))
    }

    pub(crate) fn is_in(&self, group: Group) -> bool {
        self.groups.contains(&group)
    }

    /// Whether it is allowed in the TOML file. The keys that seal the credentials are not, since such files are copied,
    /// shown and kept under version control.
    pub(crate) fn is_in_toml(&self) -> bool {
        self.key != ENCRYPTION_KEYS.key
    }

    pub(crate) fn default(&self, data_dir: Option<&str>) -> Cow<'static, str> {
        match (self.fallback, data_dir) {
            (Fallback::Words { .. }, Some(dir)) if self.key == DATA_DIR.key => {
                dir.to_owned().into()
            }
            (Fallback::Words { text, .. } | Fallback::Value(text), _) => text.into(),
            (Fallback::DataFile { prefix, name }, dir) => {
                format!("{prefix}{}/{name}", dir.unwrap_or(ANY_DATA_DIR)).into()
            }
        }
    }
}

const fn data_file(prefix: &'static str, name: &'static str) -> Fallback {
    Fallback::DataFile { prefix, name }
}

const fn words(text: &'static str, example: &'static str) -> Fallback {
    Fallback::Words { text, example }
}

const fn none(example: &'static str) -> Fallback {
    words("none", example)
}
