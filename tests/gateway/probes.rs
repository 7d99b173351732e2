//! How often `/readyz` asks the store (docs/API.md, section 9).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{Request, Response, StatusCode};
use http_body_util::{Empty, Full};
use portreeve::gateway::layer::probes::ProbeLayer;
use portreeve::vault::{
    Change, Committed, CredentialCounts, Keyring, MemoryStore, PermitLease, Row, Sealed, Store,
    StoreError, StoreFuture, Table, Vault,
};
use tower::{Service, ServiceBuilder, ServiceExt as _};

/// How long the store takes to say whether it answers.
const TAKES: Duration = Duration::from_millis(300);

/// Counts the questions whether it answers.
#[derive(Clone, Debug, Default)]
struct Counting {
    inner: MemoryStore,
    asked: Arc<AtomicUsize>,
    at_once: Arc<AtomicUsize>,
    fails: Arc<AtomicBool>,
}

impl Sealed for Counting {}

impl Store for Counting {
    fn get<'a>(&'a self, table: Table, key: &'a str) -> StoreFuture<'a, Option<Arc<Row>>> {
        self.inner.get(table, key)
    }

    fn page<'a>(
        &'a self,
        table: Table,
        owner: Option<&'a str>,
        after: Option<&'a str>,
        limit: usize,
    ) -> StoreFuture<'a, Vec<Arc<Row>>> {
        self.inner.page(table, owner, after, limit)
    }

    fn commit(&self, action: &'static str, changes: Vec<Change>) -> StoreFuture<'_, Committed> {
        self.inner.commit(action, changes)
    }

    fn count(&self) -> StoreFuture<'_, CredentialCounts> {
        self.inner.count()
    }

    fn lease_permits(&self) -> Option<Box<dyn PermitLease>> {
        self.inner.lease_permits()
    }

    fn ready(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            self.asked.fetch_add(1, Ordering::SeqCst);
            let others = self.at_once.fetch_add(1, Ordering::SeqCst);
            assert_eq!(others, 0, "two questions at once");
            tokio::time::sleep(TAKES).await;
            self.at_once.fetch_sub(1, Ordering::SeqCst);
            match self.fails.load(Ordering::SeqCst) {
                true => Err(StoreError::new("reach the credentials", "it is away")),
                false => Ok(()),
            }
        })
    }
}

/// A service with the probes, and nothing else, on a store.
fn probes(
    store: &Counting,
) -> impl Service<
    Request<Empty<Bytes>>,
    Response = Response<Full<Bytes>>,
    Error = std::convert::Infallible,
    Future: Send,
> + Clone {
    let vault = Vault::new(Keyring::generate().unwrap(), store.clone());
    ServiceBuilder::new()
        .layer(ProbeLayer::new(vault))
        .service_fn(|_| async { Ok(Response::new(Full::default())) })
}

#[tokio::test(start_paused = true)]
async fn api_9_readyz_asks_the_store_once_at_a_time_and_its_answer_counts_for_a_second() {
    let store = Counting::default();
    let service = probes(&store);
    let ask = || {
        let request = Request::get("/readyz").body(Empty::new()).unwrap();
        let answer = service.clone().oneshot(request);
        async { answer.await.unwrap().status() }
    };
    let asked = || store.asked.load(Ordering::SeqCst);

    let answers = join_all((0..500).map(|_| ask())).await;
    assert!(answers.iter().all(|status| *status == StatusCode::OK));
    assert_eq!(asked(), 1);

    store.fails.store(true, Ordering::SeqCst);
    tokio::time::advance(Duration::from_millis(900)).await;
    assert_eq!((ask().await, asked()), (StatusCode::OK, 1));
    tokio::time::advance(Duration::from_millis(100)).await;
    // A caller who leaves does not make room for another question.
    let left = tokio::time::timeout(TAKES / 3, ask()).await;
    assert!(left.is_err());
    let answers = join_all((0..500).map(|_| ask())).await;
    let is_away = |status: &StatusCode| *status == StatusCode::SERVICE_UNAVAILABLE;
    assert!(answers.iter().all(is_away));
    assert_eq!(asked(), 2);

    store.fails.store(false, Ordering::SeqCst);
    tokio::time::advance(Duration::from_secs(1)).await;
    assert_eq!((ask().await, asked()), (StatusCode::OK, 3));
}
