//! The table of the settings: each is described here and nowhere else.
//!
//! A row says how a setting is written and what its texts mean, so that each can be checked by itself,
//! used or not; what applies without it; when a change takes effect; and which commands read it. The
//! command line, the environment, the TOML file, `check-config`, the error messages, SIGHUP and
//! docs/CONFIGURATION.md are all made from it.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use portreeve::gateway::{BearerLogins, Binding, PublicUrl, UnboundedWebhooks};
use portreeve::groupware::{BaseUrl, EventClasses, SharedOrigin};
use secrecy::SecretString;

use super::address::{self, Listen};
use super::database::{self, Database};
use super::parse::{self, AccountSetting, LogFormat, TrustedProxies, WebhookAuth};
use super::syntax::{
    DURATION, FILE, Kind, SECRET, SWITCH, Syntax, count, list, one_of, secret, tables, value,
};

/// The file of the database in the data directory.
pub(crate) const DATABASE: &str = "portreeve.db";
/// The file of the keys in the data directory.
pub(crate) const KEYS: &str = "vault.key";

/// What stands for the data directory if it is not known.
const ANY_DATA_DIR: &str = "<data_dir>";
/// A preset as an example.
const PRESET_EXAMPLE: &str = r#"{"reports": {"description": "Files in the folder Reports of any user", "webhooks": [{"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent", "event_filter": {"event.node.path": "/^\\/[^\\/]+\\/files\\/Reports\\//"}}]}}"#;
/// Nothing, and no example: no secret is to be copied from a page.
const NO_SECRET: Fallback = none("");

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The TOML key; the flag is the same with hyphens.
    pub(crate) key: &'static str,
    /// The environment variable.
    pub(crate) env: &'static str,
    pub(crate) kind: Kind,
    /// What applies if it is not set.
    pub(crate) fallback: Fallback,
    pub(crate) takes_effect: Effect,
    groups: &'static [Group],
    /// What it means, in one sentence.
    pub(crate) help: &'static str,
    /// Whether a text is a value of it; what is wrong with it, if not.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

/// A setting whose texts stand for values of `T`.
#[derive(Debug)]
pub(crate) struct Typed<T: 'static> {
    pub(crate) setting: Setting,
    read: fn(&str) -> Result<T, String>,
}

/// When a change takes effect in a gateway that serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// When the settings are read again, on SIGHUP.
    AtReload,
    AtRestart,
}

/// What reads a setting besides `serve` and `check-config`, which read all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// What finds the gateway that serves.
    Healthcheck,
    /// TLS on the listeners.
    Tls,
    /// The client of the groupware server.
    Server,
    /// The store of credentials, and its keys.
    Vault,
    /// What holds for any PostgreSQL database.
    Postgres,
    /// The commands on static tokens.
    Tokens,
    /// The verifiers of tokens.
    Verifiers,
    /// The commands that name a person.
    Person,
    /// The commands that change something.
    Audit,
    /// What `init` asks for, or takes as flags, and writes down.
    Init,
}

/// What applies if a setting is not set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fallback {
    /// This value, read as if it were written.
    Value(&'static str),
    /// The file of this name in the data directory, with `prefix` before its path.
    DataFile {
        prefix: &'static str,
        name: &'static str,
    },
    /// What the text says.
    Words {
        text: &'static str,
        /// A value as an example.
        example: &'static str,
    },
}

/// Makes a constant of each row, and `ALL` of all rows in their order.
macro_rules! settings {
    ($($name:ident: $type:ty = $key:literal, $syntax:expr, $fallback:expr, $effect:ident, [$($group:ident),*], $help:literal;)*) => {
        $(pub(crate) const $name: &Typed<$type> = &{
            const SYNTAX: Syntax<$type> = $syntax;
            Typed {
                setting: Setting {
                    key: $key,
                    env: settings!(@env $name),
                    kind: SYNTAX.kind,
                    fallback: $fallback,
                    takes_effect: Effect::$effect,
                    groups: &[$(Group::$group),*],
                    help: $help,
                    check: |text| (SYNTAX.read)(text).map(drop),
                },
                read: SYNTAX.read,
            }
        };)*

        /// All settings, in the order in which `--help` and `check-config` show them.
        pub(crate) const ALL: &[&Setting] = &[$(&$name.setting),*];
    };
    // The names that front ends share.
    (@env WEBHOOK_SECRET) => { "WEBHOOK_SECRET" };
    (@env MCP_SERVER_API_KEY) => { "MCP_SERVER_API_KEY" };
    (@env $name:ident) => { concat!("PORTREEVE_", stringify!($name)) };
}

settings! {
    LISTEN: Vec<Listen> = "listen", list("ADDRESSES", address::addresses), Fallback::Value("127.0.0.1:8000"), AtRestart, [Healthcheck, Init],
        "Where to listen: IP addresses with a port, and unix:/path for unix sockets; sockets handed over by systemd take its place";
    UNIX_SOCKET_MODE: u32 = "unix_socket_mode", value("MODE", parse::unix_mode), Fallback::Value("0660"), AtRestart, [],
        "Who may connect to the unix sockets of listen: the mode of their files";
    TLS_CERT: PathBuf = "tls_cert", FILE, words("none: plain HTTP", "/etc/portreeve/tls.pem"), AtReload, [Healthcheck, Tls],
        "PEM file with the certificate that callers see, and the chain up to its authority; for all addresses but unix sockets";
    TLS_KEY: PathBuf = "tls_key", FILE, none("/etc/portreeve/tls.key"), AtReload, [Healthcheck, Tls],
        "PEM file with the private key of that certificate";
    TLS_CLIENT_CA: PathBuf = "tls_client_ca", FILE, none("/etc/portreeve/clients.pem"), AtReload, [Healthcheck, Tls],
        "PEM file with certificate authorities: only clients with a certificate of one of them get in, also to the probes";
    GROUPWARE_URL: BaseUrl = "groupware_url", value("URL", parse::parsed), none("https://cloud.example.org"), AtRestart, [Server, Init],
        "The groupware server, with its path prefix if it has one; without it the endpoints that need it answer 500";
    GROUPWARE_PUBLIC_URL: BaseUrl = "groupware_public_url", value("URL", parse::parsed), words("what the server says of itself", "https://cloud.example.org"), AtReload, [],
        "How browsers reach the groupware server, for the page on which users grant app passwords";
    GROUPWARE_TIMEOUT: Duration = "groupware_timeout", DURATION, Fallback::Value("30s"), AtReload, [Server],
        "Time for one call of the groupware server: connect, headers and body together";
    GROUPWARE_CA: PathBuf = "groupware_ca", FILE, none("/etc/portreeve/ca.pem"), AtReload, [Server, Verifiers, Init],
        "PEM file with certificates to trust besides the system's, for the groupware server and the identity provider";
    ALLOW_PLAIN_HTTP: bool = "allow_plain_http", SWITCH, Fallback::Value("false"), AtReload, [Server, Verifiers, Init],
        "Reach the groupware server and the identity provider over plain HTTP, not only on loopback: app passwords and tokens can then be read on the way, and signing keys forged";
    DATA_DIR: PathBuf = "data_dir", value("DIR", parse::path), words("the platform's state directory", "/var/lib/portreeve"), AtRestart, [Vault, Init],
        "Where the database and the key file lie";
    DATABASE_URL: Database = "database_url", value("URL", database::parse), data_file("sqlite:", DATABASE), AtRestart, [Vault],
        "The database of stored credentials: sqlite: and a path, or postgres://user@host/database for several gateways";
    DATABASE_PASSWORD: SecretString = "database_password", SECRET, NO_SECRET, AtRestart, [Vault, Postgres],
        "The password of a PostgreSQL database; without it the file that PGPASSFILE names is looked through, or ~/.pgpass";
    DATABASE_CONNECTIONS: usize = "database_connections", count::<1, 1000>(), Fallback::Value("8"), AtRestart, [Vault, Postgres],
        "Connections of one gateway to a PostgreSQL database at once, besides the one that listens for changes";
    DATABASE_TIMEOUT: Duration = "database_timeout", DURATION, Fallback::Value("5s"), AtRestart, [Vault, Postgres],
        "Time for one operation of a PostgreSQL database, the wait for a free connection included";
    KEY_FILE: PathBuf = "key_file", FILE, data_file("", KEYS), AtRestart, [Vault],
        "The keys that seal the credentials, one base64 key of 32 bytes a line; the first one seals, all open; made at first use";
    ENCRYPTION_KEYS: SecretString = "encryption_keys", secret(parse::keys), NO_SECRET, AtReload, [Vault],
        "Base64 keys of 32 bytes, separated by commas; the first one seals, all open; beats key_file";
    TOKENS_FILE: PathBuf = "tokens_file", FILE, none("/etc/portreeve/tokens"), AtReload, [Tokens, Verifiers, Init],
        "Digests of the static tokens, written by `portreeve token new`";
    ISSUER: String = "issuer", value("URL", parse::text), none("https://id.example.org/realms/office"), AtReload, [Verifiers, Person, Init],
        "The OpenID provider whose JWT access tokens are taken: its `iss` to the letter";
    AUDIENCE: Vec<String> = "audience", list("AUDIENCES", parse::names), none("portreeve"), AtReload, [Verifiers, Init],
        "Take tokens with one of these as `aud`; an issuer and introspection need this or allowed_client";
    ALLOWED_CLIENT: Vec<String> = "allowed_client", list("CLIENTS", parse::names), none("settings-app,workflows"), AtReload, [Verifiers, Init],
        "Take tokens that one of these clients got (`client_id`, `azp`); with an audience, both must fit";
    USER_CLAIM: String = "user_claim", value("NAME", parse::text), Fallback::Value("sub"), AtReload, [Verifiers],
        "The claim from which `account` makes the groupware user id; it must be one that users cannot change, as they can preferred_username and email at many providers";
    ACCOUNT: AccountSetting = "account", value("RULE", parse::account_setting), Fallback::Value("claim"), AtReload, [],
        "How the groupware user id is made of user_claim: claim (as it is), user_oidc:<provider id> (the hash of Nextcloud's app user_oidc), user_oidc_name:<identifier> (its provider-based ids), or bound (what `portreeve accounts` holds for issuer and subject); static tokens name the user id themselves";
    ACCOUNT_BINDING: Binding = "account_binding", one_of!("off" => Binding::Operator, "login-flow" => Binding::LoginFlow), Fallback::Value("off"), AtReload, [],
        "Where account is bound, let a person without an account start a login flow, and bind them to the account that grants it: whoever has a token can then send others the grant page and get the account of somebody who grants";
    REQUIRED_SCOPE: Vec<String> = "required_scope", list("SCOPES", parse::scopes), none("webhooks"), AtReload, [Verifiers],
        "Take tokens with all of these scopes";
    INTROSPECTION_URL: String = "introspection_url", value("URL", parse::endpoint), words("what the issuer tells, where introspection_client_id is set", "https://id.example.org/introspect"), AtReload, [Verifiers],
        "Where other tokens are introspected (RFC 7662); never on the groupware server";
    INTROSPECTION_CLIENT_ID: String = "introspection_client_id", value("ID", parse::text), none("portreeve"), AtReload, [Verifiers],
        "The client as which tokens are introspected";
    INTROSPECTION_CLIENT_SECRET: SecretString = "introspection_client_secret", SECRET, NO_SECRET, AtReload, [Verifiers],
        "The secret of that client";
    TOKEN_CACHE_TTL: Duration = "token_cache_ttl", value("DURATION", parse::cache_ttl), Fallback::Value("60s"), AtReload, [Verifiers],
        "How long a verified token is remembered, at most until it expires; so long may a revoked one still be taken";
    TOKEN_CACHE_SIZE: usize = "token_cache_size", count::<0, 10_000_000>(), Fallback::Value("10000"), AtReload, [Verifiers],
        "How many verified tokens are remembered";
    ADMIN_SCOPE: String = "admin_scope", value("SCOPE", parse::admin_scope), none("portreeve:admin"), AtReload, [],
        "A token with this scope, and nothing else, makes an administrator; without it the groupware server's group admin does";
    ADMIN_REVEAL: bool = "admin_reveal", SWITCH, Fallback::Value("false"), AtReload, [],
        "Let administrators see the stored app password of a user; each time is an audit line in the log";
    REFUSED_RETRY: Duration = "refused_retry", DURATION, Fallback::Value("30m"), AtRestart, [],
        "Time after which a stored app password that the groupware server refused is tried once more";
    REFUSED_LOGIN_BUDGET: usize = "refused_login_budget", value("N", parse::refused_login_budget), Fallback::Value("5"), AtRestart, [],
        "The most logins by HTTP Basic that the groupware server may refuse and count within 30 minutes, of all users together: it shuts this address out after 11, and logins go by bearer token in between; 10 at most";
    GROUPWARE_BEARER: BearerLogins = "groupware_bearer", one_of!("auto" => BearerLogins::Auto, "off" => BearerLogins::Off), Fallback::Value("auto"), AtRestart, [Server],
        "Whether app passwords are sent to the groupware server as bearer tokens, which it does not count; off for a server that shows bearer tokens to others (user_oidc with userinfo validation)";
    WEBHOOK_SECRET: SecretString = "webhook_secret", SECRET, NO_SECRET, AtReload, [],
        "The secret from which webhook deliveries get their credential";
    WEBHOOK_AUTH: WebhookAuth = "webhook_auth", one_of!("derived" => WebhookAuth::Derived, "shared" => WebhookAuth::Shared), Fallback::Value("derived"), AtReload, [],
        "Give each destination a credential of its own, or the secret itself to the listed origins";
    WEBHOOK_SHARED_ORIGINS: Vec<SharedOrigin> = "webhook_shared_origins", list("ORIGINS", parse::shared_origins), none("https://hooks.example.org"), AtReload, [],
        "Origins that get the secret itself where webhook_auth is shared, such as https://hooks.example.org";
    TRUSTED_EVENT_CLASSES: EventClasses = "trusted_event_classes", list("CLASSES", parse::event_classes), none(r"OCA\Approval\Events\ApprovedEvent"), AtReload, [],
        r"Event classes beyond the known ones, such as OCA\Approval\Events\ApprovedEvent, whose filters are not judged by what the events hold";
    UNBOUNDED_WEBHOOKS: UnboundedWebhooks = "unbounded_webhooks", one_of!("warn" => UnboundedWebhooks::Warn, "refuse" => UnboundedWebhooks::Refuse), Fallback::Value("warn"), AtRestart, [],
        "What becomes of a webhook whose deliveries can be too large for the groupware server, so that what its users write is lost: warn in the answer, or refuse it";
    WEBHOOK_PRESETS: String = "webhook_presets", tables("JSON", parse::text), words("those that are built in", PRESET_EXAMPLE), AtReload, [],
        "Presets of webhooks of your own, by name, besides those that are built in or in their place: tables [webhook_presets.NAME] in the file, JSON elsewhere";
    MCP_SERVER_API_KEY: SecretString = "mcp_server_api_key", secret(parse::shared_key), NO_SECRET, AtReload, [],
        "The key that every call must carry as X-API-Key; the front end Astrolabe never sends it";
    PUBLIC_URL: PublicUrl = "public_url", value("URL", parse::parsed), none("https://hooks.example.org"), AtReload, [],
        "How callers reach this gateway; with it they can ask, without a token, who issues tokens (RFC 9728)";
    PUBLIC_STATUS: bool = "public_status", SWITCH, Fallback::Value("true"), AtReload, [],
        "Answer GET /api/v1/status, which needs no token";
    FORWARD_CLIENT_ADDRESS: bool = "forward_client_address", SWITCH, Fallback::Value("false"), AtReload, [],
        "Tell the groupware server the caller's address as X-Forwarded-For";
    TRUSTED_PROXIES: TrustedProxies = "trusted_proxies", list("NETWORKS", parse::trusted_proxies), none("10.0.0.0/8"), AtReload, [],
        "Proxies before this gateway whose X-Forwarded-For is believed, such as 10.0.0.0/8; unix: for those that come over a unix socket";
    MAX_IN_FLIGHT: usize = "max_in_flight", count::<1, 1_000_000>(), Fallback::Value("1024"), AtRestart, [],
        "Requests under way at once; more are answered 503";
    MAX_IN_FLIGHT_PER_CALLER: usize = "max_in_flight_per_caller", count::<1, 1_000_000>(), Fallback::Value("64"), AtRestart, [],
        "Requests of one user under way at once; more are answered 429";
    REQUEST_TIMEOUT: Duration = "request_timeout", DURATION, Fallback::Value("60s"), AtReload, [],
        "Time for one request, then it is answered 504";
    MAX_BODY: usize = "max_body", value("SIZE", parse::size), Fallback::Value("64 KiB"), AtReload, [],
        "Bytes in a request body; more are answered 413";
    MAX_CONNECTIONS: usize = "max_connections", count::<1, 1_000_000>(), Fallback::Value("4096"), AtRestart, [],
        "Connections at once; more wait in the listener's queue";
    MAX_CONNECTIONS_PER_ADDRESS: usize = "max_connections_per_address", count::<1, 1_000_000>(), none("64"), AtRestart, [],
        "Connections at once from one address; more are closed; leave it unset behind a proxy, whose address all have";
    IDLE_TIMEOUT: Duration = "idle_timeout", DURATION, Fallback::Value("75s"), AtRestart, [],
        "Time after which a connection without a request is ended, whether its client sends pings or not";
    MAX_CONNECTION_AGE: Duration = "max_connection_age", DURATION, none("1h"), AtRestart, [],
        "Time after which a connection is ended once its requests are answered";
    HEAD_TIMEOUT: Duration = "head_timeout", DURATION, Fallback::Value("10s"), AtRestart, [],
        "Time for the head of a request to arrive once it has begun";
    STALL_TIMEOUT: Duration = "stall_timeout", DURATION, Fallback::Value("30s"), AtRestart, [],
        "Time in which a client accepts some of its answer, or else its connection is cut";
    METRICS_LISTEN: SocketAddr = "metrics_listen", value("ADDRESS", parse::address), none("127.0.0.1:9090"), AtRestart, [],
        "Address and port of the operator's listener: /metrics for Prometheus, /openapi.json, /healthz and /readyz; without it there are no metrics";
    AUDIT_LOG: PathBuf = "audit_log", FILE, none("/var/log/portreeve/audit.log"), AtRestart, [Audit],
        "File to which audit lines are appended as JSON, besides the log; SIGHUP opens it again";
    OTLP_ENDPOINT: String = "otlp_endpoint", value("URL", parse::otlp_endpoint), none("http://127.0.0.1:4317"), AtRestart, [],
        "OpenTelemetry collector that gets a span of each request, by OTLP over gRPC; only in binaries with the feature otlp";
    LOG_FORMAT: LogFormat = "log_format", one_of!("text" => LogFormat::Text, "json" => LogFormat::Json), Fallback::Value("text"), AtRestart, [],
        "How log lines look";
    LOG_LEVEL: String = "log_level", value("FILTER", parse::text), Fallback::Value("info"), AtReload, [],
        "Which log lines are written: a level, and more or less of some parts, such as info,portreeve::identity=debug; RUST_LOG beats it";
}

/// The settings of `groups`, in that order.
pub(crate) fn of(groups: &[Group]) -> impl Iterator<Item = &'static Setting> {
    let of_group = |group| ALL.iter().copied().filter(move |it| it.is_in(group));
    groups.iter().copied().flat_map(of_group)
}

// === impl Typed ===

impl<T> Typed<T> {
    /// The value of a text, or what is wrong with it and what would be right. It repeats nothing of a
    /// secret.
    pub(crate) fn read(&self, text: &str) -> Result<T, String> {
        (self.read)(text)
    }
}

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
        (self.kind != Kind::Secret).then(|| format!("--{}", self.key.replace('_', "-")))
    }

    pub(crate) fn is_in(&self, group: Group) -> bool {
        self.groups.contains(&group)
    }

    /// Whether it may stand in the TOML file. The keys that seal the credentials may not: such files
    /// are copied, shown and kept under version control.
    pub(crate) fn is_in_toml(&self) -> bool {
        self.key != ENCRYPTION_KEYS.key
    }

    /// What applies if it is not set, in words; `data_dir` is the data directory, if it is known.
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
