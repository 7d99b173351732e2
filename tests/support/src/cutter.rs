//! A proxy before a PostgreSQL server that cuts the connection at a statement.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// Where a connection is cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// Before the statement with this text reaches the database.
    Before(&'static str),
    /// After the database has carried it out, before its answer is passed on.
    After(&'static str),
    /// As [`After`](Self::After), but the connection stays open.
    Hold(&'static str),
    /// At once, and there are no new connections.
    Now,
    /// Nowhere: so it is once a statement was met.
    Never,
}

/// Cuts connections.
pub struct Cutter {
    port: u16,
    server: u16,
    cut: Arc<watch::Sender<Cut>>,
}

// === impl Cutter ===

impl Cutter {
    /// One before the server at a port of loopback.
    pub async fn before(server: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let cutter = Self {
            port: listener.local_addr().unwrap().port(),
            server,
            cut: Arc::new(watch::Sender::new(Cut::Never)),
        };
        let cut = cutter.cut.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let cut = cut.clone();
                tokio::spawn(async move {
                    let mut is_cut = cut.subscribe();
                    let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                    tokio::select! {
                        _ = is_cut.wait_for(|cut| matches!(cut, Cut::Now)) => {}
                        _ = pass(client, server, &cut) => {}
                    }
                });
            }
        });
        cutter
    }

    /// `url`, a database of the server, by way of this proxy.
    pub fn through(&self, url: &str) -> String {
        url.replace(&format!(":{}/", self.server), &format!(":{}/", self.port))
    }

    /// Where the next cut is.
    pub fn set(&self, cut: Cut) {
        self.cut.send_replace(cut);
    }

    /// Whether the connection was cut where it was to be.
    pub fn has_cut(&self) -> bool {
        matches!(*self.cut.borrow(), Cut::Never)
    }
}

/// Passes bytes on until the connection ends or is cut.
async fn pass(
    mut client: TcpStream,
    mut server: TcpStream,
    cut: &watch::Sender<Cut>,
) -> io::Result<()> {
    let (mut sent, mut answered) = ([0; 65536], [0; 65536]);
    loop {
        tokio::select! {
            read = client.read(&mut sent) => {
                let sent = &sent[..read?];
                let is_here = |cut: &Cut| match cut {
                    Cut::Before(text) | Cut::After(text) | Cut::Hold(text) => {
                        sent.windows(text.len()).any(|it| it == text.as_bytes())
                    }
                    Cut::Now | Cut::Never => false,
                };
                let mut here = None;
                cut.send_if_modified(|cut| {
                    here = is_here(cut).then(|| std::mem::replace(cut, Cut::Never));
                    here.is_some()
                });
                if sent.is_empty() || matches!(here, Some(Cut::Before(_))) {
                    return Ok(());
                }
                server.write_all(sent).await?;
                if here.is_some() {
                    // Until it is ready for the next statement; or until the transaction has ended, whose commit may have
                    // come with the statement.
                    let ends = sent.windows(6).any(|it| it == b"COMMIT");
                    let mut answer = Vec::new();
                    while !is_ready(&answer, ends) {
                        if server.read_buf(&mut answer).await? == 0 {
                            return Err(io::ErrorKind::UnexpectedEof.into());
                        }
                    }
                    if matches!(here, Some(Cut::Hold(_))) {
                        std::future::pending::<()>().await;
                    }
                    return Ok(());
                }
            }
            read = server.read(&mut answered) => match read? {
                0 => return Ok(()),
                read => client.write_all(&answered[..read]).await?,
            }
        }
    }
}

/// Whether the database has answered, in a transaction or not, unless that `ends` the transaction.
fn is_ready(answer: &[u8], ends: bool) -> bool {
    answer.ends_with(b"Z\0\0\0\x05I") || (!ends && answer.ends_with(b"Z\0\0\0\x05T"))
}
