//! A database that has lost what was acknowledged, while gateways work on it: whoever reads is told of that.

#[cfg(feature = "postgres")]
use std::collections::BTreeSet;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portreeve::deliveries::queue::{Gap, GapReason, Mark};
use portreeve::deliveries::{Queue, ReceiptId, Scope};

use super::{MAX, Place, SECOND, at, for_each_store, receipt};
#[cfg(feature = "postgres")]
use crate::target::until;

for_each_store! {
    whoever_reads_is_told_of_what_was_lost,
    a_sign_of_life_tells_of_it,
    a_gateway_that_stops_tells_of_it,
    it_is_found_although_others_have_the_positions,
    nothing_is_kept_before_it_can_be_told,
    what_was_removed_is_not_lost,
    what_was_not_acknowledged_is_not_lost,
}

const SCOPE: Scope<'_> = Scope::Account("alice");
const KEEP: Duration = Duration::from_secs(3600);

impl Place {
    /// Carries out statements, with `portreeve.` before each table.
    fn execute(&self, sql: &str) {
        #[cfg(feature = "postgres")]
        if let Some((_, name)) = self.address.rsplit_once('/').filter(|it| it.0.contains("://")) {
            let server = crate::support::postgres::shared().unwrap();
            tokio::task::block_in_place(|| server.psql(name, sql));
            return;
        }
        #[cfg(feature = "sqlite")]
        rusqlite::Connection::open(&self.address)
            .unwrap()
            .execute_batch(&sql.replace("portreeve.", ""))
            .unwrap();
    }

    /// Keeps what the database has now, or makes it what it was then, as a restore does.
    fn save(&self, is_back: bool) {
        if self.address.contains("://") {
            let change = match is_back {
                false => {
                    "DROP TABLE IF EXISTS saved.%1$I; CREATE TABLE saved.%1$I AS TABLE portreeve.%1$I"
                }
                true => {
                    "DELETE FROM portreeve.%1$I; INSERT INTO portreeve.%1$I SELECT * FROM saved.%1$I"
                }
            };
            self.execute(&format!(
                "CREATE SCHEMA IF NOT EXISTS saved; DO $$ DECLARE name text; BEGIN \
                     FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'portreeve' LOOP \
                         EXECUTE format('{change}', name); \
                     END LOOP; \
                 END $$"
            ));
            return;
        }
        #[cfg(feature = "sqlite")]
        {
            let saved = format!("{}.saved", self.address);
            let mut database = rusqlite::Connection::open(&self.address).unwrap();
            match is_back {
                false => database.backup("main", saved, None::<fn(_)>).unwrap(),
                true => database.restore("main", saved, None::<fn(_)>).unwrap(),
            }
        }
    }

    /// Loses all that `gateway` has kept since; returns when that was received.
    async fn lose(&self, gateway: &Queue) -> [SystemTime; 2] {
        self.save(false);
        self.pass(3 * SECOND);
        let mut lost = Vec::new();
        for _ in 0..2 {
            let position = gateway.insert(receipt("alice"), MAX).await.unwrap();
            lost.push(gateway.receipt(position).await.unwrap().unwrap().received_at);
            self.pass(SECOND);
        }
        self.save(true);
        [lost[0], lost[1]]
    }

    /// There is one gap, and it has all that was received at these times, but not much more than that.
    async fn assert_told(&self, after: Mark, lost: [SystemTime; 2]) {
        let found = self.queue().gaps(after.gap, UNIX_EPOCH).await.unwrap();
        let [Gap { from, until, reason: GapReason::Lost, .. }] = &*found else {
            panic!("{found:?}");
        };
        assert!(*from <= lost[0] && *until >= lost[1], "{found:?} {lost:?}");
        assert!(*from >= lost[0] - 60 * SECOND && *until <= lost[1] + 60 * SECOND, "{found:?}");
    }
}

/// What follows for alice, and how far that is.
async fn read(queue: &Queue, after: Mark) -> (Vec<ReceiptId>, Mark) {
    let events = queue.events(SCOPE, after, 300).await.unwrap();
    // What was read last is there.
    assert!(!events.is_gap);
    (events.receipts.iter().map(|it| it.id).collect(), events.through)
}

async fn whoever_reads_is_told_of_what_was_lost(place: Place) {
    let queue = place.queue();
    place.receive("alice").await;
    let (_, reader) = read(queue, at(0)).await;
    let (kept, _) = place.receive("alice").await;
    // What is lost later is told, too.
    for gaps in [0, 1] {
        let lost = place.lose(queue).await;
        let told = queue.gaps(0, UNIX_EPOCH).await.unwrap();
        assert_eq!(told.len(), gaps);
        let gap = told.last().map_or(0, |it| it.number);
        place.receive("bob").await;
        place.assert_told(Mark { gap, ..reader }, lost).await;
        for _ in 0..2 {
            place.receive("bob").await;
            queue.sign_of_life(KEEP).await.unwrap();
        }
        assert_eq!(queue.gaps(0, UNIX_EPOCH).await.unwrap().len(), gaps + 1);
        assert_eq!(read(queue, reader).await.0, [kept]);
    }
}

async fn a_sign_of_life_tells_of_it(place: Place) {
    let (queue, other) = (place.queue(), &place.gateways[1]);
    for gateway in [queue, other] {
        gateway.sign_of_life(KEEP).await.unwrap();
    }
    place.receive("alice").await;
    let (_, reader) = read(queue, at(0)).await;
    let lost = place.lose(queue).await;
    // This one knows nothing of it.
    other.sign_of_life(KEEP).await.unwrap();
    assert_eq!(queue.gaps(0, UNIX_EPOCH).await.unwrap(), []);
    for _ in 0..3 {
        queue.sign_of_life(KEEP).await.unwrap();
        place.assert_told(reader, lost).await;
        place.pass(SECOND);
    }
    place.receive("alice").await;
    place.assert_told(reader, lost).await;
}

async fn a_gateway_that_stops_tells_of_it(place: Place) {
    let queue = place.queue();
    queue.sign_of_life(KEEP).await.unwrap();
    let lost = place.lose(queue).await;
    queue.leave().await.unwrap();
    place.assert_told(at(0), lost).await;
}

/// Also if there are more of them by then.
async fn it_is_found_although_others_have_the_positions(place: Place) {
    place.receive("alice").await;
    let (_, reader) = read(place.queue(), at(0)).await;
    let lost = place.lose(place.queue()).await;
    for _ in 0..3 {
        place.gateways[1].insert(receipt("alice"), MAX).await.unwrap();
    }
    assert_eq!(read(place.queue(), reader).await.0.len(), 3);
    place.receive("alice").await;
    place.assert_told(reader, lost).await;
}

async fn nothing_is_kept_before_it_can_be_told(place: Place) {
    let queue = place.queue();
    place.receive("alice").await;
    let (_, reader) = read(queue, at(0)).await;
    let lost = place.lose(queue).await;
    place.execute("ALTER TABLE portreeve.delivery_gap RENAME TO hidden");
    queue.insert(receipt("alice"), MAX).await.unwrap_err();
    queue.sign_of_life(KEEP).await.unwrap_err();
    assert_eq!(read(queue, reader).await.0, []);
    let back = match place.address.contains("://") {
        true => "ALTER TABLE portreeve.hidden RENAME TO delivery_gap",
        false => "ALTER TABLE hidden RENAME TO delivery_gap",
    };
    place.execute(back);
    let (kept, _) = place.receive("alice").await;
    assert_eq!(read(queue, reader).await.0, [kept]);
    place.assert_told(reader, lost).await;
}

/// By age, with its account, or for lack of room, by another gateway.
async fn what_was_removed_is_not_lost(place: Place) {
    let (queue, other) = (place.queue(), &place.gateways[1]);
    let target = place.target("alice").await;
    let check = async || {
        queue.sign_of_life(KEEP).await.unwrap();
        place.receive("alice").await;
        assert_eq!(queue.gaps(0, UNIX_EPOCH).await.unwrap(), []);
    };
    let is_there = async |position| queue.receipt(position).await.unwrap().is_some();
    check().await;
    let (_, position) = place.receive("alice").await;
    place.pass(10 * SECOND);
    while other.clean(5 * SECOND).await.unwrap() > 0 {}
    assert!(!is_there(position).await);
    check().await;

    // What somebody else has after it stays.
    let (_, position) = place.receive("carol").await;
    other.insert(receipt("alice"), MAX).await.unwrap();
    other.remove_account("carol").await.unwrap();
    assert!(!is_there(position).await);
    check().await;

    let (_, position) = place.receive("alice").await;
    other.insert(receipt("bob"), 612).await.unwrap();
    assert!(!is_there(position).await);
    check().await;

    place.pass(10 * SECOND);
    while other.clean(5 * SECOND).await.unwrap() > 0 {}
    // It waits for a target: that it was there is left of it.
    let position = place.due(&[target]).await;
    other.insert(receipt("bob"), 612 + 512 + 256).await.unwrap();
    let left = queue.receipt(position).await.unwrap().unwrap();
    assert!(left.sealed.is_empty());
    check().await;
}

async fn what_was_not_acknowledged_is_not_lost(place: Place) {
    let queue = place.queue();
    place.receive("alice").await;
    queue.insert(receipt("alice"), 100).await.unwrap_err();
    place.execute("ALTER TABLE portreeve.account_total RENAME COLUMN bytes TO hidden");
    queue.insert(receipt("alice"), MAX).await.unwrap_err();
    place.execute("ALTER TABLE portreeve.account_total RENAME COLUMN hidden TO bytes");
    for _ in 0..2 {
        place.gateways[1].insert(receipt("alice"), MAX).await.unwrap();
        queue.sign_of_life(KEEP).await.unwrap();
        place.receive("alice").await;
    }
    let gaps = queue.gaps(0, UNIX_EPOCH).await.unwrap();
    assert!(gaps.iter().all(|gap| gap.reason != GapReason::Lost), "{gaps:?}");
}

/// The primary is killed, and a standby takes over that lacks the last receipts.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_failover_that_lacks_the_last_receipts_is_told() {
    use crate::support::postgres::{Postgres, ROLE};

    let Some(mut primary) = tokio::task::block_in_place(Postgres::start) else {
        return;
    };
    let database = primary.database();
    let (_, name) = database.rsplit_once('/').unwrap();
    let standby = tokio::task::block_in_place(|| primary.standby());
    let url =
        format!("postgres://{ROLE}@127.0.0.1:{},127.0.0.1:{}/{name}", primary.port, standby.port);
    let place = Place::postgres_at(&url).await;
    let [one, two, three] = &*place.gateways else { unreachable!() };
    for gateway in &place.gateways {
        gateway.sign_of_life(KEEP).await.unwrap();
    }
    place.receive("alice").await;
    let (_, reader) = read(one, at(0)).await;
    let (mut kept, mut acknowledged) = (BTreeSet::new(), BTreeSet::new());
    for _ in 0..5 {
        kept.insert(place.receive("alice").await.0);
    }
    let count = "SELECT count(*) FROM portreeve.receipt";
    until("the standby has them", async || standby.psql(name, count) == "6").await;
    let following = "SELECT count(*) FROM pg_stat_wal_receiver";
    assert_eq!(standby.psql(name, following), "1");
    standby.psql(name, "ALTER SYSTEM SET primary_conninfo = ''");
    standby.psql(name, "SELECT pg_reload_conf()");
    until("it follows no more", async || standby.psql(name, following) == "0").await;
    let mut times = Vec::new();
    for gateway in [one, two, one, two] {
        let lost = receipt("alice");
        acknowledged.insert(lost.id);
        let position = gateway.insert(lost, MAX).await.unwrap();
        times.push(gateway.receipt(position).await.unwrap().unwrap().received_at);
    }
    tokio::task::block_in_place(|| primary.kill());
    assert_eq!(standby.psql(name, "SELECT pg_promote()"), "t");

    // The one receives, the other does not, and the last one knows nothing of it.
    until("a gateway receives again", async || one.insert(receipt("bob"), MAX).await.is_ok()).await;
    until("another one is there", async || two.sign_of_life(KEEP).await.is_ok()).await;
    until("and the last one", async || three.sign_of_life(KEEP).await.is_ok()).await;
    let (found, _) = read(three, reader).await;
    let found: BTreeSet<_> = found.into_iter().collect();
    assert_eq!(found, kept);
    assert!(found.is_disjoint(&acknowledged));
    let gaps = three.gaps(reader.gap, UNIX_EPOCH).await.unwrap();
    assert_eq!(gaps.len(), 2, "{gaps:?}");
    for gap in gaps {
        assert_eq!(gap.reason, GapReason::Lost);
        assert!(gap.from <= times[0] && gap.until >= times[3], "{gap:?} {times:?}");
    }
}

/// A standby that has not taken over yet, or a managed database: the disk of neither need be full.
#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_accepts_only_reads_is_not_full() {
    let Some(place) = Place::postgres().await else { return };
    let psql = place.psql();
    let read_only = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', \
                     current_database()); END $$; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \
                     datname = current_database() AND pid <> pg_backend_pid()";
    tokio::task::block_in_place(|| psql(read_only));
    let refused = loop {
        match place.queue().insert(receipt("alice"), MAX).await {
            Err(error) if error.to_string().contains("accepts only reads") => break error,
            // Of a connection that has ended.
            other => assert!(other.is_err(), "it was stored"),
        }
    };
    assert!(!refused.is_full(), "{refused}");
}
