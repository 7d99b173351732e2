//! Streams and long polls whose authority ends, or that are too many.

use super::*;

/// A stream of events, and what it has brought.
struct Stream(AnswerBody, String);

impl Stream {
    async fn open(service: &Service, token: &str) -> Result<Self, u16> {
        let request = Request::get("/api/v1/deliveries/events?cursor=now")
            .header("authorization", format!("Bearer {token}"))
            .header("accept", "text/event-stream");
        let request = request.body(Full::default()).unwrap();
        let answer = service.clone().oneshot(request).await.unwrap();
        match answer.status().as_u16() {
            200 => Ok(Self(answer.into_body(), String::new())),
            other => Err(other),
        }
    }

    /// Reads until it has this, or its end.
    async fn read_until(&mut self, wanted: &str) -> &str {
        let reading = async {
            while !self.1.contains(wanted)
                && let Some(frame) = self.0.frame().await
            {
                let data = frame.unwrap().into_data().unwrap();
                self.1.push_str(std::str::from_utf8(&data).unwrap());
            }
        };
        let read = tokio::time::timeout(Duration::from_hours(2), reading).await;
        assert!(read.is_ok(), "it has no end");
        &self.1
    }

    /// Everything to its end, and why it ended.
    async fn end(mut self) -> (String, Option<String>) {
        self.read_until("nothing has this").await;
        let end = "event: end\ndata: ";
        let (before, reason) = self.1.split_once(end).expect("it says why it ends");
        let reason: Value = serde_json::from_str(reason.trim_end()).unwrap();
        (before.to_owned(), reason["reason"].as_str().map(str::to_owned))
    }
}

/// So that what was verified or given just now was so long ago.
async fn let_pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn api_12_5_a_stream_ends_with_the_authority_of_its_token() {
    type Change = fn(&House);
    let changes: [(&str, Change); 3] = [
        ("refused", |house| {
            house.tokens.refuse("f3a1", RefusalReason::Unknown);
        }),
        ("expired", |house| {
            house.tokens.refuse("f3a1", RefusalReason::Expired);
        }),
        ("unverified", |house| {
            house.tokens.0.lock().unwrap().is_away = true;
        }),
    ];
    for (reason, change) in changes {
        let house = House::new().await;
        let service = house.gateway(|_| {});
        let mut stream = Stream::open(&service, "f3a1").await.unwrap();
        stream.read_until("id: ").await;
        house.receive("f3a1").await;
        stream.read_until("data: {").await;
        let_pass(Duration::from_secs(1)).await;
        change(&house);
        // It is no longer given.
        house.receive("f3a1").await;
        let (text, end) = stream.end().await;
        assert_eq!(end.as_deref(), Some(reason), "{text}");
        assert_eq!(text.matches("data: {").count(), 1, "{reason}: {text}");
    }
}

#[tokio::test]
async fn api_12_5_a_stream_ends_with_the_settings_and_the_binding_that_let_it_begin() {
    let house = House::new().await;
    let bound = || {
        let mut settings = Settings::default();
        settings.account = AccountPolicy::Bound(BindingPolicy::Operator);
        settings
    };
    let shared = Shared::new(house.vault.clone(), &bound(), TaskTracker::new());
    let service = house.replacing(&shared, &house.tokens, bound());
    let open = async || {
        let mut stream = Stream::open(&service, "f3a1").await.unwrap();
        stream.read_until("id: ").await;
        let_pass(Duration::from_secs(1)).await;
        stream
    };
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let stream = open().await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.receive("alice").await;
    let (text, end) = stream.end().await;
    assert_eq!((end.as_deref(), text.contains("data: {")), (Some("unbound"), false));
    // Given to somebody else, and to another account.
    house.vault.bind(ISSUER, "f3a1", "alice").await.unwrap();
    let stream = open().await;
    assert!(house.vault.unbind(ISSUER, "f3a1").await.unwrap());
    house.vault.bind(ISSUER, "f3a1", "bob").await.unwrap();
    house.receive("alice").await;
    assert_eq!(stream.end().await.1.as_deref(), Some("unbound"));
    // A reload that accepts other tokens.
    let stream = open().await;
    let others = Tokens::default();
    others.refuse("f3a1", RefusalReason::Audience);
    let _reloaded = house.replacing(&shared, &others, bound());
    house.receive("bob").await;
    let (text, end) = stream.end().await;
    assert_eq!((end.as_deref(), text.contains("data: {")), (Some("refused"), false));
    // One by which reading events takes a scope.
    let mut stream = Stream::open(&service, "f3a1~apps.read").await.unwrap();
    stream.read_until("id: ").await;
    let_pass(Duration::from_secs(1)).await;
    let mut scoped = bound();
    scoped.operation_scopes = true;
    let _reloaded = house.replacing(&shared, &house.tokens, scoped);
    house.receive("bob").await;
    let (text, end) = stream.end().await;
    assert_eq!((end.as_deref(), text.contains("data: {")), (Some("refused"), false));
    // One that asks for another key.
    let open = async |service: &Service, key: &str| {
        let request = Request::get("/api/v1/deliveries/events?cursor=now")
            .header("authorization", "Bearer bob=")
            .header("accept", "text/event-stream")
            .header("x-api-key", key);
        let answer = service.clone().oneshot(request.body(Full::default()).unwrap()).await.unwrap();
        let mut stream = Stream(answer.into_body(), String::new());
        stream.read_until("id: ").await;
        let_pass(Duration::from_secs(1)).await;
        stream
    };
    let keyed = |key: &str| {
        let mut keyed = bound();
        keyed.shared_key = Some(key.to_owned().into());
        house.replacing(&shared, &house.tokens, keyed)
    };
    let stream = open(&service, "a key").await;
    let first = keyed("a key");
    house.receive("bob").await;
    let (text, end) = stream.end().await;
    assert_eq!((end.as_deref(), text.contains("data: {")), (Some("refused"), false));
    let mut stream = open(&first, "a key").await;
    let _same = keyed("a key");
    house.receive("bob").await;
    stream.read_until("data: {").await;
    let_pass(Duration::from_secs(1)).await;
    let _other = keyed("another key");
    house.receive("bob").await;
    let (text, end) = stream.end().await;
    assert_eq!((end.as_deref(), text.matches("data: {").count()), (Some("refused"), 1));
    let _reloaded = house.replacing(&shared, &house.tokens, bound());
    let stream = Stream::open(&service, "alice=").await.unwrap();
    shared.stop_waits();
    assert_eq!(stream.end().await.1.as_deref(), Some("stopping"));
}

/// Not with the next sign of life.
#[tokio::test]
async fn api_12_5_a_stream_ends_when_its_token_expires() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let at = SystemTime::now() + Duration::from_secs(2);
    house.tokens.expire("alice=", at);
    let stream = Stream::open(&service, "alice=").await.unwrap();
    let (text, end) = stream.end().await;
    assert_eq!(end.as_deref(), Some("expired"));
    assert!(SystemTime::now() >= at && text.matches("id: ").count() <= 2, "{text}");
}

#[tokio::test]
async fn api_12_5_a_long_poll_whose_token_ends_is_answered_without_what_came_since() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let request = Request::get("/api/v1/deliveries/events?cursor=now&timeout=60");
    let request = request.header("authorization", "Bearer alice=");
    let request = request.body(Full::default()).unwrap();
    // Its head comes once it waits.
    let answer = service.clone().oneshot(request).await.unwrap();
    house.tokens.refuse("alice=", RefusalReason::Unknown);
    let_pass(Duration::from_secs(1)).await;
    house.receive("alice").await;
    let page = answer.into_body().collect().await.unwrap().to_bytes();
    let page: Value = serde_json::from_slice(&page).unwrap();
    assert_eq!((&page["events"], &page["gap"]), (&json!([]), &json!(false)));
    let (status, _) = call(&service, "alice=", "GET", "events", Value::Null).await;
    assert_eq!(status, 401);
}

/// Not even by the first events that are read, however long they have waited for that.
#[tokio::test]
async fn api_12_5_a_token_that_is_refused_meanwhile_gets_nothing_at_all() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let (_, began) = call(&service, "f3a1~x", "GET", "events?cursor=now", Value::Null).await;
    let with_cursor = format!("events?cursor={}", began["cursor"].as_str().unwrap());
    for _ in 0..300 {
        house.receive("f3a1").await;
    }
    let mut readers = JoinSet::new();
    for _ in 0..10 {
        let service = service.clone();
        let reading = async move { call(&service, "f3a1", "GET", "events", Value::Null).await };
        readers.spawn(reading);
    }
    tokio::task::yield_now().await;
    let paths = [with_cursor.clone(), format!("{with_cursor}&timeout=60")];
    let asked = paths.map(|path| {
        let service = service.clone();
        tokio::spawn(async move { call(&service, "f3a1~x", "GET", &path, Value::Null).await })
    });
    let opening = tokio::spawn(async move { Stream::open(&service, "f3a1~x").await.unwrap() });
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
    assert!(readers.len() > 5, "they were read too soon");
    house.tokens.refuse("f3a1~x", RefusalReason::Unknown);
    let_pass(Duration::from_secs(1)).await;
    readers.join_all().await;
    for answer in asked {
        let (status, page) = answer.await.unwrap();
        // It can go on from there with another token.
        assert_eq!((status, &page["events"]), (200, &json!([])));
        assert_eq!(page["cursor"], began["cursor"]);
    }
    let (text, end) = opening.await.unwrap().end().await;
    assert_eq!((end.as_deref(), text.contains("data: {")), (Some("refused"), false));
}

#[tokio::test]
async fn api_12_5_a_ninth_stream_ends_the_one_that_has_got_nothing_for_longest() {
    let house = House::new().await;
    let service = house.gateway(|_| {});
    let mut streams = Vec::new();
    for _ in 0..8 {
        streams.push(Stream::open(&service, "alice=").await.unwrap());
    }
    // Those that have just begun are left alone, and so are those of others.
    assert_eq!(Stream::open(&service, "alice=").await.err(), Some(429));
    let mut bobs = Stream::open(&service, "bob=").await.unwrap();
    let_pass(Duration::from_secs(30)).await;
    house.receive("alice").await;
    streams[0].read_until("data: {").await;
    let ninth = Stream::open(&service, "alice=").await.unwrap();
    assert_eq!(streams.remove(1).end().await.1.as_deref(), Some("replaced"));
    // A poll takes a place, too, and gives it back.
    let (status, _) =
        call(&service, "alice=", "GET", "events?cursor=now&timeout=1", Value::Null).await;
    assert_eq!(status, 200);
    assert_eq!(streams.remove(1).end().await.1.as_deref(), Some("replaced"));
    house.receive("bob").await;
    bobs.read_until("data: {").await;
    // Nobody waits any more, and nothing is left of it.
    drop((streams, ninth));
    for _ in 0..2 {
        let mut eight = Vec::new();
        for _ in 0..8 {
            eight.push(Stream::open(&service, "alice=").await.unwrap());
        }
    }
}
