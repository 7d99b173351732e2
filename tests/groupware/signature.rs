//! Signed deliveries: Standard Webhooks, as sender and as receiver (docs/API.md, section 12.3).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use portreeve::groupware::{CheckSignatureLayer, SignatureError, WebhookSecret};
use tower::{Layer as _, ServiceExt as _, service_fn};

/// The vector of the specification's own tests.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const ID: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const TIMESTAMP: u64 = 1_614_265_330;
const BODY: &[u8] = br#"{"test": 2432232314}"#;
const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
/// Of the same key and text by `v1a`, which is ed25519.
const V1A: &str =
    "v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==";
const WRONG: &str = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";

fn secret() -> WebhookSecret {
    SECRET.parse().unwrap()
}

fn fields(id: &str, timestamp: &str, signature: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("webhook-id", id.parse().unwrap());
    headers.insert("webhook-timestamp", timestamp.parse().unwrap());
    headers.insert("webhook-signature", signature.parse().unwrap());
    headers
}

fn verify_at(headers: &HeaderMap, body: &[u8], seconds: u64) -> Result<(), SignatureError> {
    let now = UNIX_EPOCH + Duration::from_secs(seconds);
    WebhookSecret::verify(&[secret()], headers, body, now)
}

fn verify(signature: &str) -> Result<(), SignatureError> {
    let headers = fields(ID, &TIMESTAMP.to_string(), signature);
    verify_at(&headers, BODY, TIMESTAMP)
}

#[test]
fn the_vector_is_signed_and_verified() {
    assert_eq!(secret().sign(ID, TIMESTAMP, BODY), SIGNATURE);
    assert_eq!(verify(SIGNATURE), Ok(()));
    let bare: WebhookSecret = SECRET.strip_prefix("whsec_").unwrap().parse().unwrap();
    assert_eq!(bare.sign(ID, TIMESTAMP, BODY), SIGNATURE);
    assert_eq!(*bare.expose(), SECRET);
    assert!(!format!("{bare:?}").contains("MfKQ"));
}

#[test]
fn a_wrong_signature_is_refused_and_one_right_one_is_enough() {
    let right = SIGNATURE.strip_prefix("v1,").unwrap();
    let longer = format!("v1,{}", base64(&[&decoded(right)[..], b"x"].concat()));
    let prefix = |len: usize| format!("v1,{}", base64(&decoded(right)[..len]));
    for wrong in [
        "",
        "v1",
        "v1,",
        right,
        WRONG,
        V1A,
        &format!("v2,{right}"),
        &format!("v1a,{right}"),
        &SIGNATURE[..SIGNATURE.len() - 1],
        &prefix(0),
        &prefix(1),
        &prefix(31),
        &longer,
        &format!("{WRONG},{SIGNATURE}"),
    ] {
        assert_eq!(verify(wrong), Err(SignatureError::Signature), "{wrong}");
    }
    for accepted in [format!("{WRONG} {SIGNATURE}"), format!("{V1A} v2,x  {SIGNATURE} {WRONG}")] {
        assert_eq!(verify(&accepted), Ok(()), "{accepted}");
    }
}

#[test]
fn each_field_is_needed_once() {
    let whole = fields(ID, &TIMESTAMP.to_string(), SIGNATURE);
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut without = whole.clone();
        let value = without.remove(name).unwrap();
        assert_eq!(verify_at(&without, BODY, TIMESTAMP), Err(SignatureError::Fields));
        let mut twice = whole.clone();
        twice.append(name, value);
        assert_eq!(verify_at(&twice, BODY, TIMESTAMP), Err(SignatureError::Fields));
    }
    for (id, timestamp) in [
        (ID, "hello"),
        (ID, ""),
        (ID, "-1"),
        (ID, "1614265330.5"),
        (ID, "99999999999999999999"),
        ("", "1614265330"),
        // The signed text would be that of the id `a`, the time 1, and another body.
        ("a.1", "1614265330"),
    ] {
        let headers = fields(id, timestamp, SIGNATURE);
        assert_eq!(verify_at(&headers, BODY, TIMESTAMP), Err(SignatureError::Fields));
    }
}

#[test]
fn five_minutes_in_either_direction_are_tolerated() {
    let headers = fields(ID, &TIMESTAMP.to_string(), SIGNATURE);
    for (now, expected) in [
        (TIMESTAMP + 300, Ok(())),
        (TIMESTAMP - 300, Ok(())),
        (TIMESTAMP + 301, Err(SignatureError::Time)),
        (TIMESTAMP - 301, Err(SignatureError::Time)),
    ] {
        assert_eq!(verify_at(&headers, BODY, now), expected, "{now}");
    }
    let last = fields(ID, &u64::MAX.to_string(), SIGNATURE);
    assert_eq!(verify_at(&last, BODY, TIMESTAMP), Err(SignatureError::Time));
}

#[test]
fn a_changed_body_or_id_or_time_is_refused() {
    let headers = fields(ID, &TIMESTAMP.to_string(), SIGNATURE);
    for body in [&br#"{"test": 2432232315}"#[..], br#"{"test":2432232314}"#, b""] {
        assert_eq!(verify_at(&headers, body, TIMESTAMP), Err(SignatureError::Signature));
    }
    let later = fields(ID, &(TIMESTAMP + 1).to_string(), SIGNATURE);
    let other = fields("msg_x", &TIMESTAMP.to_string(), SIGNATURE);
    for headers in [later, other] {
        assert_eq!(verify_at(&headers, BODY, TIMESTAMP), Err(SignatureError::Signature));
    }
}

#[test]
fn a_secret_has_24_to_64_bytes() {
    for len in [0, 1, 23, 65] {
        let text = format!("whsec_{}", base64(&vec![7; len]));
        assert!(text.parse::<WebhookSecret>().is_err(), "{len}");
    }
    for text in ["", "whsec_", "whsec_?", "whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4="] {
        assert!(text.parse::<WebhookSecret>().is_err(), "{text}");
    }
    for len in [24, 32, 64] {
        let text = format!("whsec_{}", base64(&vec![7; len]));
        assert_eq!(*text.parse::<WebhookSecret>().unwrap().expose(), text);
    }
    let (one, other) = (WebhookSecret::generate().unwrap(), WebhookSecret::generate().unwrap());
    assert_ne!(*one.expose(), *other.expose());
}

/// Both directions, with the library that receivers use.
#[test]
fn the_standardwebhooks_crate_agrees() {
    let ours = WebhookSecret::generate().unwrap();
    let theirs = standardwebhooks::Webhook::new(&ours.expose()).unwrap();
    let now = seconds_now();
    let body = "{\"event\":{\"path\":\"\\/alice\\/files\\/\u{fc}.txt\"}}".as_bytes();

    let old = WebhookSecret::generate().unwrap();
    let both = [&old, &ours].map(|secret| secret.sign("dlv_1", now, body));
    let headers = fields("dlv_1", &now.to_string(), &both.join(" "));
    theirs.verify(body, &headers).unwrap();
    let wrong = fields("dlv_1", &now.to_string(), &both[0]);
    assert!(theirs.verify(body, &wrong).is_err());

    let signed = theirs.sign("dlv_2", now as i64, body).unwrap();
    let headers = fields("dlv_2", &now.to_string(), &signed);
    let verified = WebhookSecret::verify(&[old, ours], &headers, body, SystemTime::now());
    assert_eq!(verified, Ok(()));
}

#[tokio::test]
async fn a_receiver_takes_only_what_is_signed_now() {
    let now = seconds_now();
    let signed = |timestamp: u64| secret().sign("dlv_1", timestamp, BODY);
    let short = signed(now)[..20].to_owned();
    for (timestamp, signature, expected) in [
        (now, signed(now), StatusCode::OK),
        (now - 290, signed(now - 290), StatusCode::OK),
        (now, WRONG.to_owned(), StatusCode::UNAUTHORIZED),
        (now, short, StatusCode::UNAUTHORIZED),
        (now - 310, signed(now - 310), StatusCode::UNAUTHORIZED),
        (now + 310, signed(now + 310), StatusCode::UNAUTHORIZED),
        (now + 1, signed(now), StatusCode::UNAUTHORIZED),
    ] {
        let headers = fields("dlv_1", &timestamp.to_string(), &signature);
        assert_eq!(received(headers, BODY.into()).await, expected, "{timestamp}");
    }
    assert_eq!(received(HeaderMap::new(), BODY.into()).await, StatusCode::UNAUTHORIZED);

    // Signed as it should be, and too long to be read.
    let long = vec![b'x'; (1 << 20) + 1];
    let signature = secret().sign("dlv_1", now, &long);
    let headers = fields("dlv_1", &now.to_string(), &signature);
    assert_eq!(received(headers, long).await, StatusCode::PAYLOAD_TOO_LARGE);
}

/// The answer of a receiver with two secrets, which sends back the body that it got.
async fn received(headers: HeaderMap, body: Vec<u8>) -> StatusCode {
    let echo = service_fn(async |delivery: Request<Full<Bytes>>| {
        Ok::<_, std::convert::Infallible>(Response::new(delivery.into_body()))
    });
    let secrets = [WebhookSecret::generate().unwrap(), secret()];
    let receiver = CheckSignatureLayer::new(secrets).layer(echo);
    let mut request = Request::post("/files").body(Full::from(body.clone())).unwrap();
    *request.headers_mut() = headers;
    let (head, answered) = receiver.oneshot(request).await.unwrap().into_parts();
    let answered = answered.collect().await.unwrap().to_bytes();
    let passed_on = if head.status == StatusCode::OK { &body[..] } else { b"" };
    assert_eq!(answered, passed_on);
    head.status
}

fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn decoded(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}
