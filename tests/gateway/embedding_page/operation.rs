use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::map_request;
use axum::routing::get;
use portreeve::gateway::{ClientAddress, Gateway, Settings, Shared};
use portreeve::groupware::{ClientSettings, Groupware};
use portreeve::identity::Verifiers;
use portreeve::metrics::{Build, CONTENT_TYPE, Exporter, Metrics};
use portreeve::outbound::HttpUrl;
use portreeve::vault::{Keyring, SqliteStore, Vault};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

async fn with_peer(ConnectInfo(peer): ConnectInfo<SocketAddr>, mut request: Request) -> Request {
    request.extensions_mut().insert(peer);
    request
}

pub async fn serve(
    mut verifiers: Verifiers,
    keyring: Keyring,
    mut store: SqliteStore,
    nextcloud: HttpUrl,
    listener: TcpListener,
    ended: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Box<dyn std::error::Error>> {
    let metrics = Arc::new(Metrics::new(Build { version: "1.0.0", revision: "4bf92f3577b3" }));
    verifiers.observer = Some(metrics.clone());
    // Before the vault has it.
    store.observer = Some(metrics.clone());
    let vault = Vault::new(keyring, store);
    let mut client = ClientSettings::default();
    client.observer = Some(metrics.clone());
    let mut settings = Settings::default();
    settings.client_address = ClientAddress::forwarded([]);
    let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
    let shared = Shared::new(vault.clone(), &settings, tasks.clone());
    let gateway = Gateway::new(verifiers, vault.clone())
        .groupware(Groupware::new(nextcloud, client)?)
        .settings(settings)
        .tasks(tasks.clone())
        .shared(shared.clone())
        .observer(metrics.clone());

    let mut exporter = Exporter::new(metrics);
    exporter.vault = Some(vault);
    let scrape = get(async move || ([("content-type", CONTENT_TYPE)], exporter.text().await));
    // It asks for no token: hide it at the proxy.
    let app = Router::new().route("/metrics", scrape);
    let app = app.fallback_service(gateway.into_service()?).layer(map_request(with_peer));
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    let stopping = shared.clone();
    let serving = axum::serve(listener, app).with_graceful_shutdown(async move {
        ended.await;
        stopping.stop_waits();
    });
    serving.await?;
    // Of the worker of deliveries, if there is one.
    stop.cancel();
    tasks.close();
    tasks.wait().await;
    shared.close();
    Ok(())
}
