//! The table of the settings: each is described here and nowhere else.
//!
//! The command line, the environment, the TOML file, `check-config`, the error messages and
//! docs/CONFIGURATION.md are all made from it. A row also says what the text of a setting means, so
//! that each can be checked by itself, used or not.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::PathBuf;
use std::time::Duration;

use portreeve::gateway::{BearerLogins, Binding, PublicUrl, UnboundedWebhooks};
use portreeve::groupware::{BaseUrl, EventClasses, SharedOrigin};
use secrecy::SecretString;

use super::gateway::{self, AccountSetting};
use super::groupware::{self, TrustedProxies, WebhookAuth};
use super::listen::{self, Listen};
use super::vault::{self, Database};
use super::{LogFormat, identity, parse};

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
    /// What it means, in one sentence.
    pub(crate) help: &'static str,
    /// Whether a text is a value of it; what is wrong with it, if not.
    pub(crate) check: fn(&str) -> Result<(), String>,
}

/// A setting whose texts stand for values of `T`.
#[derive(Debug)]
pub(crate) struct Typed<T: 'static> {
    pub(crate) setting: Setting,
    /// The value of a text, or what is wrong with it and what would be right. It repeats nothing of a
    /// secret.
    read: fn(&str) -> Result<T, String>,
}

/// How a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One value; the text stands for it in `--help`.
    Value(&'static str),
    /// One of these values.
    OneOf(&'static [&'static str]),
    /// Values separated by commas, a flag given several times, or an array in TOML; the text stands
    /// for them in `--help`.
    List(&'static str),
    /// JSON, or tables in TOML; the text stands for it in `--help`.
    Tables(&'static str),
    /// `true` or `false`; the bare flag means `true`.
    Switch,
    /// A value that is never shown. It has no flag, since other users of the machine can read the
    /// command line of a process; its variable with `_FILE` appended names a file that holds it.
    Secret,
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
    ($($name:ident: $type:ty = $read:expr, $key:literal, $env:literal, $kind:expr, $fallback:expr, $help:literal;)*) => {
        $(pub(crate) const $name: &Typed<$type> = &Typed {
            setting: Setting {
                key: $key,
                env: $env,
                kind: $kind,
                fallback: $fallback,
                help: $help,
                check: |text| {
                    let read: fn(&str) -> Result<$type, String> = $read;
                    read(text).map(drop)
                },
            },
            read: $read,
        };)*

        /// All settings, in the order in which `--help` and `check-config` show them.
        pub(crate) const ALL: &[&Setting] = &[$(&$name.setting),*];
    };
}

/// A list of rows.
macro_rules! rows {
    ($($name:ident),* $(,)?) => {
        &[$(&$name.setting),*]
    };
}

settings! {
    LISTEN: Vec<Listen> = listen::addresses, "listen", "PORTREEVE_LISTEN", Kind::List("ADDRESSES"), Fallback::Value("127.0.0.1:8000"),
        "Where to listen: IP addresses with a port, and unix:/path for unix sockets; sockets handed over by systemd take its place";
    UNIX_SOCKET_MODE: u32 = listen::unix_mode, "unix_socket_mode", "PORTREEVE_UNIX_SOCKET_MODE", Kind::Value("MODE"), Fallback::Value("0660"),
        "Who may connect to the unix sockets of listen: the mode of their files";
    TLS_CERT: PathBuf = parse::path, "tls_cert", "PORTREEVE_TLS_CERT", Kind::Value("FILE"), words("none: plain HTTP", "/etc/portreeve/tls.pem"),
        "PEM file with the certificate that callers see, and the chain up to its authority; for all addresses but unix sockets";
    TLS_KEY: PathBuf = parse::path, "tls_key", "PORTREEVE_TLS_KEY", Kind::Value("FILE"), none("/etc/portreeve/tls.key"),
        "PEM file with the private key of that certificate";
    TLS_CLIENT_CA: PathBuf = parse::path, "tls_client_ca", "PORTREEVE_TLS_CLIENT_CA", Kind::Value("FILE"), none("/etc/portreeve/clients.pem"),
        "PEM file with certificate authorities: only clients with a certificate of one of them get in, also to the probes";
    GROUPWARE_URL: BaseUrl = parse::parsed, "groupware_url", "PORTREEVE_GROUPWARE_URL", Kind::Value("URL"), none("https://cloud.example.org"),
        "The groupware server, with its path prefix if it has one; without it the endpoints that need it answer 500";
    GROUPWARE_PUBLIC_URL: BaseUrl = parse::parsed, "groupware_public_url", "PORTREEVE_GROUPWARE_PUBLIC_URL", Kind::Value("URL"), words("what the server says of itself", "https://cloud.example.org"),
        "How browsers reach the groupware server, for the page on which users grant app passwords";
    GROUPWARE_TIMEOUT: Duration = parse::duration, "groupware_timeout", "PORTREEVE_GROUPWARE_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("30s"),
        "Time for one call of the groupware server: connect, headers and body together";
    GROUPWARE_CA: PathBuf = parse::path, "groupware_ca", "PORTREEVE_GROUPWARE_CA", Kind::Value("FILE"), none("/etc/portreeve/ca.pem"),
        "PEM file with certificates to trust besides the system's, for the groupware server and the identity provider";
    ALLOW_PLAIN_HTTP: bool = parse::switch, "allow_plain_http", "PORTREEVE_ALLOW_PLAIN_HTTP", Kind::Switch, Fallback::Value("false"),
        "Reach the groupware server and the identity provider over plain HTTP, not only on loopback: app passwords and tokens can then be read on the way, and signing keys forged";
    DATA_DIR: PathBuf = parse::path, "data_dir", "PORTREEVE_DATA_DIR", Kind::Value("DIR"), words("the platform's state directory", "/var/lib/portreeve"),
        "Where the database and the key file lie";
    DATABASE_URL: Database = vault::database, "database_url", "PORTREEVE_DATABASE_URL", Kind::Value("URL"), data_file("sqlite:", DATABASE),
        "The database of stored credentials: sqlite: and a path, or postgres://user@host/database for several gateways";
    DATABASE_PASSWORD: SecretString = parse::secret, "database_password", "PORTREEVE_DATABASE_PASSWORD", Kind::Secret, NO_SECRET,
        "The password of a PostgreSQL database; without it the file that PGPASSFILE names is looked through, or ~/.pgpass";
    DATABASE_CONNECTIONS: usize = parse::count::<1, 1000>, "database_connections", "PORTREEVE_DATABASE_CONNECTIONS", Kind::Value("N"), Fallback::Value("8"),
        "Connections of one gateway to a PostgreSQL database at once, besides the one that listens for changes";
    DATABASE_TIMEOUT: Duration = parse::duration, "database_timeout", "PORTREEVE_DATABASE_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("5s"),
        "Time for one operation of a PostgreSQL database, the wait for a free connection included";
    KEY_FILE: PathBuf = parse::path, "key_file", "PORTREEVE_KEY_FILE", Kind::Value("FILE"), data_file("", KEYS),
        "The keys that seal the credentials, one base64 key of 32 bytes a line; the first one seals, all open; made at first use";
    ENCRYPTION_KEYS: SecretString = vault::keys, "encryption_keys", "PORTREEVE_ENCRYPTION_KEYS", Kind::Secret, NO_SECRET,
        "Base64 keys of 32 bytes, separated by commas; the first one seals, all open; beats key_file";
    TOKENS_FILE: PathBuf = parse::path, "tokens_file", "PORTREEVE_TOKENS_FILE", Kind::Value("FILE"), none("/etc/portreeve/tokens"),
        "Digests of the static tokens, written by `portreeve token new`";
    ISSUER: String = parse::text, "issuer", "PORTREEVE_ISSUER", Kind::Value("URL"), none("https://id.example.org/realms/office"),
        "The OpenID provider whose JWT access tokens are taken: its `iss` to the letter";
    AUDIENCE: Vec<String> = identity::names, "audience", "PORTREEVE_AUDIENCE", Kind::List("AUDIENCES"), none("portreeve"),
        "Take tokens with one of these as `aud`; an issuer and introspection need this or allowed_client";
    ALLOWED_CLIENT: Vec<String> = identity::names, "allowed_client", "PORTREEVE_ALLOWED_CLIENT", Kind::List("CLIENTS"), none("settings-app,workflows"),
        "Take tokens that one of these clients got (`client_id`, `azp`); with an audience, both must fit";
    USER_CLAIM: String = parse::text, "user_claim", "PORTREEVE_USER_CLAIM", Kind::Value("NAME"), Fallback::Value("sub"),
        "The claim from which `account` makes the groupware user id; it must be one that users cannot change, as they can preferred_username and email at many providers";
    ACCOUNT: AccountSetting = gateway::account_setting, "account", "PORTREEVE_ACCOUNT", Kind::Value("RULE"), Fallback::Value("claim"),
        "How the groupware user id is made of user_claim: claim (as it is), user_oidc:<provider id> (the hash of Nextcloud's app user_oidc), user_oidc_name:<identifier> (its provider-based ids), or bound (what `portreeve accounts` holds for issuer and subject); static tokens name the user id themselves";
    ACCOUNT_BINDING: Binding = gateway::account_binding, "account_binding", "PORTREEVE_ACCOUNT_BINDING", Kind::OneOf(&["off", "login-flow"]), Fallback::Value("off"),
        "Where account is bound, let a person without an account start a login flow, and bind them to the account that grants it: whoever has a token can then send others the grant page and get the account of somebody who grants";
    REQUIRED_SCOPE: Vec<String> = identity::scopes, "required_scope", "PORTREEVE_REQUIRED_SCOPE", Kind::List("SCOPES"), none("webhooks"),
        "Take tokens with all of these scopes";
    INTROSPECTION_URL: String = identity::endpoint, "introspection_url", "PORTREEVE_INTROSPECTION_URL", Kind::Value("URL"), words("what the issuer tells, where introspection_client_id is set", "https://id.example.org/introspect"),
        "Where other tokens are introspected (RFC 7662); never on the groupware server";
    INTROSPECTION_CLIENT_ID: String = parse::text, "introspection_client_id", "PORTREEVE_INTROSPECTION_CLIENT_ID", Kind::Value("ID"), none("portreeve"),
        "The client as which tokens are introspected";
    INTROSPECTION_CLIENT_SECRET: SecretString = parse::secret, "introspection_client_secret", "PORTREEVE_INTROSPECTION_CLIENT_SECRET", Kind::Secret, NO_SECRET,
        "The secret of that client";
    TOKEN_CACHE_TTL: Duration = identity::cache_ttl, "token_cache_ttl", "PORTREEVE_TOKEN_CACHE_TTL", Kind::Value("DURATION"), Fallback::Value("60s"),
        "How long a verified token is remembered, at most until it expires; so long may a revoked one still be taken";
    TOKEN_CACHE_SIZE: usize = parse::count::<0, 10_000_000>, "token_cache_size", "PORTREEVE_TOKEN_CACHE_SIZE", Kind::Value("N"), Fallback::Value("10000"),
        "How many verified tokens are remembered";
    ADMIN_SCOPE: String = gateway::admin_scope, "admin_scope", "PORTREEVE_ADMIN_SCOPE", Kind::Value("SCOPE"), none("portreeve:admin"),
        "A token with this scope, and nothing else, makes an administrator; without it the groupware server's group admin does";
    ADMIN_REVEAL: bool = parse::switch, "admin_reveal", "PORTREEVE_ADMIN_REVEAL", Kind::Switch, Fallback::Value("false"),
        "Let administrators see the stored app password of a user; each time is an audit line in the log";
    REFUSED_RETRY: Duration = parse::duration, "refused_retry", "PORTREEVE_REFUSED_RETRY", Kind::Value("DURATION"), Fallback::Value("30m"),
        "Time after which a stored app password that the groupware server refused is tried once more";
    REFUSED_LOGIN_BUDGET: usize = gateway::refused_login_budget, "refused_login_budget", "PORTREEVE_REFUSED_LOGIN_BUDGET", Kind::Value("N"), Fallback::Value("5"),
        "The most logins by HTTP Basic that the groupware server may refuse and count within 30 minutes, of all users together: it shuts this address out after 11, and logins go by bearer token in between; 10 at most";
    GROUPWARE_BEARER: BearerLogins = groupware::bearer_logins, "groupware_bearer", "PORTREEVE_GROUPWARE_BEARER", Kind::OneOf(&["auto", "off"]), Fallback::Value("auto"),
        "Whether app passwords are sent to the groupware server as bearer tokens, which it does not count; off for a server that shows bearer tokens to others (user_oidc with userinfo validation)";
    WEBHOOK_SECRET: SecretString = parse::secret, "webhook_secret", "WEBHOOK_SECRET", Kind::Secret, NO_SECRET,
        "The secret from which webhook deliveries get their credential";
    WEBHOOK_AUTH: WebhookAuth = groupware::webhook_auth, "webhook_auth", "PORTREEVE_WEBHOOK_AUTH", Kind::OneOf(&["derived", "shared"]), Fallback::Value("derived"),
        "Give each destination a credential of its own, or the secret itself to the listed origins";
    WEBHOOK_SHARED_ORIGINS: Vec<SharedOrigin> = groupware::shared_origins, "webhook_shared_origins", "PORTREEVE_WEBHOOK_SHARED_ORIGINS", Kind::List("ORIGINS"), none("https://hooks.example.org"),
        "Origins that get the secret itself where webhook_auth is shared, such as https://hooks.example.org";
    TRUSTED_EVENT_CLASSES: EventClasses = groupware::event_classes, "trusted_event_classes", "PORTREEVE_TRUSTED_EVENT_CLASSES", Kind::List("CLASSES"), none(r"OCA\Approval\Events\ApprovedEvent"),
        r"Event classes beyond the known ones, such as OCA\Approval\Events\ApprovedEvent, whose filters are not judged by what the events hold";
    UNBOUNDED_WEBHOOKS: UnboundedWebhooks = groupware::unbounded_webhooks, "unbounded_webhooks", "PORTREEVE_UNBOUNDED_WEBHOOKS", Kind::OneOf(&["warn", "refuse"]), Fallback::Value("warn"),
        "What becomes of a webhook whose deliveries can be too large for the groupware server, so that what its users write is lost: warn in the answer, or refuse it";
    WEBHOOK_PRESETS: String = parse::text, "webhook_presets", "PORTREEVE_WEBHOOK_PRESETS", Kind::Tables("JSON"), words("those that are built in", PRESET_EXAMPLE),
        "Presets of webhooks of your own, by name, besides those that are built in or in their place: tables [webhook_presets.NAME] in the file, JSON elsewhere";
    MCP_SERVER_API_KEY: SecretString = gateway::shared_key, "mcp_server_api_key", "MCP_SERVER_API_KEY", Kind::Secret, NO_SECRET,
        "The key that every call must carry as X-API-Key; the front end Astrolabe never sends it";
    PUBLIC_URL: PublicUrl = parse::parsed, "public_url", "PORTREEVE_PUBLIC_URL", Kind::Value("URL"), none("https://hooks.example.org"),
        "How callers reach this gateway; with it they can ask, without a token, who issues tokens (RFC 9728)";
    PUBLIC_STATUS: bool = parse::switch, "public_status", "PORTREEVE_PUBLIC_STATUS", Kind::Switch, Fallback::Value("true"),
        "Answer GET /api/v1/status, which needs no token";
    FORWARD_CLIENT_ADDRESS: bool = parse::switch, "forward_client_address", "PORTREEVE_FORWARD_CLIENT_ADDRESS", Kind::Switch, Fallback::Value("false"),
        "Tell the groupware server the caller's address as X-Forwarded-For";
    TRUSTED_PROXIES: TrustedProxies = groupware::trusted_proxies, "trusted_proxies", "PORTREEVE_TRUSTED_PROXIES", Kind::List("NETWORKS"), none("10.0.0.0/8"),
        "Proxies before this gateway whose X-Forwarded-For is believed, such as 10.0.0.0/8; unix: for those that come over a unix socket";
    MAX_IN_FLIGHT: usize = parse::count::<1, 1_000_000>, "max_in_flight", "PORTREEVE_MAX_IN_FLIGHT", Kind::Value("N"), Fallback::Value("1024"),
        "Requests under way at once; more are answered 503";
    MAX_IN_FLIGHT_PER_CALLER: usize = parse::count::<1, 1_000_000>, "max_in_flight_per_caller", "PORTREEVE_MAX_IN_FLIGHT_PER_CALLER", Kind::Value("N"), Fallback::Value("64"),
        "Requests of one user under way at once; more are answered 429";
    REQUEST_TIMEOUT: Duration = parse::duration, "request_timeout", "PORTREEVE_REQUEST_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("60s"),
        "Time for one request, then it is answered 504";
    MAX_BODY: usize = parse::size, "max_body", "PORTREEVE_MAX_BODY", Kind::Value("SIZE"), Fallback::Value("64 KiB"),
        "Bytes in a request body; more are answered 413";
    MAX_CONNECTIONS: usize = parse::count::<1, 1_000_000>, "max_connections", "PORTREEVE_MAX_CONNECTIONS", Kind::Value("N"), Fallback::Value("4096"),
        "Connections at once; more wait in the listener's queue";
    MAX_CONNECTIONS_PER_ADDRESS: usize = parse::count::<1, 1_000_000>, "max_connections_per_address", "PORTREEVE_MAX_CONNECTIONS_PER_ADDRESS", Kind::Value("N"), none("64"),
        "Connections at once from one address; more are closed; leave it unset behind a proxy, whose address all have";
    IDLE_TIMEOUT: Duration = parse::duration, "idle_timeout", "PORTREEVE_IDLE_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("75s"),
        "Time after which a connection without a request is ended, whether its client sends pings or not";
    MAX_CONNECTION_AGE: Duration = parse::duration, "max_connection_age", "PORTREEVE_MAX_CONNECTION_AGE", Kind::Value("DURATION"), none("1h"),
        "Time after which a connection is ended once its requests are answered";
    HEAD_TIMEOUT: Duration = parse::duration, "head_timeout", "PORTREEVE_HEAD_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("10s"),
        "Time for the head of a request to arrive once it has begun";
    STALL_TIMEOUT: Duration = parse::duration, "stall_timeout", "PORTREEVE_STALL_TIMEOUT", Kind::Value("DURATION"), Fallback::Value("30s"),
        "Time in which a client accepts some of its answer, or else its connection is cut";
    METRICS_LISTEN: SocketAddr = listen::metrics, "metrics_listen", "PORTREEVE_METRICS_LISTEN", Kind::Value("ADDRESS"), none("127.0.0.1:9090"),
        "Address and port of the operator's listener: /metrics for Prometheus, /openapi.json, /healthz and /readyz; without it there are no metrics";
    AUDIT_LOG: PathBuf = parse::path, "audit_log", "PORTREEVE_AUDIT_LOG", Kind::Value("FILE"), none("/var/log/portreeve/audit.log"),
        "File to which audit lines are appended as JSON, besides the log; SIGHUP opens it again";
    OTLP_ENDPOINT: String = gateway::otlp_endpoint, "otlp_endpoint", "PORTREEVE_OTLP_ENDPOINT", Kind::Value("URL"), none("http://127.0.0.1:4317"),
        "OpenTelemetry collector that gets a span of each request, by OTLP over gRPC; only in binaries with the feature otlp";
    LOG_FORMAT: LogFormat = LogFormat::parse, "log_format", "PORTREEVE_LOG_FORMAT", Kind::OneOf(&["text", "json"]), Fallback::Value("text"),
        "How log lines look";
    LOG_LEVEL: String = parse::text, "log_level", "PORTREEVE_LOG_LEVEL", Kind::Value("FILTER"), Fallback::Value("info"),
        "Which log lines are written: a level, and more or less of some parts, such as info,portreeve::identity=debug; RUST_LOG beats it";
}

/// The settings of the vault, which the commands on stored credentials have.
pub(crate) const VAULT: &[&Setting] = rows![
    DATA_DIR,
    DATABASE_URL,
    DATABASE_PASSWORD,
    DATABASE_CONNECTIONS,
    DATABASE_TIMEOUT,
    KEY_FILE,
    ENCRYPTION_KEYS,
];

/// The settings of the commands that change something in the vault.
pub(crate) const VAULT_CHANGES: &[&Setting] = rows![
    DATA_DIR,
    DATABASE_URL,
    DATABASE_PASSWORD,
    DATABASE_CONNECTIONS,
    DATABASE_TIMEOUT,
    KEY_FILE,
    ENCRYPTION_KEYS,
    AUDIT_LOG,
];

/// The settings of the commands that name a person.
pub(crate) const PERSON: &[&Setting] = rows![
    ISSUER,
    DATA_DIR,
    DATABASE_URL,
    DATABASE_PASSWORD,
    DATABASE_CONNECTIONS,
    DATABASE_TIMEOUT,
    KEY_FILE,
    ENCRYPTION_KEYS,
    AUDIT_LOG,
];

/// What `credentials put` needs: the vault, and the server that the password is checked at.
pub(crate) const ENROLLMENT: &[&Setting] = rows![
    DATA_DIR,
    DATABASE_URL,
    DATABASE_PASSWORD,
    DATABASE_CONNECTIONS,
    DATABASE_TIMEOUT,
    KEY_FILE,
    ENCRYPTION_KEYS,
    GROUPWARE_URL,
    GROUPWARE_TIMEOUT,
    GROUPWARE_CA,
    GROUPWARE_BEARER,
    ALLOW_PLAIN_HTTP,
    AUDIT_LOG,
];

/// The settings of a copy: those of PostgreSQL hold for both sides.
pub(crate) const COPY: &[&Setting] =
    rows![DATABASE_PASSWORD, DATABASE_CONNECTIONS, DATABASE_TIMEOUT];

/// The settings of the list of tokens.
pub(crate) const TOKENS: &[&Setting] = rows![TOKENS_FILE];

/// The settings of the commands that change tokens.
pub(crate) const TOKENS_CHANGES: &[&Setting] = rows![TOKENS_FILE, AUDIT_LOG];

/// What `healthcheck` reads.
pub(crate) const HEALTH: &[&Setting] = rows![LISTEN, TLS_CERT, TLS_KEY, TLS_CLIENT_CA];

/// The settings of the verifiers of tokens.
pub(crate) const IDENTITY: &[&Setting] = rows![
    TOKENS_FILE,
    ISSUER,
    AUDIENCE,
    ALLOWED_CLIENT,
    USER_CLAIM,
    REQUIRED_SCOPE,
    INTROSPECTION_URL,
    INTROSPECTION_CLIENT_ID,
    INTROSPECTION_CLIENT_SECRET,
    TOKEN_CACHE_TTL,
    TOKEN_CACHE_SIZE,
    ALLOW_PLAIN_HTTP,
    GROUPWARE_CA,
];

/// The settings of TLS on the listeners.
pub(crate) const TLS: &[&Setting] = rows![TLS_CERT, TLS_KEY, TLS_CLIENT_CA];

/// The settings that a running gateway takes up on SIGHUP; the others need a restart.
pub(crate) const RELOADED: &[&Setting] = rows![
    TLS_CERT,
    TLS_KEY,
    TLS_CLIENT_CA,
    GROUPWARE_PUBLIC_URL,
    GROUPWARE_TIMEOUT,
    GROUPWARE_CA,
    ALLOW_PLAIN_HTTP,
    ENCRYPTION_KEYS,
    TOKENS_FILE,
    ISSUER,
    AUDIENCE,
    ALLOWED_CLIENT,
    USER_CLAIM,
    ACCOUNT,
    ACCOUNT_BINDING,
    REQUIRED_SCOPE,
    INTROSPECTION_URL,
    INTROSPECTION_CLIENT_ID,
    INTROSPECTION_CLIENT_SECRET,
    TOKEN_CACHE_TTL,
    TOKEN_CACHE_SIZE,
    ADMIN_SCOPE,
    ADMIN_REVEAL,
    WEBHOOK_SECRET,
    WEBHOOK_AUTH,
    WEBHOOK_SHARED_ORIGINS,
    TRUSTED_EVENT_CLASSES,
    WEBHOOK_PRESETS,
    MCP_SERVER_API_KEY,
    PUBLIC_URL,
    PUBLIC_STATUS,
    FORWARD_CLIENT_ADDRESS,
    TRUSTED_PROXIES,
    REQUEST_TIMEOUT,
    MAX_BODY,
    LOG_LEVEL,
];

// === impl Typed ===

impl<T> Typed<T> {
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
