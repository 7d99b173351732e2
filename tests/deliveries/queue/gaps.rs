//! When nobody received anything: signs of life of gateways, and the times without any.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use portreeve::deliveries::Queue;
use portreeve::deliveries::queue::{Gap, GapReason, SIGN_INTERVAL};

use super::{Place, SECOND, for_each_store};

for_each_store! {
    a_gateway_that_goes_on_leaves_no_gap,
    the_time_without_a_gateway_is_a_gap,
    a_gateway_that_is_stopped_leaves_a_gap_from_then_on,
    a_restart_of_one_gateway_of_two_is_no_gap,
    a_gateway_that_stood_still_leaves_a_gap,
    what_was_refused_is_a_gap_once,
    a_clock_that_is_set_back_makes_no_gap_and_none_of_a_time_to_come,
    very_many_gaps_become_few_and_old_ones_go,
    the_last_gap_stays_for_whoever_read_before_it,
    a_gap_of_a_clock_that_was_ahead_hides_no_later_one,
    a_copy_has_the_gaps_and_when_a_gateway_was_seen_last,
}

const KEEP: Duration = Duration::from_secs(3600);

/// A gateway that starts on this database.
fn start(place: &Place) -> Queue {
    place.queue().clone().clock_ahead(place.ahead.clone())
}

async fn sign(gateway: &Queue) {
    gateway.sign_of_life(KEEP).await.unwrap();
}

async fn gaps(place: &Place) -> Vec<Gap> {
    place.queue().gaps(0, UNIX_EPOCH).await.unwrap()
}

/// The one gap that there is has this length, but for what the test itself took until then, and this reason.
async fn assert_only(place: &Place, seconds: u32, reason: GapReason, began: Instant) {
    let found = gaps(place).await;
    let [gap] = &*found else { panic!("{found:?}") };
    assert_eq!(gap.reason, reason);
    let least = seconds * SECOND;
    // In whole milliseconds.
    let most = least + began.elapsed() + Duration::from_millis(1);
    assert!((least..=most).contains(&length(gap)), "{gap:?}");
}

fn length(gap: &Gap) -> Duration {
    gap.until.duration_since(gap.from).unwrap()
}

/// The first one of a database, those at their times, and those that are late.
async fn a_gateway_that_goes_on_leaves_no_gap(place: Place) {
    let gateway = start(&place);
    for late in [0, 0, 5, 20] {
        sign(&gateway).await;
        place.pass(SIGN_INTERVAL + late * SECOND);
    }
    sign(&gateway).await;
    assert_eq!(gaps(&place).await, []);
}

async fn the_time_without_a_gateway_is_a_gap(place: Place) {
    let began = Instant::now();
    sign(&start(&place)).await;
    place.pass(16 * SECOND);
    // Two that start together.
    sign(&start(&place)).await;
    sign(&start(&place)).await;
    assert_only(&place, 16, GapReason::Downtime, began).await;
    let gap = gaps(&place).await.remove(0);
    let queue = place.queue();
    assert_eq!(queue.gaps(gap.number, UNIX_EPOCH).await.unwrap(), []);
    assert_eq!(queue.gaps(0, gap.until).await.unwrap(), []);
    assert_eq!(queue.gaps(0, gap.until - SECOND).await.unwrap(), [gap]);
}

async fn a_gateway_that_is_stopped_leaves_a_gap_from_then_on(place: Place) {
    let began = Instant::now();
    let gateway = start(&place);
    sign(&gateway).await;
    place.pass(4 * SECOND);
    gateway.leave().await.unwrap();
    place.pass(3 * SECOND);
    sign(&start(&place)).await;
    assert_only(&place, 3, GapReason::Stopped, began).await;
}

async fn a_restart_of_one_gateway_of_two_is_no_gap(place: Place) {
    let (stopped, other) = (start(&place), start(&place));
    sign(&stopped).await;
    sign(&other).await;
    stopped.leave().await.unwrap();
    place.pass(SECOND);
    // This one is killed.
    sign(&start(&place)).await;
    for _ in 0..2 {
        place.pass(SIGN_INTERVAL);
        sign(&other).await;
    }
    sign(&start(&place)).await;
    assert_eq!(gaps(&place).await, []);
}

/// As on a machine that is suspended.
async fn a_gateway_that_stood_still_leaves_a_gap(place: Place) {
    let (began, gateway) = (Instant::now(), start(&place));
    sign(&gateway).await;
    place.pass(61 * SECOND);
    sign(&gateway).await;
    assert_only(&place, 61, GapReason::Downtime, began).await;
}

/// Also while another gateway has room.
async fn what_was_refused_is_a_gap_once(place: Place) {
    let (gateway, other) = (start(&place), start(&place));
    sign(&gateway).await;
    sign(&other).await;
    gateway.note_refusal();
    place.pass(3 * SECOND);
    gateway.note_refusal();
    place.pass(2 * SECOND);
    sign(&other).await;
    assert_eq!(gaps(&place).await, []);
    let began = Instant::now();
    sign(&gateway).await;
    sign(&gateway).await;
    assert_only(&place, 3, GapReason::Refused, began).await;
}

async fn a_clock_that_is_set_back_makes_no_gap_and_none_of_a_time_to_come(place: Place) {
    let (began, hour) = (Instant::now(), Duration::from_secs(3600));
    let gateway = start(&place);
    sign(&gateway).await;
    place.step_back(hour);
    // Neither for one that starts nor for one that goes on.
    sign(&start(&place)).await;
    sign(&gateway).await;
    assert_eq!(gaps(&place).await, []);
    // From now on, gaps are found as before.
    place.pass(16 * SECOND);
    let gateway = start(&place);
    sign(&gateway).await;
    assert_only(&place, 16, GapReason::Downtime, began).await;
    // That one is over, whatever the clock said.
    place.step_back(hour);
    for _ in 0..2 {
        sign(&gateway).await;
        assert_only(&place, 16, GapReason::Downtime, began).await;
    }
    let until = gaps(&place).await[0].until;
    assert!(until <= SystemTime::now() - hour, "{until:?}");
    // And goes like others.
    place.pass(KEEP + SECOND);
    sign(&gateway).await;
    assert_only(&place, 3601, GapReason::Downtime, began).await;
}

async fn very_many_gaps_become_few_and_old_ones_go(place: Place) {
    let (mut last, mut first) = (start(&place), None);
    for _ in 0..=110 {
        sign(&last).await;
        first = first.or(gaps(&place).await.pop());
        place.pass(20 * SECOND);
        last = start(&place);
    }
    let found = gaps(&place).await;
    // The oldest begins where the first one did.
    assert_eq!((found.len(), found[0].from), (100, first.unwrap().from));
    assert!(length(&found[0]) >= 11 * 20 * SECOND, "{:?}", found[0]);
    place.pass(KEEP + SECOND);
    sign(&last).await;
    assert_eq!(gaps(&place).await.len(), 1);
}

async fn the_last_gap_stays_for_whoever_read_before_it(place: Place) {
    let began = Instant::now();
    sign(&start(&place)).await;
    place.pass(16 * SECOND);
    let gateway = start(&place);
    sign(&gateway).await;
    place.pass(5 * SECOND);
    gateway.sign_of_life(SECOND).await.unwrap();
    assert_only(&place, 16, GapReason::Downtime, began).await;
}

/// Whether it has its number still or not.
async fn a_gap_of_a_clock_that_was_ahead_hides_no_later_one(place: Place) {
    sign(&start(&place)).await;
    let year = Duration::from_secs(365 * 24 * 3600);
    place.pass(year);
    sign(&start(&place)).await;
    let told = gaps(&place).await.remove(0).number;
    place.step_back(year);
    let gateway = start(&place);
    sign(&gateway).await;
    place.pass(5 * SECOND);
    gateway.sign_of_life(SECOND).await.unwrap();
    place.pass(16 * SECOND);
    sign(&start(&place)).await;
    let later = place.queue().gaps(told, UNIX_EPOCH).await.unwrap();
    assert_eq!(later.len(), 1, "{later:?}");
    assert_eq!(place.queue().gaps(later[0].number, UNIX_EPOCH).await.unwrap(), []);
    // Of a database that was restored.
    let lost = later[0].number + 1;
    assert_eq!(place.queue().gaps(lost, UNIX_EPOCH).await.unwrap(), gaps(&place).await);
}

async fn a_copy_has_the_gaps_and_when_a_gateway_was_seen_last(place: Place) {
    sign(&start(&place)).await;
    place.pass(16 * SECOND);
    let last = start(&place);
    sign(&last).await;
    place.receive("alice").await;
    last.leave().await.unwrap();
    let other = Place::sqlite().await.unwrap();
    other.pass(16 * SECOND);
    place.copy_to(&other).await.unwrap();
    assert_eq!(gaps(&other).await, gaps(&place).await);
    other.pass(60 * SECOND);
    sign(&start(&other)).await;
    let [_, moved] = &*gaps(&other).await else { panic!("no gap") };
    assert!(length(moved) >= 60 * SECOND, "{moved:?}");
}
