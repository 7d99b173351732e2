//! Look-ups that take a thread.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use tokio::sync::Semaphore;

use super::*;

/// As with a name server that does not answer: each look-up would take a thread.
#[tokio::test(start_paused = true)]
async fn the_look_ups_that_take_a_thread_are_bounded_even_if_nobody_waits_any_more() {
    const THREADS: usize = 32;
    let (begun, answer) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
    let (count, answers) = (begun.clone(), answer.clone());
    let system = tower::service_fn(move |_: Name| {
        count.fetch_add(1, Ordering::Relaxed);
        let answered = answers.clone().acquire_owned();
        answered.map(|permit| {
            permit.unwrap().forget();
            Ok(std::iter::once(SocketAddr::from(([192, 0, 2, 1], 0))))
        })
    });
    let resolver = Resolver {
        system,
        flights: Arc::new(SingleFlight::new()),
        threads: Arc::new(Threads::new(THREADS)),
    };
    let look_up = |name: &str| {
        let waiting = resolver.clone().call(name.parse().unwrap());
        tokio::time::timeout(Duration::from_secs(5), waiting)
    };
    let gone = join_all((0..600).map(|_| look_up("cloud.example")));
    assert!(gone.await.iter().all(Result::is_err));
    assert_eq!(begun.load(Ordering::Relaxed), 1);
    let gone = join_all((0..600).map(|at| look_up(&format!("silent{at}.example"))));
    assert!(gone.await.iter().all(Result::is_err));
    assert_eq!(begun.load(Ordering::Relaxed), THREADS);
    answer.add_permits(THREADS + 1);
    for found in join_all([look_up("cloud.example"), look_up("id.example")]).await {
        let found = found.unwrap().unwrap();
        assert_eq!(found.as_slice(), [([192, 0, 2, 1], 0).into()]);
    }
    assert_eq!(begun.load(Ordering::Relaxed), THREADS + 1);
    // It is not remembered.
    assert!(look_up("cloud.example").await.is_err());
    assert_eq!(begun.load(Ordering::Relaxed), THREADS + 2);
}

/// Their names hang; the threads count although nobody waits any more.
#[tokio::test(start_paused = true)]
async fn an_account_has_no_more_than_its_share_of_the_threads() {
    let begun = Arc::new(AtomicUsize::new(0));
    let count = begun.clone();
    let system = tower::service_fn(move |name: Name| {
        count.fetch_add(1, Ordering::Relaxed);
        async move {
            match name.as_str() {
                "id.example" => Ok(std::iter::once(SocketAddr::from(([192, 0, 2, 1], 0)))),
                _ => std::future::pending().await,
            }
        }
    });
    let resolver = Resolver {
        system,
        flights: Arc::new(SingleFlight::new()),
        threads: Arc::new(Threads::new(32)),
    };
    let look_up = |account: &'static str, name: String| {
        let waiting = resolver.clone().look_up(Some(account), name.parse().unwrap());
        tokio::time::timeout(Duration::from_secs(15), waiting)
    };
    let hang = |account| (0..100).map(move |at| (account, format!("{account}{at}.example")));
    // Half of them are gone after the fifth; of the others each account has one.
    for (account, begins) in
        [("mallory", 8), ("mallet", 12), ("moll", 14), ("mole", 15), ("moth", 16), ("mob", 17)]
    {
        let ended = join_all(hang(account).map(|(account, name)| look_up(account, name))).await;
        assert_eq!(begun.load(Ordering::Relaxed), begins);
        let refused = ended.iter().filter_map(|it| it.as_ref().ok()?.as_ref().err());
        let busy = refused.filter(|error| error.kind() == io::ErrorKind::WouldBlock);
        assert!(busy.count() >= 84);
    }
    assert!(look_up("alice", "id.example".into()).await.unwrap().is_ok());
}
