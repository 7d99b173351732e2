//! Where a request ends: two readers that disagree about it would take a part of a body for a request. What is not
//! clear is refused, and what is sent says it anew.

use super::super::recorder::Recorder;
use super::super::{FILE, head, start};
use super::{SMUGGLED, assert_alive, statuses};

/// Sends an upload with this end of its head, and its body. Returns the body that arrived as a whole, if one did.
async fn arrives(fields_and_body: &[u8]) -> Option<Vec<u8>> {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let mut request = head(&gateway, "alice", &format!("PUT {FILE}"), "").into_bytes();
    request.extend(fields_and_body);
    let shown = String::from_utf8_lossy(fields_and_body);
    let statuses = statuses(&gateway, &request).await;
    // The rest has no token, if it is taken for a request.
    let is_known = |status| matches!(status, 200 | 400 | 401 | 408 | 411 | 431 | 501 | 502);
    assert!(statuses.iter().copied().all(is_known), "{shown:?}: {statuses:?}");
    let mut seen = recorder.take();
    seen.retain(|seen| seen.body.is_complete);
    assert!(seen.len() <= 1, "{shown:?}: {seen:?}");
    assert_eq!(seen.len(), statuses.iter().filter(|status| **status == 200).count(), "{shown:?}");
    assert_alive(&gateway, &recorder).await;
    seen.pop().map(|seen| seen.body.bytes)
}

/// The same of a text in which `{next}` is the head of a request.
async fn arrives_with_next(text: &str) -> Option<Vec<u8>> {
    let next = format!("GET {SMUGGLED} HTTP/1.1\r\nHost: gateway\r\n\r\n");
    arrives(text.replace("{next}", &next).as_bytes()).await
}

#[tokio::test]
async fn api_13_a_length_beside_chunks_is_no_length() {
    for text in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{next}",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n{next}",
        "Content-Length: 300\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{next}",
    ] {
        let body = arrives_with_next(text).await;
        assert!(matches!(body.as_deref(), None | Some(b"")), "{text}: {body:?}");
    }
}

#[tokio::test]
async fn api_13_a_coding_that_is_not_just_chunked_is_refused() {
    for coding in [
        "xchunked",
        "chunked,identity",
        "chunked, gzip",
        "gzip",
        "identity",
        "chunked;q=1",
        "",
        ",",
        "\x0bchunked",
        "chunke",
        "\"chunked\"",
        "chunked\x0b",
        "chunked\0",
    ] {
        let text = format!("Transfer-Encoding: {coding}\r\n\r\n0\r\n\r\n{{next}}");
        assert_eq!(arrives_with_next(&text).await, None, "{coding:?}");
        let text = format!("Content-Length: 4\r\n{text}");
        assert_eq!(arrives_with_next(&text).await, None, "{coding:?}");
    }
    for fields in [
        "Transfer-Encoding : chunked",
        "Transfer-Encoding\t: chunked",
        " Transfer-Encoding: chunked",
        "X: y\r\n Transfer-Encoding: chunked",
        "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked, identity",
    ] {
        let text = format!("{fields}\r\n\r\n0\r\n\r\n{{next}}");
        assert_eq!(arrives_with_next(&text).await, None, "{fields:?}");
    }
    // Chunks within chunks would arrive as that.
    for fields in [
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked,",
        "Transfer-Encoding: identity, chunked",
        "Transfer-Encoding: gzip, chunked",
    ] {
        let text = format!("{fields}\r\n\r\n4\r\nbody\r\n0\r\n\r\n{{next}}");
        let body = arrives_with_next(&text).await;
        assert!(matches!(body.as_deref(), None | Some(b"body")), "{fields}: {body:?}");
    }
}

#[tokio::test]
async fn api_13_a_length_that_is_not_one_number_is_refused() {
    for length in [
        "+4",
        "-4",
        "0x4",
        "4, 5",
        "4,4,5",
        "4;",
        "4 5",
        "4.0",
        "1e1",
        "four",
        "\u{664}",
        "4_0",
        "18446744073709551616",
        "99999999999999999999",
        "18446744073709551615",
        "",
        "4\0",
        "4\x0b",
    ] {
        let text = format!("Content-Length: {length}\r\n\r\nbody{{next}}");
        assert_eq!(arrives_with_next(&text).await, None, "{length:?}");
    }
    let differ = "Content-Length: 4\r\nContent-Length: 5\r\n\r\nbody{next}";
    assert_eq!(arrives_with_next(differ).await, None);
    for fields in
        ["Content-Length: 4\r\nContent-Length: 4", "Content-Length: 4, 4", "Content-Length: 04"]
    {
        let body = arrives_with_next(&format!("{fields}\r\n\r\nbody{{next}}")).await;
        assert!(matches!(body.as_deref(), None | Some(b"body")), "{fields}: {body:?}");
    }
}

#[tokio::test]
async fn api_13_a_chunk_that_is_not_quite_one_ends_the_request() {
    for chunks in [
        "FFFFFFFFFFFFFFFFF\r\nbody\r\n0\r\n\r\n",
        "10000000000000004\r\nbody\r\n0\r\n\r\n",
        "-4\r\nbody\r\n0\r\n\r\n",
        "+4\r\nbody\r\n0\r\n\r\n",
        "0x4\r\nbody\r\n0\r\n\r\n",
        "\r\nbody\r\n0\r\n\r\n",
        "4\nbody\r\n0\r\n\r\n",
        "4\r\nbody\n0\r\n\r\n",
        "4\r\nbodyX\r\n0\r\n\r\n",
        "4\r\nbod\r\n0\r\n\r\n",
        "4;a\nb\r\nbody\r\n0\r\n\r\n",
        "4\rX\nbody\r\n0\r\n\r\n",
        "4 4\r\nbody\r\n0\r\n\r\n",
        "g\r\nbody\r\n0\r\n\r\n",
        "4\r\nbody\r\n0\n\n",
        "4\r\nbody\r\n",
        "4\r\nbody\r\n0\r\n",
        "4\r\nbo",
    ] {
        let text = format!("Transfer-Encoding: chunked\r\n\r\n{chunks}");
        assert_eq!(arrives_with_next(&text).await, None, "{chunks:?}");
    }
    for extension in [";a=b", " ;a=\"b\"", ";", ";Transfer-Encoding: chunked"] {
        let text = format!("Transfer-Encoding: chunked\r\n\r\n4{extension}\r\nbody\r\n0\r\n\r\n");
        let body = arrives_with_next(&text).await;
        assert!(matches!(body.as_deref(), None | Some(b"body")), "{extension}: {body:?}");
    }
}

#[tokio::test]
async fn api_13_a_trailer_is_no_field() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder.url).await;
    let fields = "Transfer-Encoding: chunked\r\nConnection: close\r\nTE: trailers\r\n\
                  Trailer: Authorization, Cookie, Destination, X-Sabre-Original-Method, X-Any\r\n\r\n";
    let request = head(&gateway, "alice", &format!("PUT {FILE}"), fields);
    for trailers in [
        "Authorization: SMUGGLED\r\nCookie: SMUGGLED\r\n",
        "X-Sabre-Original-Method: SMUGGLED\r\nX-Any: SMUGGLED\r\n",
        "Destination: SMUGGLED\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\nHost: SMUGGLED\r\n",
    ] {
        let request = format!("{request}4\r\nbody\r\n0\r\n{trailers}\r\n");
        assert_eq!(statuses(&gateway, request.as_bytes()).await, [200], "{trailers}");
        let seen = recorder.take_one();
        assert_eq!((&*seen.body.bytes, seen.body.trailers), (&b"body"[..], Vec::new()));
    }
}

#[tokio::test]
async fn api_13_a_field_that_is_not_quite_one_is_refused() {
    for field in [
        &b"Depth: 0\rX: SMUGGLED"[..],
        b"Depth: 0\nX: SMUGGLED\n\n",
        b"Depth: 0\0",
        b"Depth: \x7f",
        b"Depth: 0\r\n\tSMUGGLED",
        b"Depth: 0\r\n SMUGGLED",
        b": SMUGGLED",
        b"Dep th: 0",
        b"Depth : 0",
        b"Depth\t: 0",
        b"Depth\0: 0",
        b"Dep\x80th: 0",
        b"(Depth): 0",
        b"Depth",
        b"\r: 0",
    ] {
        let mut bytes = b"Content-Length: 4\r\n".to_vec();
        bytes.extend(field);
        bytes.extend(b"\r\n\r\nbody");
        let body = arrives(&bytes).await;
        // A line that ends in a line feed alone is one, and so the next is dropped as a field that never passes.
        let may_arrive = field.contains(&b'\n') && !field.contains(&b'\r');
        assert!(body.is_none() || may_arrive, "{:?}", String::from_utf8_lossy(field));
    }
}
