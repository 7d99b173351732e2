//! The queue: each test on both stores.

mod claims;
mod copies;
mod cursors;
mod failures;
#[cfg(feature = "sqlite")]
mod files;
mod gaps;
mod history;
mod isolation;
mod kills;
#[cfg(feature = "postgres")]
mod lists;
mod losses;
mod panics;
mod payers;
#[cfg(feature = "sqlite")]
mod plans;
#[cfg(feature = "postgres")]
mod pooler;
mod receipts;
mod room;
mod takeover;
mod targets;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use portreeve::deliveries::queue::{Mark, Places};
use portreeve::deliveries::{
    AttemptOutcome, Claimed, Completed, Completion, NewReceipt, Queue, QueueError, ReceiptId,
    Scope, Shares, Target, TargetId,
};
use portreeve::vault::{self, CopyError, Records, Store};

pub(crate) const MAX: u64 = 1 << 30;
pub(crate) const SECOND: Duration = Duration::from_secs(1);

/// A database, and the queue of each gateway on it, which read one clock.
pub(crate) struct Place {
    pub(crate) gateways: Vec<Queue>,
    /// The store of the first one.
    pub(crate) store: Arc<dyn Store>,
    records: Records,
    ahead: Arc<AtomicI64>,
    /// The file of the database, or its URL.
    address: String,
    /// What must stay: the folder of a file.
    _kept: Option<tempfile::TempDir>,
}

impl Place {
    #[cfg(feature = "sqlite")]
    pub(crate) async fn sqlite() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let place = Self::sqlite_in(dir.path()).await;
        Some(Self { _kept: Some(dir), ..place })
    }

    #[cfg(feature = "sqlite")]
    pub(crate) async fn sqlite_in(dir: &std::path::Path) -> Self {
        use portreeve::vault::SqliteStore;

        let ahead: Arc<AtomicI64> = Arc::default();
        let (mut gateways, mut stores) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
            let queue = Queue::in_sqlite(&store);
            gateways.push(queue.clock_ahead(ahead.clone()));
            stores.push(store);
        }
        Self {
            gateways,
            records: stores[0].records(),
            store: Arc::new(stores.swap_remove(0)),
            ahead,
            address: dir.join("deliveries.db").display().to_string(),
            _kept: None,
        }
    }

    /// `None` if there is no PostgreSQL.
    #[cfg(feature = "postgres")]
    pub(crate) async fn postgres() -> Option<Self> {
        let server = tokio::task::block_in_place(crate::support::postgres::shared)?;
        Some(Self::postgres_at(&server.database()).await)
    }

    #[cfg(feature = "postgres")]
    pub(crate) async fn postgres_at(url: &str) -> Self {
        use portreeve::vault::PostgresStore;

        let ahead: Arc<AtomicI64> = Arc::default();
        let (mut gateways, mut stores) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            let store = PostgresStore::open(url.parse().unwrap()).await.unwrap();
            let queue = Queue::in_postgres(&store);
            gateways.push(queue.clock_ahead(ahead.clone()));
            stores.push(store);
        }
        Self {
            gateways,
            records: stores[0].records(),
            store: Arc::new(stores.swap_remove(0)),
            ahead,
            address: url.to_owned(),
            _kept: None,
        }
    }

    /// Copies everything to another one; how many receipts.
    pub(crate) async fn copy_to(&self, other: &Self) -> Result<u64, CopyError> {
        let report = vault::copy(&self.records, &other.records).await?;
        Ok(report.rows["receipt"])
    }

    /// Runs SQL in the database, apart from the gateways.
    #[cfg(feature = "postgres")]
    pub(crate) fn psql(&self) -> impl Fn(&str) -> String + Clone + use<> {
        let name = self.address.rsplit_once('/').unwrap().1.to_owned();
        move |sql| crate::support::postgres::shared().unwrap().psql(&name, sql)
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.gateways[0]
    }

    pub(crate) fn pass(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.ahead.fetch_add(millis, Ordering::SeqCst);
    }

    /// Sets the clock back.
    pub(crate) fn step_back(&self, time: Duration) {
        let millis = i64::try_from(time.as_millis()).unwrap();
        self.ahead.fetch_sub(millis, Ordering::SeqCst);
    }

    /// Keeps a receipt of `account`.
    pub(crate) async fn receive(&self, account: &str) -> (ReceiptId, i64) {
        let receipt = receipt(account);
        let id = receipt.id;
        (id, self.queue().insert(receipt, MAX).await.unwrap())
    }

    /// Makes a target of `account`, of all accounts if that is empty.
    pub(crate) async fn target(&self, account: &str) -> TargetId {
        let target = target(account);
        let id = target.id;
        self.queue().add_target(target).await.unwrap();
        id
    }

    pub(crate) async fn targets(&self, account: &str, number: usize) -> Vec<TargetId> {
        let mut targets = Vec::new();
        for _ in 0..number {
            targets.push(self.target(account).await);
        }
        targets
    }

    /// A receipt that is due at each of `targets`: of each account that has some, alice has those of all.
    pub(crate) async fn due(&self, targets: &[TargetId]) -> i64 {
        let mut of_accounts = BTreeMap::from([("alice".to_owned(), Vec::new())]);
        for id in targets {
            let target = self.queue().target(Scope::All, *id).await.unwrap();
            let account = target.and_then(|it| it.account).map_or("alice".into(), String::from);
            of_accounts.entry(account).or_default().push(*id);
        }
        let mut of_alice = 0;
        for (account, targets) in of_accounts {
            let (_, position) = self.receive(&account).await;
            self.queue().fan_out(vec![(position, targets)]).await.unwrap();
            if account == "alice" {
                of_alice = position;
            }
        }
        of_alice
    }
}

pub(crate) fn receipt(account: &str) -> NewReceipt {
    NewReceipt {
        id: ReceiptId::random().unwrap(),
        account: (!account.is_empty()).then(|| account.into()),
        class: r"OCP\Files\Events\Node\NodeCreatedEvent".into(),
        sealed: vec![7; 100].into(),
    }
}

pub(crate) fn target(account: &str) -> Target {
    let account = (!account.is_empty()).then_some(account);
    let maker = portreeve::deliveries::Maker::of("alice");
    Target::new(TargetId::random().unwrap(), account, vec![8; 100].into(), maker)
}

/// The end of the attempt that `claimed` is: delivered, or failed and tried again after `again`.
pub(crate) fn ended(
    claimed: &Claimed,
    outcome: AttemptOutcome,
    again: Option<Duration>,
) -> Completion {
    Completion { claimed: claimed.clone(), outcome: Some(outcome), status: None, again }
}

/// How many attempts are made at once of what was claimed.
pub(crate) fn runs(claimed: &[Claimed]) -> i64 {
    first_of_runs(claimed).len() as i64
}

/// The first attempt of each run.
pub(crate) fn first_of_runs(claimed: &[Claimed]) -> Vec<&Claimed> {
    let mut runs = BTreeSet::new();
    claimed.iter().filter(|it| runs.insert(it.claim)).collect()
}

/// Whoever has read up to this position.
pub(crate) fn at(position: i64) -> Mark {
    Mark { position, ..Mark::default() }
}

pub(crate) fn places(all: usize, failing: usize) -> Places {
    Places { all: Shares::new(all), failing: Shares::new(failing) }
}

/// What a worker does at once, one without the other.
pub(crate) trait Halves {
    async fn complete(&self, ended: Vec<Completion>) -> Result<Vec<Completed>, QueueError>;
    async fn claim(&self, limit: usize, places: Option<Places>)
    -> Result<Vec<Claimed>, QueueError>;
}

impl Halves for Queue {
    async fn complete(&self, ended: Vec<Completion>) -> Result<Vec<Completed>, QueueError> {
        Ok(self.complete_and_claim(ended, 0, places(0, 0)).await?.0)
    }

    async fn claim(
        &self,
        limit: usize,
        places: Option<Places>,
    ) -> Result<Vec<Claimed>, QueueError> {
        let places = places.unwrap_or_else(|| self::places(10_000, 10_000));
        Ok(self.complete_and_claim(Vec::new(), limit, places).await?.1)
    }
}

macro_rules! for_each_store {
    ($($test:ident,)+) => {
        mod on_sqlite {
            $(
                #[cfg(feature = "sqlite")]
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test(super::Place::sqlite().await.unwrap()).await;
                }
            )+
        }

        mod on_postgres {
            $(
                #[cfg(feature = "postgres")]
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    if let Some(place) = super::Place::postgres().await {
                        super::$test(place).await;
                    }
                }
            )+
        }
    };
}
pub(crate) use for_each_store;
