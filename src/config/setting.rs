//! Every setting, described once: `--help`, `check-config`, the error messages and the look-up all
//! read this table.

use clap::{Arg, ArgAction};

/// How a setting is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One value; the text stands for it in `--help`.
    Value(&'static str),
    /// Values separated by commas; in TOML an array may be written too.
    List(&'static str),
    /// `true` or `false`; the bare flag means `true`.
    Switch,
    /// A value that is never shown, and has no flag because other users of the machine can read
    /// the command line of a process.
    Secret,
}

/// One setting.
#[derive(Debug)]
pub(crate) struct Setting {
    /// The TOML key; the flag is the same with hyphens.
    pub(crate) key: &'static str,
    /// The environment variable. With `_FILE` appended it names a file that holds the value.
    pub(crate) env: &'static str,
    pub(crate) kind: Kind,
    /// What holds without it, in the words of `--help`.
    pub(crate) default: &'static str,
    pub(crate) help: &'static str,
    /// Whether it may stand in the TOML file.
    pub(crate) in_file: bool,
}

impl Setting {
    /// `--listen`; `None` for a secret.
    pub(crate) fn flag(&self) -> Option<String> {
        (self.kind != Kind::Secret).then(|| format!("--{}", self.key.replace('_', "-")))
    }

    /// The command line argument; `None` for a secret.
    pub(crate) fn arg(&self) -> Option<Arg> {
        let value_name = match self.kind {
            Kind::Value(name) | Kind::List(name) => name,
            Kind::Switch => "BOOL",
            Kind::Secret => return None,
        };
        let help = format!(
            "{} [env: {}] [default: {}]",
            self.help, self.env, self.default
        );
        let arg = Arg::new(self.key)
            .long(self.key.replace('_', "-"))
            .value_name(value_name)
            .action(ArgAction::Set)
            .help(help)
            .help_heading("Settings");
        Some(match self.kind {
            Kind::Switch => arg
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true"),
            _ => arg,
        })
    }
}

macro_rules! settings {
    ($($name:ident: $key:literal, $env:literal, $kind:expr, $default:literal, $help:literal;)*) => {
        $(pub(crate) const $name: &Setting = &Setting {
            key: $key,
            env: $env,
            kind: $kind,
            default: $default,
            help: $help,
            in_file: true,
        };)*
    };
}

settings! {
    LISTEN: "listen", "PORTREEVE_LISTEN", Kind::Value("ADDRESS"), "127.0.0.1:8000",
        "Address and port to listen on";
    GROUPWARE_URL: "groupware_url", "PORTREEVE_GROUPWARE_URL", Kind::Value("URL"), "none",
        "The groupware server, with its path prefix if it has one; without it the endpoints that need it answer 500";
    GROUPWARE_PUBLIC_URL: "groupware_public_url", "PORTREEVE_GROUPWARE_PUBLIC_URL", Kind::Value("URL"), "what the server says of itself",
        "How browsers reach the groupware server, for the page on which users grant app passwords";
    GROUPWARE_TIMEOUT: "groupware_timeout", "PORTREEVE_GROUPWARE_TIMEOUT", Kind::Value("DURATION"), "30s",
        "Time for one call of the groupware server: connect, headers and body together";
    GROUPWARE_CA: "groupware_ca", "PORTREEVE_GROUPWARE_CA", Kind::Value("FILE"), "none",
        "PEM file with certificates to trust besides the system's, for the groupware server and the identity provider";
    ALLOW_PLAIN_HTTP: "allow_plain_http", "PORTREEVE_ALLOW_PLAIN_HTTP", Kind::Switch, "false",
        "Reach the groupware server and the identity provider over plain HTTP, not only on loopback: app passwords and tokens can then be read on the way, and signing keys forged";
    DATA_DIR: "data_dir", "PORTREEVE_DATA_DIR", Kind::Value("DIR"), "the platform's state directory",
        "Where the database and the key file lie";
    DATABASE_URL: "database_url", "PORTREEVE_DATABASE_URL", Kind::Value("URL"), "sqlite:<data_dir>/portreeve.db",
        "The database of stored credentials";
    KEY_FILE: "key_file", "PORTREEVE_KEY_FILE", Kind::Value("FILE"), "<data_dir>/vault.key",
        "The keys that seal the credentials, one base64 key of 32 bytes a line; the first one seals, all open; made at first use";
    TOKENS_FILE: "tokens_file", "PORTREEVE_TOKENS_FILE", Kind::Value("FILE"), "none",
        "Digests of the static tokens, written by `portreeve token new`";
    ISSUER: "issuer", "PORTREEVE_ISSUER", Kind::Value("URL"), "none",
        "The OpenID provider whose JWT access tokens are taken: its `iss` to the letter";
    AUDIENCE: "audience", "PORTREEVE_AUDIENCE", Kind::List("AUDIENCES"), "none",
        "Take tokens with one of these as `aud`; an issuer needs this or allowed_client";
    ALLOWED_CLIENT: "allowed_client", "PORTREEVE_ALLOWED_CLIENT", Kind::List("CLIENTS"), "none",
        "Take tokens that one of these clients got (`client_id`, `azp`); with an audience, both must fit";
    USER_CLAIM: "user_claim", "PORTREEVE_USER_CLAIM", Kind::Value("NAME"), "sub",
        "The claim that holds the groupware user id; users must not be able to choose it";
    REQUIRED_SCOPE: "required_scope", "PORTREEVE_REQUIRED_SCOPE", Kind::List("SCOPES"), "none",
        "Take tokens with all of these scopes";
    INTROSPECTION_URL: "introspection_url", "PORTREEVE_INTROSPECTION_URL", Kind::Value("URL"), "what the issuer tells, where introspection_client_id is set",
        "Where other tokens are introspected (RFC 7662); never on the groupware server";
    INTROSPECTION_CLIENT_ID: "introspection_client_id", "PORTREEVE_INTROSPECTION_CLIENT_ID", Kind::Value("ID"), "none",
        "The client as which tokens are introspected";
    INTROSPECTION_CLIENT_SECRET: "introspection_client_secret", "PORTREEVE_INTROSPECTION_CLIENT_SECRET", Kind::Secret, "none",
        "The secret of that client";
    TOKEN_CACHE_TTL: "token_cache_ttl", "PORTREEVE_TOKEN_CACHE_TTL", Kind::Value("DURATION"), "60s",
        "How long a verified token is remembered, at most until it expires; so long may a revoked one still be taken";
    TOKEN_CACHE_SIZE: "token_cache_size", "PORTREEVE_TOKEN_CACHE_SIZE", Kind::Value("N"), "10000",
        "How many verified tokens are remembered";
    ADMIN_SCOPE: "admin_scope", "PORTREEVE_ADMIN_SCOPE", Kind::Value("SCOPE"), "none",
        "A token with this scope, and nothing else, makes an administrator; without it the groupware server's group admin does";
    ADMIN_REVEAL: "admin_reveal", "PORTREEVE_ADMIN_REVEAL", Kind::Switch, "false",
        "Let administrators see the stored app password of a user; each time is an audit line in the log";
    REFUSED_RETRY: "refused_retry", "PORTREEVE_REFUSED_RETRY", Kind::Value("DURATION"), "30m",
        "Time after which a stored app password that the groupware server refused is tried once more";
    REFUSED_LOGIN_BUDGET: "refused_login_budget", "PORTREEVE_REFUSED_LOGIN_BUDGET", Kind::Value("N"), "8",
        "Refused logins of all users within 30 minutes, after which no doubtful password is tried; the groupware server shuts everybody out after 11";
    WEBHOOK_SECRET: "webhook_secret", "WEBHOOK_SECRET", Kind::Secret, "none",
        "The secret from which webhook deliveries get their credential";
    WEBHOOK_AUTH: "webhook_auth", "PORTREEVE_WEBHOOK_AUTH", Kind::Value("derived|shared"), "derived",
        "Give each destination a credential of its own, or the secret itself to the listed origins";
    WEBHOOK_SHARED_ORIGINS: "webhook_shared_origins", "PORTREEVE_WEBHOOK_SHARED_ORIGINS", Kind::List("ORIGINS"), "none",
        "Origins that get the secret itself where webhook_auth is shared, such as https://hooks.example.org";
    MCP_SERVER_API_KEY: "mcp_server_api_key", "MCP_SERVER_API_KEY", Kind::Secret, "none",
        "The key that every call must carry as X-API-Key";
    FORWARD_CLIENT_ADDRESS: "forward_client_address", "PORTREEVE_FORWARD_CLIENT_ADDRESS", Kind::Switch, "false",
        "Tell the groupware server the caller's address as X-Forwarded-For";
    TRUSTED_PROXIES: "trusted_proxies", "PORTREEVE_TRUSTED_PROXIES", Kind::List("NETWORKS"), "none",
        "Proxies before this gateway whose X-Forwarded-For is believed, such as 10.0.0.0/8";
    MAX_IN_FLIGHT: "max_in_flight", "PORTREEVE_MAX_IN_FLIGHT", Kind::Value("N"), "1024",
        "Requests under way at once; more are answered 503";
    MAX_IN_FLIGHT_PER_CALLER: "max_in_flight_per_caller", "PORTREEVE_MAX_IN_FLIGHT_PER_CALLER", Kind::Value("N"), "64",
        "Requests of one user under way at once; more are answered 429";
    REQUEST_TIMEOUT: "request_timeout", "PORTREEVE_REQUEST_TIMEOUT", Kind::Value("DURATION"), "60s",
        "Time for one request, then it is answered 504";
    MAX_BODY: "max_body", "PORTREEVE_MAX_BODY", Kind::Value("SIZE"), "64 KiB",
        "Bytes in a request body; more are answered 413";
    LOG_FORMAT: "log_format", "PORTREEVE_LOG_FORMAT", Kind::Value("text|json"), "text",
        "How log lines look; which are written is set by RUST_LOG";
}

/// Keys that seal the credentials. Not in the TOML file, which is not made to hold keys.
pub(crate) const ENCRYPTION_KEYS: &Setting = &Setting {
    key: "encryption_keys",
    env: "PORTREEVE_ENCRYPTION_KEYS",
    kind: Kind::Secret,
    default: "none",
    help: "Base64 keys of 32 bytes, separated by commas; the first one seals, all open; beats key_file",
    in_file: false,
};

/// The settings of the vault.
pub(crate) const VAULT: &[&Setting] = &[DATA_DIR, DATABASE_URL, KEY_FILE, ENCRYPTION_KEYS];

/// All settings, in the order in which `--help` and `check-config` show them.
pub(crate) const ALL: &[&Setting] = &[
    LISTEN,
    GROUPWARE_URL,
    GROUPWARE_PUBLIC_URL,
    GROUPWARE_TIMEOUT,
    GROUPWARE_CA,
    ALLOW_PLAIN_HTTP,
    DATA_DIR,
    DATABASE_URL,
    KEY_FILE,
    ENCRYPTION_KEYS,
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
    ADMIN_SCOPE,
    ADMIN_REVEAL,
    REFUSED_RETRY,
    REFUSED_LOGIN_BUDGET,
    WEBHOOK_SECRET,
    WEBHOOK_AUTH,
    WEBHOOK_SHARED_ORIGINS,
    MCP_SERVER_API_KEY,
    FORWARD_CLIENT_ADDRESS,
    TRUSTED_PROXIES,
    MAX_IN_FLIGHT,
    MAX_IN_FLIGHT_PER_CALLER,
    REQUEST_TIMEOUT,
    MAX_BODY,
    LOG_FORMAT,
];
