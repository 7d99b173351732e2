//! The binary itself: how soon it answers, and whether its memory grows with the requests it has
//! served.
use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::gateway::tokens_file;
use crate::load::{CONNECTIONS, load};

/// Starts the binary before the groupware server at `groupware` and prints what it shows.
pub(crate) fn report(
    client: &Runtime,
    data: &Path,
    groupware: SocketAddr,
    path: &str,
    token: &str,
    requests: usize,
) {
    let address = {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap()
    };
    let start = Instant::now();
    let binary = Running(command(address, groupware, data).spawn().unwrap());
    while TcpStream::connect(address).is_err() {
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the binary does not listen"
        );
        std::thread::sleep(Duration::from_micros(200));
    }
    client.block_on(load(address, path, Some(token), 1));
    let first = start.elapsed().as_secs_f64() * 1e3;
    println!("First answers {first:.1} ms after the start of the binary.\n");

    println!("| requests served | resident memory |\n|--:|--:|");
    let mut served = CONNECTIONS;
    for _ in 0..4 {
        println!("| {served} | {} |", binary.resident_memory());
        client.block_on(load(address, path, Some(token), requests * 2));
        served += requests * 2;
    }
}

fn command(address: SocketAddr, groupware: SocketAddr, data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portreeve"));
    command
        .arg("serve")
        .args(["--listen", &address.to_string()])
        .args(["--groupware-url", &format!("http://{groupware}")])
        .arg("--data-dir")
        .arg(data)
        .arg("--tokens-file")
        .arg(tokens_file(data))
        .env("RUST_LOG", "warn")
        .stdout(Stdio::null());
    command
}

/// The process, which ends with this value.
struct Running(Child);

impl Running {
    fn resident_memory(&self) -> String {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        resident.unwrap().trim().to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}
