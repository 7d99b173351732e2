//! The stand-in's WebDAV: a folder, and files of as many bytes as their names say. Uploads are dropped.
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader, copy_buf, sink};
use tokio::net::TcpStream;

use crate::stand_in::FIELDS;

/// What the answers have beside the [common fields](FIELDS).
const LISTING: &str = "Content-Type: application/xml; charset=utf-8\r\nTransfer-Encoding: chunked\r\nContent-Security-Policy: default-src 'none';\r\nVary: Brief,Prefer\r\nDAV: 1, 3, extended-mkcol, access-control, calendarserver-principal-property-search, nc-paginate, nextcloud-checksum-update, nc-calendar-search, nc-enable-birthday-calendar\r\nX-Debug-Token: bLNJoOFR8gS2ILiyzs62\r\n";
const FILE: &str = "Content-Security-Policy: default-src 'none';\r\nETag: \"d75ac216f559fcc6d34b41d6ad94954a\"\r\nX-Debug-Token: bLNJoOFR8gS2ILiyzs62\r\n";
const DOWNLOAD: &str = "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename*=UTF-8''backup.tar; filename=\"backup.tar\"\r\nLast-Modified: Sat, 21 Nov 2026 08:40:44 GMT\r\n";
const UPLOAD: &str = "Content-Length: 0\r\nOC-ETag: \"d75ac216f559fcc6d34b41d6ad94954a\"\r\nOC-FileId: 00000123ocfakeinst01\r\n";

/// What files consist of.
pub(crate) static PIECE: [u8; 256 * 1024] = [b'x'; 256 * 1024];

/// The answer about the folder.
pub(crate) fn listing() -> Vec<u8> {
    let body = include_str!("listing.xml");
    let chunks = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    format!("HTTP/1.1 207 Multi-Status\r\n{LISTING}{FIELDS}\r\n{chunks}").into_bytes()
}

/// The size of the file at this path.
pub(crate) fn size(path: &[u8]) -> Option<usize> {
    let name = path.strip_prefix(b"/remote.php/dav/files/")?.rsplit(|byte| *byte == b'/').next()?;
    std::str::from_utf8(name).ok()?.parse().ok()
}

/// Answers a request for a file, of which all but the rest of an upload has been received.
pub(crate) async fn transfer(
    stream: &mut TcpStream,
    size: usize,
    request: &[u8],
) -> io::Result<()> {
    let (status, fields, sent) = match request.starts_with(b"PUT ") {
        true => ("201 Created", UPLOAD.to_owned(), 0),
        false => ("200 OK", format!("Content-Length: {size}\r\n{DOWNLOAD}"), size),
    };
    if sent == 0 {
        let head = request.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap_or_default();
        let left = head + 4 + size - request.len();
        let rest = (&mut *stream).take(left as u64);
        copy_buf(&mut BufReader::with_capacity(PIECE.len(), rest), &mut sink()).await?;
    }
    let head = format!("HTTP/1.1 {status}\r\n{fields}{FILE}{FIELDS}\r\n");
    stream.write_all(head.as_bytes()).await?;
    for left in (1..=sent).rev().step_by(PIECE.len()) {
        stream.write_all(&PIECE[..left.min(PIECE.len())]).await?;
        if left == sent {
            // The client, which may share a core with this, gets the first of it meanwhile.
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    Ok(())
}
