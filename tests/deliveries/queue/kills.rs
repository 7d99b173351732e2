//! What was acknowledged survives `kill -9` of the gateway, and of the database.
//!
//! `PORTREEVE_CRASH_ROUNDS=300 cargo test --test deliveries kills` makes it 300 kills of each.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Stdio};
#[cfg(feature = "postgres")]
use std::sync::{Arc, Mutex};
use std::time::Duration;

use portreeve::deliveries::queue::{Accounts, LEASE};
use portreeve::deliveries::{
    AttemptOutcome, Completed, DeliveryId, DeliveryState, Queue, ReceiptId, Scope,
};

use super::{Halves as _, MAX, Place, at, ended, receipt};
use crate::support::seed;
#[cfg(feature = "postgres")]
use crate::target::until;

/// Names the folder of the database of a child that is to be killed.
const VARIABLE: &str = "PORTREEVE_TEST_OF_KILLS";

fn rounds(few: u32) -> u32 {
    std::env::var("PORTREEVE_CRASH_ROUNDS").map_or(few, |text| text.parse().unwrap())
}

/// Receives, fans out, claims and completes, until it is killed or an error shows that the database was; `told` hears
/// what was acknowledged.
async fn work(queue: Queue, told: impl Fn(String) + Clone + Send + Sync + 'static) {
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (queue, told) = (queue.clone(), told.clone());
        tasks.spawn(async move {
            loop {
                let receipt = receipt("alice");
                let id = receipt.id;
                if queue.insert(receipt, MAX).await.is_err() {
                    return;
                }
                told(format!("received {id}"));
            }
        });
    }
    let failed = async {
        loop {
            let receipts = queue.lease(64, Accounts::AllBut(&[])).await?;
            let targets = queue.targets_for(Some("alice")).await?;
            let ids: Vec<_> = targets.iter().map(|it| it.id).collect();
            let wanted = receipts.iter().map(|it| (it.position, ids.clone()));
            queue.fan_out(wanted.collect()).await?;
            let claimed = queue.claim(64, None).await?;
            for claimed in &claimed {
                told(format!("sent {}", claimed.id()));
            }
            let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
            for (done, claimed) in queue.complete(done.collect()).await?.iter().zip(&claimed) {
                if *done == Completed::Done {
                    told(format!("delivered {}", claimed.id()));
                }
            }
        }
    };
    let failed: Result<(), portreeve::deliveries::QueueError> = failed.await;
    drop(failed);
    tasks.join_all().await;
}

/// What was told of so far.
#[derive(Default)]
struct Known {
    received: BTreeSet<ReceiptId>,
    delivered: BTreeSet<DeliveryId>,
    sent: BTreeMap<DeliveryId, u32>,
}

impl Known {
    fn hear(&mut self, line: &str) {
        match line.split_once(' ').unwrap() {
            ("received", id) => _ = self.received.insert(id.parse().unwrap()),
            ("delivered", id) => _ = self.delivered.insert(id.parse().unwrap()),
            (_, id) => *self.sent.entry(id.parse().unwrap()).or_default() += 1,
        }
    }

    /// Compares it with what is kept.
    async fn check(&self, queue: &Queue) {
        let (mut kept, mut after) = (BTreeSet::new(), 0);
        loop {
            let events = queue.events(Scope::All, at(after), 300).await.unwrap();
            if events.receipts.is_empty() {
                break;
            }
            kept.extend(events.receipts.iter().map(|it| it.id));
            after = events.through.position;
        }
        let lost: Vec<_> = self.received.difference(&kept).collect();
        assert!(lost.is_empty(), "{} receipts of {} are lost", lost.len(), kept.len());
        for id in &self.delivered {
            let found = queue.delivery(Scope::All, *id).await.unwrap().unwrap();
            assert_eq!(found.state, DeliveryState::Delivered, "{id}");
        }
    }

    /// Delivers all that still waits: each receipt goes to the one target.
    async fn check_all_arrive(&mut self, place: &Place) {
        let queue = place.queue();
        let target = queue.targets(Scope::All, None, 2).await.unwrap()[0].id;
        let idle = |counts: portreeve::deliveries::Counts| counts.pending == 0;
        while !idle(queue.counts().await.unwrap()) {
            place.pass(LEASE);
            let receipts = queue.lease(300, Accounts::AllBut(&[])).await.unwrap();
            let wanted = receipts.iter().map(|it| (it.position, vec![target]));
            queue.fan_out(wanted.collect()).await.unwrap();
            let claimed = queue.claim(64, None).await.unwrap();
            let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
            queue.complete(done.collect()).await.unwrap();
            for claimed in claimed {
                self.hear(&format!("sent {}", claimed.id()));
            }
        }
        for receipt in &self.received {
            let id = DeliveryId { receipt: *receipt, target };
            assert!(self.sent.contains_key(&id), "{id} never arrived");
        }
        let doubles = self.sent.values().filter(|times| **times > 1).count();
        println!("{} receipts, {doubles} deliveries twice", self.received.len());
    }
}

/// Runs in the child only.
#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn child() {
    if let Some(dir) = std::env::var_os(VARIABLE) {
        let place = Place::sqlite_in(Path::new(&dir)).await;
        // A line of its own, whole: other lines are the harness's.
        work(place.gateways[0].clone(), |line| {
            use std::io::Write as _;
            _ = std::io::stdout().write_all(format!("\n>{line}\n").as_bytes());
        })
        .await;
    }
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_kills_of_the_gateway() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::sqlite_in(dir.path()).await;
    place.target("alice").await;
    drop(place);
    let (mut random, mut known) = (seed::rng(), Known::default());
    for _ in 0..rounds(8) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["queue::kills::child", "--exact", "--nocapture"])
            .env(VARIABLE, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap());
        let mut text = String::new();
        // Until it has begun.
        while !text.contains('>') {
            assert!(told.read_line(&mut text).unwrap() > 0, "{text}");
        }
        let hearing = std::thread::spawn(move || {
            _ = told.read_to_string(&mut text);
            text
        });
        std::thread::sleep(Duration::from_millis(random.u64(0..600)));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = hearing.join().unwrap();
        // The last line may be cut off.
        let whole = text.rsplit_once('\n').map_or("", |it| it.0);
        for line in whole.lines().filter_map(|line| line.strip_prefix('>')) {
            known.hear(line);
        }
        let place = Place::sqlite_in(dir.path()).await;
        known.check(place.queue()).await;
    }
    assert!(known.received.len() > 10, "{}", known.received.len());
    known.check_all_arrive(&Place::sqlite_in(dir.path()).await).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_survives_kills_of_the_database() {
    use crate::support::postgres::Postgres;

    let Some(mut server) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let place = Place::postgres_at(&server.database()).await;
    place.target("alice").await;
    let mut random = seed::rng();
    let known: Arc<Mutex<Known>> = Arc::default();
    for _ in 0..rounds(4) {
        let told = known.clone();
        let tell = move |line: String| told.lock().unwrap().hear(&line);
        let working = place.gateways.iter().map(|it| tokio::spawn(work(it.clone(), tell.clone())));
        let working: Vec<_> = working.collect();
        let before = known.lock().unwrap().received.len();
        until("it works", async || known.lock().unwrap().received.len() > before).await;
        tokio::time::sleep(Duration::from_millis(random.u64(0..800))).await;
        server.kill();
        for working in working {
            working.await.unwrap();
        }
        server.start_again();
        while place.queue().counts().await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        // Nobody works at present.
        let so_far = std::mem::take(&mut *known.lock().unwrap());
        so_far.check(place.queue()).await;
        *known.lock().unwrap() = so_far;
    }
    let mut known = std::mem::take(&mut *known.lock().unwrap());
    assert!(known.received.len() > 10, "{}", known.received.len());
    known.check_all_arrive(&place).await;
}
