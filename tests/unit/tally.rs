//! Lines that are counted: none is lost, and there is at most one a second.

use tokio::time::sleep;

use super::*;

type Lines = Arc<Mutex<Vec<(Duration, u64)>>>;

fn tally() -> (Arc<Tally>, Lines) {
    let lines = Lines::default();
    let (kept, start) = (lines.clone(), Instant::now());
    let tally = Tally::new(move |count| kept.lock().push((start.elapsed(), count)));
    (tally, lines)
}

#[tokio::test(start_paused = true)]
async fn at_most_one_line_a_second_and_no_event_is_lost() {
    let (tally, lines) = tally();
    let mut counted = 0;
    for burst in [1_u64, 5_000, 0, 3, 1, 0, 0, 700, 700, 1, 1] {
        for _ in 0..burst {
            tally.count();
            counted += 1;
            if counted % 100 == 0 {
                sleep(Duration::from_millis(1)).await;
            }
        }
        sleep(Duration::from_millis(450)).await;
    }
    sleep(3 * INTERVAL).await;
    let lines = lines.lock().clone();
    assert_eq!(lines[0].1, 1, "the first one at once: {lines:?}");
    assert_eq!(lines.iter().map(|(_, count)| count).sum::<u64>(), counted);
    for pair in lines.windows(2) {
        assert!(pair[1].0 - pair[0].0 >= INTERVAL, "{lines:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_allowance_counts_what_it_leaves_out() {
    let left_out = Arc::new(AtomicU64::new(0));
    let counted = left_out.clone();
    let allowance = Allowance::new(move |count| {
        counted.fetch_add(count, Ordering::Relaxed);
    });
    for lines in [3, 1000, 10] {
        let admitted = (0..lines).filter(|_| allowance.admits()).count() as u64;
        assert_eq!(admitted, lines.min(Allowance::LINES));
        sleep(2 * INTERVAL).await;
    }
    assert_eq!(left_out.load(Ordering::Relaxed), 1000 - Allowance::LINES);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_of_many_threads_are_all_logged() {
    let (tally, lines) = tally();
    let tasks = (0..8).map(|_| {
        let tally = tally.clone();
        tokio::spawn(async move {
            for at in 0..20_000 {
                tally.count();
                if at % 1_000 == 0 {
                    tokio::task::yield_now().await;
                }
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
    // Dropping the last reference logs the rest.
    drop(tally);
    let lines = lines.lock().clone();
    assert_eq!(lines.iter().map(|(_, count)| count).sum::<u64>(), 8 * 20_000, "{lines:?}");
    assert!(lines.len() <= 4, "{lines:?}");
}

#[test]
fn without_a_runtime_each_event_has_its_line() {
    let kept = Lines::default();
    let lines = kept.clone();
    let tally = Tally::new(move |count| lines.lock().push((INTERVAL, count)));
    tally.count();
    tally.count();
    assert_eq!(*kept.lock(), [(INTERVAL, 1), (INTERVAL, 1)]);
}

#[test]
fn each_line_about_failures_has_a_cause() {
    let lines = Arc::<Mutex<Vec<String>>>::default();
    let kept = lines.clone();
    let tally = FailureTally::new(move |_, cause| kept.lock().push(cause.to_owned()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| (0..400_000).for_each(|_| tally.count(&"a")));
        }
    });
    assert!(lines.lock().iter().all(|cause| cause == "a"));
}
