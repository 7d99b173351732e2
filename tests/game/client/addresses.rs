//! Addresses of servers, as people write them.

use portreeve::game::connection::Address;

#[test]
fn addresses() {
    for (text, expected) in [
        ("localhost", "tcp://localhost:4747"),
        ("localhost:4747", "tcp://localhost:4747"),
        ("localhost:443", "wss://localhost:443/servatrice"),
        ("localhost:8080", "ws://localhost:8080/servatrice"),
        ("tcp://10.0.0.1:80", "tcp://10.0.0.1:80"),
        ("ws://[::1]:9/", "ws://[::1]:9/servatrice"),
        ("wss://a.example", "wss://a.example:443/servatrice"),
        ("wss://a.example/x?y=1", "wss://a.example:443/x?y=1"),
    ] {
        assert_eq!(text.parse::<Address>().unwrap().to_string(), expected);
    }
}

#[test]
fn no_addresses() {
    for text in [
        "",
        ":4747",
        "http://a",
        "tcp://a/path",
        "a:0",
        "a:70000",
        "a:99999999999999999999",
        "a:-1",
        "a:x",
        "[::1]:70000",
        "[::1]x",
        "a:",
        "ws://a b",
        "a\n",
    ] {
        let Err(error) = text.parse::<Address>() else {
            panic!("{text:?} was taken for an address");
        };
        let error = error.to_string();
        assert!(error.contains("write tcp://HOST:PORT"), "{text}: {error}");
    }
    let error = "wss://ann:secret@a".parse::<Address>().unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}
