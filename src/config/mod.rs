//! Settings: each is a flag, an environment variable and a TOML key, in that order of precedence.
//!
//! A value is parsed once, here; what comes out cannot be wrong. Each command reads only the
//! sections it needs.

mod identity;
mod parse;
pub(crate) mod setting;
mod sources;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use portreeve::gateway::{AdminPolicy, ClientAddress, Limits, LoginPolicy};
use portreeve::groupware::{BaseUrl, BaseUrlError, DeliveryAuth, DeliveryAuthError, SharedOrigin};
use portreeve::identity::is_scope;
use secrecy::{ExposeSecret, SecretString};

pub(crate) use identity::{IdentityConfig, IntrospectionConfig};
use setting::Setting;
use sources::Written;
pub(crate) use sources::{ConfigError, Sources};

/// Where the credentials are and what opens them.
#[derive(Debug)]
pub(crate) struct VaultConfig {
    pub(crate) database: PathBuf,
    pub(crate) keys: Keys,
}

/// The keys of the vault.
#[derive(Debug)]
pub(crate) enum Keys {
    /// Given as they are, in base64.
    Given(SecretString),
    /// In this file; made there where there is none and the place is our own.
    File(PathBuf),
}

impl VaultConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let database = match sources.find(setting::DATABASE_URL)? {
            Some(url) => parse::sqlite_url(&url)?,
            None => data_dir(sources)?.join("portreeve.db"),
        };
        let keys = match sources.find(setting::ENCRYPTION_KEYS)? {
            Some(keys) => Keys::Given(SecretString::from(keys.text.as_str())),
            None => Keys::File(match sources.find(setting::KEY_FILE)? {
                Some(path) => PathBuf::from(path.text.as_str()),
                None => data_dir(sources)?.join("vault.key"),
            }),
        };
        Ok(Self { database, keys })
    }
}

/// The directory for what is kept between runs.
pub(crate) fn data_dir(sources: &Sources<'_>) -> Result<PathBuf, ConfigError> {
    use etcetera::AppStrategy;

    if let Some(dir) = sources.find(setting::DATA_DIR)? {
        return Ok(PathBuf::from(dir.text.as_str()));
    }
    let app = etcetera::AppStrategyArgs {
        top_level_domain: String::new(),
        author: String::new(),
        app_name: "portreeve".into(),
    };
    let strategy = etcetera::choose_app_strategy(app).map_err(|_| {
        ConfigError::of(
            setting::DATA_DIR,
            "there is no home directory; name a directory to keep data in",
        )
    })?;
    Ok(strategy.state_dir().unwrap_or_else(|| strategy.data_dir()))
}

/// The groupware server.
#[derive(Debug)]
pub(crate) struct GroupwareConfig {
    pub(crate) url: BaseUrl,
    pub(crate) timeout: Duration,
    pub(crate) ca: Option<PathBuf>,
    pub(crate) allow_plain_http: bool,
}

impl GroupwareConfig {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Option<Self>, ConfigError> {
        let allow_plain_http = parse::switch(sources, setting::ALLOW_PLAIN_HTTP)?;
        let timeout =
            parse::duration(sources, setting::GROUPWARE_TIMEOUT, Duration::from_secs(30))?;
        let ca = parse::path(sources, setting::GROUPWARE_CA)?;
        let Some(written) = sources.find(setting::GROUPWARE_URL)? else {
            return Ok(None);
        };
        let url = base_url(&written)?;
        if !url.is_https() && !url.is_loopback() && !allow_plain_http {
            return Err(written.error(BaseUrlError::PlainHttp.to_string()));
        }
        Ok(Some(Self {
            url,
            timeout,
            ca,
            allow_plain_http,
        }))
    }
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl LogFormat {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let Some(written) = sources.find(setting::LOG_FORMAT)? else {
            return Ok(Self::Text);
        };
        match written.text.as_str() {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(written.error("must be text or json")),
        }
    }
}

/// The file of static tokens.
pub(crate) fn tokens_file(sources: &Sources<'_>) -> Result<Option<PathBuf>, ConfigError> {
    parse::path(sources, setting::TOKENS_FILE)
}

/// Everything that `serve` needs.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: SocketAddr,
    pub(crate) groupware: Option<GroupwareConfig>,
    pub(crate) public_url: Option<BaseUrl>,
    pub(crate) logins: LoginPolicy,
    pub(crate) administrators: AdminPolicy,
    pub(crate) vault: VaultConfig,
    pub(crate) identity: IdentityConfig,
    pub(crate) delivery: Option<DeliveryAuth>,
    pub(crate) shared_key: Option<SecretString>,
    pub(crate) client_address: ClientAddress,
    pub(crate) limits: Limits,
}

impl Config {
    pub(crate) fn read(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let groupware = GroupwareConfig::read(sources)?;
        Ok(Self {
            listen: parse::value(
                sources,
                setting::LISTEN,
                SocketAddr::from(([127, 0, 0, 1], 8000)),
                "must be an IP address and a port, such as 127.0.0.1:8000 or [::]:8000",
            )?,
            public_url: public_url(sources)?,
            logins: logins(sources)?,
            administrators: administrators(sources)?,
            vault: VaultConfig::read(sources)?,
            identity: IdentityConfig::read(sources, groupware.as_ref())?,
            groupware,
            delivery: delivery(sources)?,
            shared_key: shared_key(sources)?,
            client_address: client_address(sources)?,
            limits: limits(sources)?,
        })
    }
}

fn base_url(written: &Written) -> Result<BaseUrl, ConfigError> {
    let url = written.text.trim().parse();
    url.map_err(|error: BaseUrlError| written.error(error.to_string()))
}

/// Only browsers go there, and no password of ours: plain HTTP is the operator's business.
fn public_url(sources: &Sources<'_>) -> Result<Option<BaseUrl>, ConfigError> {
    let written = sources.find(setting::GROUPWARE_PUBLIC_URL)?;
    written.map(|written| base_url(&written)).transpose()
}

fn logins(sources: &Sources<'_>) -> Result<LoginPolicy, ConfigError> {
    let default = LoginPolicy::default();
    Ok(LoginPolicy {
        refused_retry: parse::duration(sources, setting::REFUSED_RETRY, default.refused_retry)?,
        refused_login_budget: parse::checked(
            sources,
            setting::REFUSED_LOGIN_BUDGET,
            default.refused_login_budget,
            |count| (1..=1000).contains(count),
            "must be a whole number from 1 to 1000",
        )?,
    })
}

fn administrators(sources: &Sources<'_>) -> Result<AdminPolicy, ConfigError> {
    let scope = match sources.find(setting::ADMIN_SCOPE)? {
        None => None,
        Some(written) => {
            let scope = written.text.trim();
            if !is_scope(scope) {
                return Err(written.error("must be one scope, such as portreeve:admin"));
            }
            Some(scope.into())
        }
    };
    Ok(AdminPolicy {
        scope,
        reveal: parse::switch(sources, setting::ADMIN_REVEAL)?,
    })
}

fn shared_key(sources: &Sources<'_>) -> Result<Option<SecretString>, ConfigError> {
    let key = parse::secret(sources, setting::MCP_SERVER_API_KEY)?;
    let sendable = |key: &SecretString| {
        let text = key.expose_secret();
        text.trim() == text && !text.chars().any(char::is_control)
    };
    match key {
        // A header field comes without the blanks around it, so that no call would fit.
        Some(key) if !sendable(&key) => Err(ConfigError::of(
            setting::MCP_SERVER_API_KEY,
            "must have no blanks around it and no control characters, as it comes in a header field",
        )),
        key => Ok(key),
    }
}

fn delivery(sources: &Sources<'_>) -> Result<Option<DeliveryAuth>, ConfigError> {
    let secret = parse::secret(sources, setting::WEBHOOK_SECRET)?;
    let shared = match sources.find(setting::WEBHOOK_AUTH)? {
        None => false,
        Some(written) => match written.text.trim() {
            "derived" => false,
            "shared" => true,
            _ => return Err(written.error("must be derived or shared")),
        },
    };
    let origins = match sources.find(setting::WEBHOOK_SHARED_ORIGINS)? {
        Some(written) => parse::items(&written)
            .map(|item| {
                let problem = |error| written.error(format!("{item:?}: {error}"));
                item.parse()
                    .map_err(|error: DeliveryAuthError| problem(error))
            })
            .collect::<Result<Vec<SharedOrigin>, _>>()?,
        None => Vec::new(),
    };
    if shared && origins.is_empty() {
        return Err(ConfigError::of(
            setting::WEBHOOK_SHARED_ORIGINS,
            "webhook_auth is shared; list the origins that may get the secret, such as https://hooks.example.org",
        ));
    }
    let Some(secret) = secret else {
        return match shared {
            true => Err(ConfigError::of(
                setting::WEBHOOK_SECRET,
                "webhook_auth is shared, but there is no secret to share; set one",
            )),
            false => Ok(None),
        };
    };
    let auth = match shared {
        true => DeliveryAuth::shared(secret, origins),
        false => DeliveryAuth::derived(secret),
    };
    auth.map(Some)
        .map_err(|error| ConfigError::of(setting::WEBHOOK_SECRET, error.to_string()))
}

fn client_address(sources: &Sources<'_>) -> Result<ClientAddress, ConfigError> {
    let forward = parse::switch(sources, setting::FORWARD_CLIENT_ADDRESS)?;
    let proxies = match sources.find(setting::TRUSTED_PROXIES)? {
        Some(written) => parse::items(&written)
            .map(|item| {
                item.parse::<IpNet>()
                    .or_else(|_| item.parse::<IpAddr>().map(IpNet::from))
                    .map_err(|_| {
                        written.error(format!(
                            "{item:?} must be an address or a network, such as 10.0.0.0/8"
                        ))
                    })
            })
            .collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    Ok(match forward {
        true => ClientAddress::forwarded(proxies),
        false => ClientAddress::withheld(),
    })
}

fn limits(sources: &Sources<'_>) -> Result<Limits, ConfigError> {
    let default = Limits::default();
    let count = |setting: &'static Setting, default| {
        parse::checked(
            sources,
            setting,
            default,
            |count: &usize| (1..=1_000_000).contains(count),
            "must be a whole number from 1 to 1000000",
        )
    };
    Ok(Limits {
        in_flight: count(setting::MAX_IN_FLIGHT, default.in_flight)?,
        in_flight_per_caller: count(
            setting::MAX_IN_FLIGHT_PER_CALLER,
            default.in_flight_per_caller,
        )?,
        request_timeout: parse::duration(
            sources,
            setting::REQUEST_TIMEOUT,
            default.request_timeout,
        )?,
        body: parse::size(sources, setting::MAX_BODY, default.body)?,
    })
}
