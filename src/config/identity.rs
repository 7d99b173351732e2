//! The settings of the verifiers of tokens.

use std::fmt::Display;
use std::path::PathBuf;

use portreeve::identity::{
    CacheLimits, ClientCredentials, Requirements, check_destination, discovery_url,
};
use portreeve::outbound::{HttpUrl, PlainHttp};

use super::fault::ConfigError;
use super::groupware::{GroupwareConfig, plain_http};
use super::setting::{self, Setting};
use super::sources::Sources;

/// The verifiers, at least one.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdentityConfig {
    pub(crate) tokens_file: Option<PathBuf>,
    pub(crate) issuer: Option<String>,
    pub(crate) introspection: Option<IntrospectionConfig>,
    pub(crate) requirements: Requirements,
    pub(crate) cache: CacheLimits,
    pub(crate) plain_http: PlainHttp,
    pub(crate) ca: Option<PathBuf>,
    /// The server that must never receive a bearer token.
    pub(crate) never: Option<HttpUrl>,
}

#[derive(Clone, Debug)]
pub(crate) struct IntrospectionConfig {
    /// `None` if it is taken from the discovery document of the issuer.
    pub(crate) url: Option<HttpUrl>,
    pub(crate) credentials: ClientCredentials,
    /// How many requests may wait for the introspection of unknown tokens.
    pub(crate) waiting: usize,
}

// === impl IdentityConfig ===

impl IdentityConfig {
    pub(crate) fn read(
        sources: &Sources<'_>,
        groupware: Option<&GroupwareConfig>,
    ) -> Result<Self, ConfigError> {
        let plain_http = plain_http(sources)?;
        let never = groupware.map(|groupware| groupware.url.clone());
        let mut cache = CacheLimits::default();
        cache.ttl = sources.get(setting::TOKEN_CACHE_TTL)?;
        cache.entries = sources.get(setting::TOKEN_CACHE_SIZE)?;
        let config = Self {
            tokens_file: sources.get_opt(setting::TOKENS_FILE)?,
            issuer: issuer(sources, plain_http)?,
            introspection: IntrospectionConfig::read(sources, plain_http, never.as_ref())?,
            requirements: requirements(sources)?,
            cache,
            plain_http,
            ca: sources.get_opt(setting::GROUPWARE_CA)?,
            never,
        };
        config.check(sources)?;
        Ok(config)
    }

    fn check(&self, sources: &Sources<'_>) -> Result<(), ConfigError> {
        if let (None, Some(IntrospectionConfig { url: None, .. })) =
            (&self.issuer, &self.introspection)
        {
            return Err(ConfigError::of(
                setting::INTROSPECTION_URL,
                "is needed, as introspection_client_id is set; name the endpoint here, or set the \
                 issuer that announces it",
            ));
        }
        if self.issuer.is_some() || self.introspection.is_some() {
            return check_recipient(sources);
        }
        let of_provider: [&'static Setting; 6] = [
            setting::AUDIENCE,
            setting::ALLOWED_CLIENT,
            setting::REQUIRED_SCOPE,
            setting::USER_CLAIM,
            setting::ACCOUNT,
            setting::ACCOUNT_BINDING,
        ];
        for setting in of_provider {
            if let Some(written) = sources.raw(setting)? {
                return Err(written.error("applies only to tokens of an identity provider; set issuer or introspection_url as well"));
            }
        }
        if self.tokens_file.is_some() {
            return Ok(());
        }
        let without = " and no portreeve.toml was found, which `portreeve init` makes";
        let no_file = sources.file().map_or(without, |_| "");
        let problem = format_args!(
            "no source of tokens is configured{no_file}; create a token with `portreeve token new` and name its file \
             here, or set issuer or introspection_url"
        );
        Err(ConfigError::of(setting::TOKENS_FILE, problem))
    }
}

// === impl IntrospectionConfig ===

impl IntrospectionConfig {
    fn read(
        sources: &Sources<'_>,
        plain_http: PlainHttp,
        never: Option<&HttpUrl>,
    ) -> Result<Option<Self>, ConfigError> {
        let url = sources.get_opt(setting::INTROSPECTION_URL)?;
        if let Some(url) = &url {
            let fault = |problem: &dyn Display| sources.error(setting::INTROSPECTION_URL, problem);
            url.check(plain_http).map_err(|error| fault(&error))?;
            check_destination(url, never).map_err(|error| fault(&error))?;
        }
        let id = sources.get_opt(setting::INTROSPECTION_CLIENT_ID)?;
        let secret = sources.get_opt(setting::INTROSPECTION_CLIENT_SECRET)?;
        let in_flight = sources.get(setting::MAX_IN_FLIGHT)?;
        let problem = "is not set; introspection needs a client id and its secret";
        let missing = |setting: &'static Setting| Err(ConfigError::of(setting, problem));
        match (url, id, secret) {
            (None, None, None) => Ok(None),
            (_, None, _) => missing(setting::INTROSPECTION_CLIENT_ID),
            (_, _, None) => missing(setting::INTROSPECTION_CLIENT_SECRET),
            (url, Some(id), Some(secret)) => Ok(Some(Self {
                url,
                credentials: ClientCredentials { id: id.into(), secret },
                // So that unknown and known tokens together leave half of them to requests without introspection.
                waiting: (in_flight / 4).max(1),
            })),
        }
    }
}

fn issuer(sources: &Sources<'_>, plain_http: PlainHttp) -> Result<Option<String>, ConfigError> {
    let issuer = sources.get_opt(setting::ISSUER)?;
    if let Some(issuer) = &issuer {
        discovery_url(issuer, plain_http).map_err(|error| sources.error(setting::ISSUER, error))?;
    }
    Ok(issuer)
}

/// Checks that tokens for another service are not accepted.
fn check_recipient(sources: &Sources<'_>) -> Result<(), ConfigError> {
    for setting in [setting::AUDIENCE, setting::ALLOWED_CLIENT] {
        if !sources.get_or_empty(setting)?.is_empty() {
            return Ok(());
        }
    }
    Err(ConfigError::of(
        setting::AUDIENCE,
        "an issuer or introspection needs audience or allowed_client: otherwise tokens for other \
         services would be accepted; set it to the `aud` of the tokens for this gateway",
    ))
}

fn requirements(sources: &Sources<'_>) -> Result<Requirements, ConfigError> {
    let mut requirements = Requirements::default();
    requirements.audiences = sources.get_or_empty(setting::AUDIENCE)?;
    requirements.allowed_clients = sources.get_or_empty(setting::ALLOWED_CLIENT)?;
    requirements.required_scopes = sources.get_or_empty(setting::REQUIRED_SCOPE)?;
    requirements.user_claim = sources.get(setting::USER_CLAIM)?;
    Ok(requirements)
}
