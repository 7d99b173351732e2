//! What is read of a delivery, and what is kept of it (docs/API.md, section 12).

use portreeve::deliveries::{Incoming, IncomingError};

#[test]
fn api_12_5_authentication_is_cut_out_and_the_rest_stays_byte_for_byte() {
    let event = r#""event": {"class":"OCP\\A"}"#;
    for (body, kept) in [
        (r#"{ E , "user": null }"#, r#"{ E , "user": null }"#),
        (
            r#"{ E , "authentication" : [] , "time":1}"#,
            r#"{ E , "time":1}"#,
        ),
        (r#"{ E,"authentication":{"a":{"token":"x"}}}"#, "{ E}"),
        (r#"{"authentication":[], E }"#, "{ E }"),
        (
            " { \"authentication\":[] ,\"authentication\":{},\n E }",
            " {\n E }",
        ),
        (r#"{E,"authentication":[],"authentication":[]}"#, "{E}"),
        (
            r#"{E,"authentic\u0061tion":[],"b":"\/"}"#,
            r#"{E,"b":"\/"}"#,
        ),
    ] {
        let body = body.replace('E', event);
        let incoming = Incoming::parse(body.as_bytes()).unwrap();
        let kept = kept.replace('E', event);
        assert_eq!(String::from_utf8(incoming.body).unwrap(), kept, "{body}");
        assert_eq!(&*incoming.class, r"OCP\A");
        assert_eq!(incoming.account, None);
    }
}

#[test]
fn the_account_is_the_uid_of_the_user() {
    let account = |user: &str| {
        let body = format!(r#"{{"event":{{"class":"A"}},"user":{user}}}"#);
        Incoming::parse(body.as_bytes()).map(|incoming| incoming.account)
    };
    assert_eq!(account(r#"{"uid":"al\u0069ce"}"#), Ok(Some("alice".into())));
    for none in ["null", "{}", r#"{"uid":5}"#, r#"{"uid":""}"#, "[]"] {
        assert_eq!(account(none), Ok(None), "{none}");
    }
    let twice = r#"{"uid":"alice"},"user":{"uid":"bob"}"#;
    assert_eq!(account(twice), Err(IncomingError::NoEvent));
}

/// More of them are in `exchanges/deliveries.txt`, as the server could send them.
#[test]
fn what_is_no_event_is_refused() {
    let (not_json, no_event) = (IncomingError::NotJson, IncomingError::NoEvent);
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"event":{{"class":"A"}},"text":"\\\"{open}","x":{open}{close}}}"#)
    };
    // The object itself is the first level.
    assert!(Incoming::parse(nested(126).as_bytes()).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(126)).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(127)).is_err());
    for (body, error) in [
        (nested(127).as_bytes(), IncomingError::TooDeep),
        (nested(200_000).as_bytes(), IncomingError::TooDeep),
        (&b"\xff"[..], not_json),
        ("\u{feff}{}".as_bytes(), not_json),
        (b"{", not_json),
        (b"5", no_event),
        (br#"{"event":{}}"#, no_event),
        (br#"{"event":{"class":"A\u007f"}}"#, no_event),
        (br#"{"event":{"class":"A","class":"B"}}"#, no_event),
        (
            br#"{"event":{"class":"A"},"event":{"class":"A"}}"#,
            no_event,
        ),
    ] {
        let text = body.escape_ascii();
        assert_eq!(Incoming::parse(body), Err(error), "{text}");
    }
}
