//! Secrets of targets that are replaced.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portreeve::deliveries::Scope;
use serde_json::{Value, json};

use crate::relay::{Relay, event, path_of};
use crate::target::{Target, until};

/// A secret has leaked.
#[tokio::test]
async fn api_12_2_replaced_secrets_that_are_not_kept_sign_no_more() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    let path = format!("{}/secret", path_of(&made));
    let mut secrets = vec![made["secret"].clone()];
    for body in [Value::Null, json!({"keep": true}), json!({"keep": false})] {
        let replaced = relay.call("carol", "POST", &path, body.clone()).await;
        assert_eq!(replaced.status, 200, "{replaced:?}");
        let replaced = replaced.json();
        let is_kept = replaced.get("previous_secret_until").is_some();
        assert_eq!(is_kept, body != json!({"keep": false}), "{replaced}");
        secrets.push(replaced["secret"].clone());
    }
    for (body, message) in [
        (
            json!({"keep": "no"}),
            "The body must be empty, or a JSON object with keep, which is true or false",
        ),
        (json!([]), "The body must be empty, or a JSON object with keep, which is true or false"),
        (json!({"kept": true}), "Unknown member kept: is it keep?"),
    ] {
        let refused = relay.call("carol", "POST", &path, body).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        assert_eq!(refused.json()["message"], message);
    }
    relay.deliver(&event("carol", 1)).await;
    until("it arrives", async || target.received() == 1).await;
    let (head, body) = &target.requests()[0];
    let verifies = secrets.iter().map(|secret| {
        let verifier = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        verifier.verify(body, &head.headers).is_ok()
    });
    assert_eq!(verifies.collect::<Vec<_>>(), [false, false, false, true]);
}

#[tokio::test]
async fn api_12_2_for_a_day_the_secret_before_signs_too() {
    let relay = Relay::start().await;
    let target = Target::ok().await;
    let made = relay.target("carol", json!({"uri": target.uri()})).await;
    let path = format!("{}/secret", path_of(&made));
    let mut secrets = vec![made["secret"].clone()];
    for _ in 0..9 {
        let rotated = relay.call("carol", "POST", &path, Value::Null).await;
        assert_eq!(rotated.status, 200, "{rotated:?}");
        let rotated = rotated.json();
        let until = humantime::parse_rfc3339(rotated["previous_secret_until"].as_str().unwrap());
        let left = until.unwrap().duration_since(SystemTime::now()).unwrap();
        assert!(left > Duration::from_hours(23), "{rotated}");
        secrets.push(rotated["secret"].clone());
    }
    relay.deliver(&event("carol", 1)).await;
    until("it arrives", async || target.received() == 1).await;
    let (head, body) = &target.requests()[0];
    let verifies = secrets.iter().map(|secret| {
        let verifier = standardwebhooks::Webhook::new(secret.as_str().unwrap()).unwrap();
        verifier.verify(body, &head.headers).is_ok()
    });
    // The last one, and the eight before it.
    let expected = [&[false][..], &[true; 9]].concat();
    assert_eq!(verifies.collect::<Vec<_>>(), expected);
    // The worker tests that it does not sign after that time.
    let kept = relay.second_gateway().await;
    let target = kept.queue().target(Scope::All, made["id"].as_str().unwrap().parse().unwrap());
    let settings = kept.open_target(&target.await.unwrap().unwrap()).await;
    let until = UNIX_EPOCH + Duration::from_secs(settings.unwrap().previous[7].until);
    let left = until.duration_since(SystemTime::now()).unwrap();
    let day = Duration::from_hours(24);
    assert!(left <= day && left > day - Duration::from_mins(5), "{left:?}");
}
