//! What a server may do instead of answering.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// One of the things it may do.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// Closes the connection once the request has arrived.
    Close,
    /// Resets the connection once the request has arrived.
    Reset,
    /// Never sends a header.
    SlowHeaders,
    /// Sends the headers and the first bytes of a body, and never the rest.
    SlowBody,
    /// Ends the body before its stated length.
    ShortBody,
    /// A body that never ends.
    EndlessBody,
    /// States a length of a gigabyte.
    HugeLength,
    /// Something that is not HTTP.
    GarbageStatusLine,
    /// Two lengths that differ.
    TwoLengths,
    /// Header fields without end.
    EndlessHeaders,
    /// Leads to another path.
    Redirect,
}

/// Takes a whole request and does as `fault` says.
pub async fn misbehave(mut stream: impl AsyncRead + AsyncWrite + Unpin, fault: Fault) {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    read_head(&mut stream).await;
    let sent = match fault {
        Fault::Close | Fault::Reset | Fault::SlowHeaders => String::new(),
        Fault::SlowBody => format!("{HEAD}content-length: 500\r\n\r\n{{\"ocs\":"),
        Fault::ShortBody => format!("{HEAD}content-length: 500\r\n\r\n{{\"ocs\":{{}}}}"),
        Fault::EndlessBody => format!("{HEAD}\r\n"),
        Fault::HugeLength => format!("{HEAD}content-length: 1000000000\r\n\r\n{{"),
        Fault::GarbageStatusLine => "SSH-2.0-OpenSSH_9.2\r\n\r\n".to_owned(),
        Fault::TwoLengths => format!("{HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{{}}"),
        Fault::EndlessHeaders => HEAD.to_owned(),
        Fault::Redirect => {
            "HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".to_owned()
        }
    };
    // The client may have gone by now, which ends each of these.
    let _ = stream.write_all(sent.as_bytes()).await;
    let again = match fault {
        Fault::EndlessBody => " ".repeat(16 * 1024),
        Fault::EndlessHeaders => "x-padding: 0123456789\r\n".repeat(100),
        Fault::SlowHeaders | Fault::SlowBody | Fault::HugeLength => {
            return std::future::pending().await;
        }
        _ => return,
    };
    while stream.write_all(again.as_bytes()).await.is_ok() {}
}

async fn read_head(stream: &mut (impl AsyncRead + Unpin)) {
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read_buf(&mut head).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
    }
}

/// Takes a request and answers with RST.
pub async fn reset(mut stream: TcpStream) {
    read_head(&mut stream).await;
    // Closing with unread or unsent data and no time to linger resets.
    socket_linger_zero(&stream);
    drop(stream);
}

#[allow(deprecated)] // Lingering for zero seconds does not block, which the deprecation is about.
fn socket_linger_zero(stream: &TcpStream) {
    stream.set_linger(Some(Duration::ZERO)).unwrap();
}
