//! For clients that can log in with a password alone: a port that sends a bearer token instead. Their users run a proxy
//! that does this.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};

use crate::site::{Door, Login};

/// The port; it is closed with the end of the test program.
pub(crate) struct Shim {
    url: String,
}

// === impl Shim ===

impl Shim {
    /// None of its own for a door that takes a password.
    pub(crate) fn before(door: &Door) -> Self {
        let Login::Bearer(token) = &door.login else {
            return Self { url: door.url.clone() };
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let target = door.url.trim_start_matches("http://").to_owned();
        let authorization = format!("Authorization: Bearer {token}\r\n");
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let (target, authorization) = (target.clone(), authorization.clone());
                std::thread::spawn(move || pass(client, &target, &authorization));
            }
        });
        Self { url }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

/// Passes on one request and its answer, byte by byte but for two fields of the request: another request would need another
/// look for its head.
fn pass(client: TcpStream, target: &str, authorization: &str) -> Option<()> {
    let server = TcpStream::connect(target).ok()?;
    let mut requests = BufReader::new(client.try_clone().ok()?);
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if requests.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            break;
        }
        let name = line.split(':').next()?.to_ascii_lowercase();
        if name != "authorization" && name != "connection" {
            head += &line;
        }
    }
    head += &format!("{authorization}Connection: close\r\n\r\n");
    (&server).write_all(head.as_bytes()).ok()?;
    let up = server.try_clone().ok()?;
    std::thread::spawn(move || copy(requests, &up));
    copy(&server, &client);
    server.shutdown(Shutdown::Both).ok();
    client.shutdown(Shutdown::Both).ok()
}

fn copy(mut from: impl std::io::Read, mut to: &TcpStream) {
    let mut bytes = [0; 1 << 16];
    while let Ok(length @ 1..) = from.read(&mut bytes) {
        if to.write_all(&bytes[..length]).is_err() {
            return;
        }
    }
}
