//! The settings of the verifiers of tokens.

use std::path::PathBuf;
use std::time::Duration;

use portreeve::identity::{
    CacheLimits, ClientCredentials, PlainHttp, ProviderUrl, Requirements, UrlError,
    check_destination, is_scope,
};
use portreeve::outbound::Origin;

use super::groupware::GroupwareConfig;
use super::parse;
use super::setting::{self, Setting};
use super::sources::{ConfigError, Sources, Written};

/// The verifiers; there is at least one.
#[derive(Debug, Default)]
pub(crate) struct IdentityConfig {
    pub(crate) tokens_file: Option<PathBuf>,
    pub(crate) issuer: Option<String>,
    pub(crate) introspection: Option<IntrospectionConfig>,
    pub(crate) requirements: Requirements,
    pub(crate) cache: CacheLimits,
    pub(crate) plain_http: PlainHttp,
    pub(crate) ca: Option<PathBuf>,
    /// Servers that must never have a bearer token.
    pub(crate) never: Vec<Origin>,
}

/// How tokens are introspected.
#[derive(Debug)]
pub(crate) struct IntrospectionConfig {
    /// `None` if the issuer's discovery document names it.
    pub(crate) url: Option<ProviderUrl>,
    pub(crate) credentials: ClientCredentials,
    /// Requests that may wait for the check of an unknown token.
    pub(crate) waiting: usize,
}

// === impl IdentityConfig ===

impl IdentityConfig {
    pub(crate) fn read(
        sources: &Sources<'_>,
        groupware: Option<&GroupwareConfig>,
    ) -> Result<Self, ConfigError> {
        let plain_http = match parse::switch(sources, setting::ALLOW_PLAIN_HTTP)? {
            true => PlainHttp::Anywhere,
            false => PlainHttp::Loopback,
        };
        let never = groupware.map(|groupware| groupware.url.origin().clone());
        let config = Self {
            tokens_file: tokens_file(sources)?,
            issuer: issuer(sources, plain_http)?,
            introspection: IntrospectionConfig::read(sources, plain_http, never.as_ref())?,
            requirements: requirements(sources)?,
            cache: cache(sources)?,
            plain_http,
            ca: parse::path(sources, setting::GROUPWARE_CA)?,
            never: never.into_iter().collect(),
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
                "introspection_client_id is set; name the endpoint here, or the issuer that tells it",
            ));
        }
        if self.issuer.is_some() || self.introspection.is_some() {
            return check_recipient(sources);
        }
        for setting in [
            setting::AUDIENCE,
            setting::ALLOWED_CLIENT,
            setting::REQUIRED_SCOPE,
            setting::USER_CLAIM,
            setting::ACCOUNT,
            setting::ACCOUNT_BINDING,
        ] {
            if let Some(written) = sources.find(setting)? {
                return Err(written.error("concerns the tokens of an identity provider; set issuer or introspection_url as well"));
            }
        }
        match self.tokens_file {
            Some(_) => Ok(()),
            None => Err(ConfigError::of(
                setting::TOKENS_FILE,
                "nothing says whose a token is; make a token with `portreeve token new` and name its file here, or set issuer or introspection_url",
            )),
        }
    }
}

// === impl IntrospectionConfig ===

impl IntrospectionConfig {
    fn read(
        sources: &Sources<'_>,
        plain_http: PlainHttp,
        never: Option<&Origin>,
    ) -> Result<Option<Self>, ConfigError> {
        let url = match sources.find(setting::INTROSPECTION_URL)? {
            None => None,
            Some(written) => {
                let url = ProviderUrl::parse(written.text.trim(), plain_http)
                    .map_err(|error| url_error(&written, error))?;
                check_destination(&url, never).map_err(|error| written.error(error.to_string()))?;
                Some(url)
            }
        };
        let id = sources.find(setting::INTROSPECTION_CLIENT_ID)?;
        let secret = parse::secret(sources, setting::INTROSPECTION_CLIENT_SECRET)?;
        let in_flight: usize =
            parse::value(sources, setting::MAX_IN_FLIGHT, "must be a whole number")?;
        let missing = |setting| {
            Err(ConfigError::of(
                setting,
                "is missing; introspection needs a client id and its secret",
            ))
        };
        match (url, id, secret) {
            (None, None, None) => Ok(None),
            (_, None, _) => missing(setting::INTROSPECTION_CLIENT_ID),
            (_, _, None) => missing(setting::INTROSPECTION_CLIENT_SECRET),
            (url, Some(id), Some(secret)) => Ok(Some(Self {
                url,
                credentials: ClientCredentials {
                    id: id.text.trim().into(),
                    secret,
                },
                // So that unknown and known tokens together leave half to requests that need no check.
                waiting: (in_flight / 4).max(1),
            })),
        }
    }
}

/// The file of static tokens.
pub(crate) fn tokens_file(sources: &Sources<'_>) -> Result<Option<PathBuf>, ConfigError> {
    parse::path(sources, setting::TOKENS_FILE)
}

fn issuer(sources: &Sources<'_>, plain_http: PlainHttp) -> Result<Option<String>, ConfigError> {
    let Some(written) = sources.find(setting::ISSUER)? else {
        return Ok(None);
    };
    let issuer = written.text.trim().to_owned();
    ProviderUrl::parse_issuer(&issuer, plain_http).map_err(|error| url_error(&written, error))?;
    Ok(Some(issuer))
}

/// An address of the provider that cannot be used; the library does not know which setting would
/// allow it.
fn url_error(written: &Written, error: UrlError) -> ConfigError {
    written.error(match error {
        UrlError::PlainHttp => {
            "plain http to another machine shows every token to the network, and \
             keys can be forged on the way: use https, or allow it with allow_plain_http"
                .to_owned()
        }
        error => error.to_string(),
    })
}

/// Checks that tokens for another service are not accepted.
fn check_recipient(sources: &Sources<'_>) -> Result<(), ConfigError> {
    for setting in [setting::AUDIENCE, setting::ALLOWED_CLIENT] {
        let written = sources.find(setting)?;
        if written.is_some_and(|list| parse::items(&list).next().is_some()) {
            return Ok(());
        }
    }
    Err(ConfigError::of(
        setting::AUDIENCE,
        "an issuer and introspection need an audience or an allowed_client, else any token would do, also one for another service; name what the tokens for this gateway have as `aud`",
    ))
}

fn requirements(sources: &Sources<'_>) -> Result<Requirements, ConfigError> {
    let list = |setting: &'static Setting| {
        let Some(written) = sources.find(setting)? else {
            return Ok(Vec::new());
        };
        for item in parse::items(&written) {
            // Neither an audience nor a client that a provider names has one, but a list that was
            // meant to be several has.
            if item.contains(char::is_whitespace) {
                return Err(written.error(format!(
                    "{item:?} has a blank in it; separate several with commas"
                )));
            }
            if setting.key == setting::REQUIRED_SCOPE.key && !is_scope(item) {
                return Err(written.error(format!(
                    "{item:?} is no scope: visible ASCII without quotes and backslashes"
                )));
            }
        }
        Ok(parse::items(&written)
            .map(str::to_owned)
            .collect::<Vec<_>>())
    };
    let mut requirements = Requirements::new();
    for audience in list(setting::AUDIENCE)? {
        requirements = requirements.audience(audience);
    }
    for client in list(setting::ALLOWED_CLIENT)? {
        requirements = requirements.allowed_client(client);
    }
    for scope in list(setting::REQUIRED_SCOPE)? {
        requirements = requirements.required_scope(scope);
    }
    let claim = sources.find_or_default(setting::USER_CLAIM)?;
    Ok(requirements.user_claim(claim.text.trim()))
}

fn cache(sources: &Sources<'_>) -> Result<CacheLimits, ConfigError> {
    let ttl = parse::checked(
        sources,
        setting::TOKEN_CACHE_TTL,
        |ttl: &humantime::Duration| **ttl <= Duration::from_secs(86_400),
        "must be a time up to 1day with its unit, such as 60s; 0s remembers nothing",
    )?;
    let entries = parse::checked(
        sources,
        setting::TOKEN_CACHE_SIZE,
        |entries| *entries <= 10_000_000,
        "must be a whole number up to 10000000; 0 remembers nothing",
    )?;
    Ok(CacheLimits {
        ttl: ttl.into(),
        entries,
    })
}
