//! Behind a pooler that begins to give the connections of one gateway to others, while they work.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use portreeve::deliveries::queue::Accounts;
use portreeve::deliveries::{AttemptOutcome, Scope};

use super::{Halves as _, MAX, Place, ended, receipt};
use crate::support::pgbouncer::PgBouncer;

/// How long it keeps a mode: it is noticed after five seconds.
const MODE: Duration = Duration::from_secs(7);

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_while_a_pooler_changes_its_mode() {
    let Some(server) = tokio::task::block_in_place(crate::support::postgres::shared) else {
        return;
    };
    let Some(pooler) = PgBouncer::before(server, "session") else {
        return;
    };
    let place = Place::postgres_at(&pooler.through(&server.database())).await;
    let target = place.target("alice").await;
    let began = Instant::now();
    let working = place.gateways.iter().map(|gateway| {
        let gateway = gateway.clone();
        tokio::spawn(async move {
            let (mut received, mut sent, mut failures) = (0, Vec::new(), 0);
            while began.elapsed() < 4 * MODE {
                // Whoever is refused does not come again.
                gateway.insert(receipt("alice"), MAX).await.unwrap();
                received += 1;
                let worked = async {
                    let receipts = gateway.lease(64, Accounts::AllBut(&[])).await?;
                    let wanted = receipts.iter().map(|it| (it.position, vec![target]));
                    gateway.fan_out(wanted.collect()).await?;
                    let claimed = gateway.claim(64, None).await?;
                    sent.extend(claimed.iter().map(|it| it.receipt.position));
                    let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
                    gateway.complete(done.collect()).await
                };
                failures += usize::from(worked.await.is_err());
            }
            (received, sent, failures)
        })
    });
    let working: Vec<_> = working.collect();
    for mode in ["transaction", "session", "transaction"] {
        tokio::time::sleep(MODE).await;
        pooler.set_pool_mode(mode);
    }
    let (mut received, mut sent, mut failures) = (0, HashMap::<i64, usize>::new(), 0);
    for working in working {
        let of_one = working.await.unwrap();
        received += of_one.0;
        for position in of_one.1 {
            *sent.entry(position).or_default() += 1;
        }
        failures += of_one.2;
    }
    // What such a failure leaves is done again when its lease has run out.
    place.pass(portreeve::deliveries::queue::LEASE);
    let gateway = place.queue();
    for _ in 0..1000 {
        let receipts = gateway.lease(64, Accounts::AllBut(&[])).await.unwrap();
        let wanted = receipts.iter().map(|it| (it.position, vec![target]));
        gateway.fan_out(wanted.collect()).await.unwrap();
        let claimed = gateway.claim(64, None).await.unwrap();
        if receipts.is_empty() && claimed.is_empty() {
            break;
        }
        for claimed in &claimed {
            *sent.entry(claimed.receipt.position).or_default() += 1;
        }
        let done = claimed.iter().map(|it| ended(it, AttemptOutcome::Delivered, None));
        gateway.complete(done.collect()).await.unwrap();
    }
    eprintln!("{received} received, {failures} failures");
    assert_eq!(sent.len(), received);
    let twice = sent.values().filter(|times| **times > 1).count();
    assert!(twice <= 64 * failures, "{twice} twice, {failures} failures");
    assert!(failures < 20, "{failures} of {received}");
    let found = gateway.target(Scope::All, target).await.unwrap().unwrap();
    assert_eq!(found.waiting, 0);
}
