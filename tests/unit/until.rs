use super::*;

#[tokio::test(start_paused = true)]
async fn it_holds_for_its_time_or_until_it_is_ended() {
    let (until, time) = (Until::new(), Duration::from_secs(600));
    assert!(!until.holds());
    until.set(time);
    tokio::time::advance(time - Duration::from_millis(1)).await;
    assert!(until.holds());
    tokio::time::advance(Duration::from_millis(1)).await;
    assert!(!until.holds());
    until.set(time);
    until.set(Duration::ZERO);
    assert!(!until.holds());
}
