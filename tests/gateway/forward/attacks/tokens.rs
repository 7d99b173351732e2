//! Who is calling is said once, by one token, and by nothing else.

use super::super::recorder::Recorder;
use super::super::wire::Wire;
use super::super::{FILE, call, start};
use super::assert_alive;
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::basic;

#[tokio::test]
async fn api_13_a_request_without_one_token_is_401() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let (alice, bob) = (gateway.token("alice"), gateway.token("bob"));
    let login = basic("alice", PASSWORD);
    for fields in [
        String::new(),
        format!("Authorization: Bearer {alice}\r\nAuthorization: Bearer {alice}\r\n"),
        format!("Authorization: Bearer {alice}\r\nAuthorization: Bearer {bob}\r\n"),
        format!("Authorization: Bearer {alice}\r\nAuthorization: {login}\r\n"),
        format!("Authorization: {login}\r\nAuthorization: Bearer {alice}\r\n"),
        format!("Authorization: {login}\r\n"),
        format!("Authorization: Bearer {alice}, Bearer {bob}\r\n"),
        format!("Authorization: Bearer {alice}, {login}\r\n"),
        format!("Authorization: Bearer {alice} {bob}\r\n"),
        format!("Authorization: Bearer {alice}x\r\n"),
        format!("Authorization: {alice}\r\n"),
        format!("Authorization: Bearer {PASSWORD}\r\n"),
        format!("Authorization: Bearer\r\n X: {alice}\r\n"),
        format!("XAuthorization: Bearer {alice}\r\n"),
        format!("Proxy-Authorization: Bearer {alice}\r\n"),
        format!("Cookie: token={alice}\r\n"),
        "User-Agent: kube-probe/1.30\r\n".into(),
        "User-Agent: GoogleHC/1.0\r\n".into(),
        "User-Agent: ELB-HealthChecker/2.0\r\n".into(),
        "X-Middleware-Subrequest: middleware:middleware\r\n".into(),
        "X-Nextcloud-Federation: 1\r\n".into(),
        "X-User-Id: alice\r\nRemote-User: alice\r\nX-Remote-User: alice\r\n".into(),
        "AUTHORIZATION-APP-API: YWxpY2U6c2VjcmV0\r\nEX-APP-ID: a\r\nAA-VERSION: 1\r\n".into(),
    ] {
        for what in
            [format!("GET {FILE}"), format!("PUT {FILE}"), format!("GET {FILE}?token={alice}")]
        {
            let mut wire = Wire::to(gateway.address).await;
            wire.send(format!("{what} HTTP/1.1\r\nHost: gateway\r\n{fields}\r\n")).await;
            let answer = wire.answer().await;
            // A folded line is no HTTP any more.
            let is_refused =
                answer.status == 401 || fields.contains("\r\n X") && answer.status == 400;
            assert!(is_refused, "{what} {fields}: {answer:?}");
            recorder.assert_nothing_arrived(&fields);
        }
    }
    assert_alive(&gateway, &recorder).await;
}

#[tokio::test]
async fn api_13_the_token_never_reaches_the_server() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let token = gateway.token("alice");
    for scheme in ["Bearer", "bearer", "BEARER"] {
        let mut wire = Wire::to(gateway.address).await;
        let login = format!("Authorization: {scheme} {token}\r\n");
        wire.send(format!("GET {FILE} HTTP/1.1\r\nHost: gateway\r\n{login}\r\n")).await;
        assert_eq!(wire.answer().await.status, 200, "{scheme}");
        let seen = recorder.take_one();
        assert_eq!(seen.head.field("authorization"), Some(&*basic("alice", PASSWORD)));
        assert!(!format!("{seen:?}").contains(token));
    }
}

#[tokio::test]
async fn api_13_cookies_pass_in_no_direction() {
    let recorder = Recorder::with(|seen| {
        let cookies = "Set-Cookie: oc_sessionPassphrase=SMUGGLED; path=/; HttpOnly\r\n\
                       Set-Cookie: nc_sameSiteCookielax=true; path=/\r\n\
                       Set-Cookie: ocabc=SMUGGLED; path=/\r\n";
        seen.answer("200 OK", cookies, seen.user())
    })
    .await;
    let gateway = start(&recorder.url).await;
    // Those of an answer to alice would log bob in as alice: the gateway keeps none, and takes none from callers.
    for _ in 0..3 {
        for user in ["alice", "bob"] {
            let what = format!("GET /remote.php/dav/files/{user}/x");
            for fields in ["", "Cookie: ocabc=SMUGGLED; oc_sessionPassphrase=SMUGGLED\r\n"] {
                let answer = call(&gateway, user, &what, fields, "").await;
                assert_eq!((answer.status, &*answer.body), (200, user));
                assert_eq!(answer.header("set-cookie"), None);
                assert_eq!(recorder.take_one().head.field("cookie"), None);
            }
        }
    }
}

#[tokio::test]
async fn api_13_many_ranges_are_the_servers_to_refuse_or_not() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let many = format!("bytes=0-{}", ",0-".repeat(1000));
    let fields = format!("Range: {many}\r\n");
    let answer = call(&gateway, "alice", &format!("GET {FILE}"), &fields, "").await;
    assert_eq!(answer.status, 200);
    assert_eq!(recorder.take_one().head.field("range"), Some(&*many));
}
