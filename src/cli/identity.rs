//! Opens the verifiers of tokens, and queries the identity provider at the start.

use std::sync::Arc;

use portreeve::identity::{
    BearerToken, CheckObserver, Discovered, IntrospectionEndpoint, IntrospectionVerifier,
    JwtVerifier, OpenIdProvider, ProviderClient, StaticTokens, TokenVerifier, Verifiers,
    VerifyError, check_destination,
};
use portreeve::metrics::Metrics;

use super::Failure;
use super::tls;
use crate::config::setting::{AUDIENCE, GROUPWARE_CA, INTROSPECTION_URL, ISSUER, TOKENS_FILE};
use crate::config::{ConfigError, IdentityConfig, IntrospectionConfig};

/// The configured verifiers, not yet combined.
pub(super) struct Identity {
    config: IdentityConfig,
    tokens: Option<StaticTokens>,
    jwt: Option<JwtVerifier>,
    introspection: Option<IntrospectionVerifier>,
}

impl Identity {
    pub(super) fn open(config: &IdentityConfig) -> Result<Self, ConfigError> {
        let tokens = config.tokens_file.as_deref().map(StaticTokens::open);
        let tokens = tokens.transpose().map_err(|error| ConfigError::of(TOKENS_FILE, error))?;
        let mut identity = Self { config: config.clone(), tokens, jwt: None, introspection: None };
        // The certificates of the system are only read if a provider is configured.
        if config.issuer.is_none() && config.introspection.is_none() {
            return Ok(identity);
        }
        let ca = config.ca.as_deref().map(tls::authorities).transpose()?;
        let client = ProviderClient::with_system_roots(ca.unwrap_or_default())
            .map_err(|error| ConfigError::of(GROUPWARE_CA, error))?;
        if let Some(issuer) = config.issuer.as_deref() {
            let provider = OpenIdProvider::new(issuer, config.plain_http, client.clone())
                .map_err(|error| ConfigError::of(ISSUER, error))?;
            let requirements = config.requirements.clone();
            let jwt = JwtVerifier::new(provider, requirements);
            identity.jwt = Some(jwt.map_err(|error| ConfigError::of(AUDIENCE, error))?);
        }
        if let Some(settings) = &config.introspection {
            let provider = identity.provider();
            identity.introspection = Some(introspection(config, settings, client, provider)?);
        }
        Ok(identity)
    }

    /// The verifiers, ready to serve.
    ///
    /// A provider that does not answer does not prevent the start, as it may be starting as well. One that names
    /// an introspection endpoint on the groupware server does, since tokens would leak there.
    ///
    /// `metrics` counts their decisions.
    pub(super) async fn start(self, metrics: Option<&Arc<Metrics>>) -> Result<Verifiers, Failure> {
        if let Some(provider) = self.provider().cloned() {
            if self.discovers_endpoint() {
                if let Ok(discovered) = provider.discover().await {
                    self.check(&discovered)?;
                }
            } else {
                // So that the first token does not have to wait for the keys. Failures are logged by the verifier.
                tokio::spawn(async move { provider.discover().await.map(drop) });
            }
        }
        let mut verifiers = Verifiers::new(self.config.cache);
        (verifiers.jwt, verifiers.static_tokens) = (self.jwt, self.tokens);
        verifiers.introspection = self.introspection;
        verifiers.observer = metrics.map(|metrics| metrics.clone() as Arc<dyn CheckObserver>);
        Ok(verifiers)
    }

    /// Fetches what is needed of the provider, and has the introspection endpoint check the client's credentials.
    pub(super) async fn ask(&self) -> Result<Option<Discovered>, ConfigError> {
        let mut discovered = None;
        if let Some(provider) = self.provider() {
            let found =
                provider.discover().await.map_err(|error| ConfigError::of(ISSUER, error))?;
            self.check(&found)?;
            discovered = Some(found);
        }
        if let Some(introspection) = &self.introspection {
            let unknown = BearerToken::new("portreeve-check-config").expect("it is a b64token");
            let (head, ()) = http::Request::new(()).into_parts();
            let problem = match introspection.verify(&unknown, &head).await {
                Err(VerifyError::Unavailable(cause)) => cause.to_string(),
                Err(_) => return Ok(discovered),
                Ok(_) => "the endpoint reports a made-up token as active, so it is not an introspection endpoint".into(),
            };
            return Err(ConfigError::of(INTROSPECTION_URL, problem));
        }
        Ok(discovered)
    }

    fn provider(&self) -> Option<&OpenIdProvider> {
        self.jwt.as_ref().map(JwtVerifier::provider)
    }

    /// Whether the introspection endpoint is the one that discovery names.
    fn discovers_endpoint(&self) -> bool {
        let settings = self.config.introspection.as_ref();
        settings.is_some_and(|settings| settings.url.is_none())
    }

    fn check(&self, discovered: &Discovered) -> Result<(), ConfigError> {
        if !self.discovers_endpoint() {
            return Ok(());
        }
        let problem = match &discovered.introspection_url {
            Some(url) => check_destination(url, &self.config.never).map_err(|it| it.to_string()),
            None => Err(
                "the issuer announces no introspection endpoint; name it here, or unset introspection_client_id".into(),
            ),
        };
        problem.map_err(|problem| ConfigError::of(INTROSPECTION_URL, problem))
    }
}

fn introspection(
    config: &IdentityConfig,
    settings: &IntrospectionConfig,
    client: ProviderClient,
    provider: Option<&OpenIdProvider>,
) -> Result<IntrospectionVerifier, ConfigError> {
    let endpoint = match (&settings.url, provider) {
        (Some(url), _) => IntrospectionEndpoint::Url(url.clone()),
        (None, Some(provider)) => IntrospectionEndpoint::Discovered(provider.clone()),
        (None, None) => unreachable!("the settings name an endpoint or an issuer"),
    };
    let never = config.never.iter().cloned();
    let (credentials, requirements) = (&settings.credentials, config.requirements.clone());
    let verifier = IntrospectionVerifier::new(client, endpoint, credentials, never, requirements)
        .map_err(|error| ConfigError::of(INTROSPECTION_URL, error))?
        .waiting(settings.waiting);
    Ok(match &config.issuer {
        Some(issuer) => verifier.issuer(issuer.as_str()),
        None => verifier,
    })
}
