use axum::Router;
use axum::routing::get;
use portreeve::gateway::{Gateway, Settings};
use portreeve::groupware::{DeliveryAuth, Groupware};
use portreeve::identity::{StaticTokens, TokenVerifier};
use portreeve::outbound::HttpUrl;
use portreeve::vault::{Keyring, MemoryStore, Vault};
use secrecy::SecretString;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

pub fn app(
    verifier: impl TokenVerifier,
    vault: Vault,
    nextcloud: HttpUrl,
    webhook_secret: SecretString,
) -> Result<Router> {
    let mut settings = Settings::default();
    settings.delivery = Some(DeliveryAuth::derived(webhook_secret)?);
    settings.max_in_flight = 256;
    let gateway = Gateway::new(verifier, vault)
        .groupware(Groupware::new(nextcloud, Default::default())?)
        .settings(settings);
    Ok(Router::new()
        .route("/about", get(async || "mine"))
        .route_service("/api/v1/{*path}", gateway.into_service()?))
}

#[tokio::main]
async fn main() -> Result<()> {
    let vault = Vault::new(Keyring::generate()?, MemoryStore::new());
    let nextcloud = "https://cloud.example.org".parse()?;
    let secret = std::env::var("WEBHOOK_SECRET")?;
    let tokens = StaticTokens::open("tokens")?;
    let app = app(tokens, vault, nextcloud, secret.into())?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    axum::serve(listener, app).await?;
    Ok(())
}
