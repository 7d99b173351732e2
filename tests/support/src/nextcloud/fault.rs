//! Faults of a server instead of an answer.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A proxy's answer with internal details, which must not be passed on.
const PAGE: &str = "<html>proxy.internal: no answer of 10.1.2.3:8080 (os error 111)</html>";

/// A fault.
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
    /// Endless header fields.
    EndlessHeaders,
    /// Interim answers without end.
    EndlessInterim,
    /// Sends a body byte by byte, for longer than anyone waits.
    DrippingBody,
    /// Redirects to another path.
    Redirect,
    /// A proxy's page with this status: a 401 asks for a login at the proxy, a 429 and a 503 to wait.
    Page(u16),
    /// Closes an HTTP/2 connection at each request with a GOAWAY that excludes it.
    GoAway,
}

/// Reads a complete request and does as `fault` says.
pub async fn misbehave(mut stream: impl AsyncRead + AsyncWrite + Unpin, fault: Fault) {
    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    if let Fault::GoAway = fault {
        // The client may have gone by now.
        let _ = go_away(&mut stream).await;
        return;
    }
    read_head(&mut stream).await;
    let sent = match fault {
        Fault::Close
        | Fault::Reset
        | Fault::SlowHeaders
        | Fault::EndlessInterim
        | Fault::GoAway => String::new(),
        Fault::SlowBody | Fault::DrippingBody => {
            format!("{HEAD}content-length: 500\r\n\r\n{{\"ocs\":")
        }
        Fault::ShortBody => format!("{HEAD}content-length: 500\r\n\r\n{{\"ocs\":{{}}}}"),
        Fault::EndlessBody => format!("{HEAD}\r\n"),
        Fault::HugeLength => format!("{HEAD}content-length: 1000000000\r\n\r\n{{"),
        Fault::GarbageStatusLine => "SSH-2.0-OpenSSH_9.2\r\n\r\n".to_owned(),
        Fault::TwoLengths => format!("{HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\n{{}}"),
        Fault::EndlessHeaders => HEAD.to_owned(),
        Fault::Redirect => {
            "HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n".to_owned()
        }
        Fault::Page(status) => {
            let field = match status {
                401 => "www-authenticate: Basic realm=\"proxy.internal\"\r\n",
                429 | 503 => "retry-after: 7\r\n",
                _ => "",
            };
            format!(
                "HTTP/1.1 {status} Sorry\r\ncontent-type: text/html\r\n{field}\
                 set-cookie: proxy=1\r\ncontent-length: {}\r\n\r\n{PAGE}",
                PAGE.len()
            )
        }
    };
    // The client may have gone by now, which ends each of these.
    let _ = stream.write_all(sent.as_bytes()).await;
    let again = match fault {
        Fault::EndlessBody => " ".repeat(16 * 1024),
        Fault::EndlessHeaders => "x-padding: 0123456789\r\n".repeat(100),
        Fault::EndlessInterim => "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100),
        Fault::SlowHeaders | Fault::SlowBody | Fault::HugeLength => {
            return std::future::pending().await;
        }
        Fault::DrippingBody => loop {
            tokio::time::sleep(Duration::from_millis(20)).await;
            if stream.write_all(b" ").await.is_err() {
                return;
            }
        },
        _ => {
            // Closing with unread bytes of the request would reset, and the answer could be lost.
            let _ = stream.shutdown().await;
            let mut rest = [0; 1024];
            while matches!(stream.read(&mut rest).await, Ok(1..)) {}
            return;
        }
    };
    while stream.write_all(again.as_bytes()).await.is_ok() {}
}

/// Reads frames up to the first request, and ends the connection (RFC 9113, section 6.8).
async fn go_away(stream: &mut (impl AsyncRead + AsyncWrite + Unpin)) -> std::io::Result<()> {
    const PREFACE_LEN: usize = 24;
    const HEADERS: u8 = 1;
    const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
    /// Stream 0 is the last one that was processed; no error.
    const GOAWAY: &[u8] = &[0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    stream.read_exact(&mut [0; PREFACE_LEN]).await?;
    stream.write_all(SETTINGS).await?;
    stream.flush().await?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await?;
        let len = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
        stream.read_exact(&mut vec![0; len]).await?;
        if head[3] == HEADERS {
            stream.write_all(GOAWAY).await?;
            return stream.shutdown().await;
        }
    }
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

/// Reads a request and resets the connection.
pub async fn reset(mut stream: TcpStream) {
    read_head(&mut stream).await;
    // Closing with unread or unsent data and no time to linger resets.
    socket_linger_zero(&stream);
    drop(stream);
}

#[allow(deprecated)] // Lingering for zero seconds does not block, which the deprecation is about.
pub fn socket_linger_zero(stream: &TcpStream) {
    stream.set_linger(Some(Duration::ZERO)).unwrap();
}
