//! `portreeve deliveries test`: a sample arrives with all that a delivery has, also once the target was sealed anew, copied
//! or restored.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use portreeve::deliveries::{
    Deliveries, Limits, Maker, Queue, TargetHeader, TargetId, TargetSettings,
};
use portreeve::vault::{Keyring, SqliteStore, Vault};

use crate::support::binary::{LONGEST, failure, in_dir, success};

const NODE: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";
const TAG: &str = r"OCP\SystemTag\TagAssignedEvent";

/// Answers each request with 200 or, to `/gone`, with 410; and passes it on.
fn receiver() -> (SocketAddr, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (arrived, arrivals) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = BufReader::new(stream.unwrap());
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                stream.read_line(&mut request).unwrap();
            }
            request = request.to_lowercase();
            let length = request.split("content-length: ").nth(1).unwrap();
            let length = length.lines().next().unwrap().parse().unwrap();
            let mut body = vec![0; length];
            stream.read_exact(&mut body).unwrap();
            let status = if request.contains("/gone") { 410 } else { 200 };
            let answer =
                format!("HTTP/1.1 {status} \r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            stream.get_mut().write_all(answer.as_bytes()).unwrap();
            arrived.send(request + str::from_utf8(&body).unwrap()).unwrap();
        }
    });
    (address, arrivals)
}

/// Makes a target of alice that wants a header.
async fn make(dir: &Path, uri: String, events: &[&str]) -> TargetId {
    let keyring = Keyring::read_or_create(dir.join("vault.key")).unwrap();
    let store = SqliteStore::open(dir.join("portreeve.db")).await.unwrap();
    let queue = Queue::in_sqlite(&store);
    let vault = Vault::new(keyring, store);
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned().into();
    let mut settings = TargetSettings::new(uri, secret);
    settings.events = events.iter().map(|it| (*it).to_owned()).collect();
    settings.headers = vec![TargetHeader {
        name: "x-token".into(),
        value: "the token of the receiver".to_owned().into(),
    }];
    let deliveries = Deliveries::new(vault, queue, Limits::default());
    let made = deliveries.add_target(Some("alice"), &settings, Maker::of("alice"));
    made.await.unwrap().id
}

/// What the command prints, and what has arrived.
fn test(
    dir: &Path,
    target: &str,
    more: &[&str],
    arrivals: &mpsc::Receiver<String>,
) -> (String, String) {
    let arguments = ["deliveries", "test", target, "--delivery-networks", "127.0.0.0/8"];
    let printed = success(in_dir(dir, &arguments).args(more), "");
    (printed, arrivals.recv_timeout(LONGEST).unwrap())
}

#[test]
fn a_sample_is_sent_at_once_and_what_came_of_it_is_printed() {
    let dir = tempfile::tempdir().unwrap();
    let (address, arrivals) = receiver();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let make = |path: &str, events: &[&str]| {
        let uri = format!("http://{address}{path}");
        runtime.block_on(make(dir.path(), uri, events)).to_string()
    };
    let (all, tags, gone) = (make("/hook", &[]), make("/hook", &[TAG]), make("/gone", &[]));
    let class = |request: &str| {
        let escaped = |class: &str| class.replace('\\', r"\\").to_lowercase();
        let all = [NODE, TAG].into_iter();
        let mut found = all.filter(|class| request.to_lowercase().contains(&escaped(class)));
        found.next().unwrap()
    };
    for (target, more, expected) in [
        (&all, &[][..], NODE),
        (&tags, &[], TAG),
        (&all, &["--event", TAG], TAG),
        (&tags, &["--event", "nodecreatedevent"], NODE),
    ] {
        let (printed, request) = test(dir.path(), target, more, &arrivals);
        assert_eq!(printed, "delivered 200\n");
        assert_eq!(class(&request), expected, "{more:?}");
        assert!(request.contains("webhook-signature: v1,"), "{request}");
    }

    let wrong = |target: &str, more: &[&str]| {
        failure(in_dir(dir.path(), &["deliveries", "test", target]).args(more), 1)
    };
    let networks = ["--delivery-networks", "127.0.0.0/8"];
    let refused = wrong(&gone, &networks);
    assert!(refused.contains("has not accepted the sample"), "{refused}");
    // Where no delivery may go, no sample does.
    let refused = wrong(&all, &[]);
    assert!(refused.contains("has not accepted the sample"), "{refused}");
    let unknown = wrong(&all, &["--event", "NoEvent"]);
    assert!(unknown.contains("--event: there is no sample of NoEvent"), "{unknown}");
    let unknown = wrong("0000000000000000", &[]);
    assert!(unknown.contains("TARGET: there is no target 0000000000000000"), "{unknown}");
    // Nothing of it is listed.
    let list = success(&mut in_dir(dir.path(), &["deliveries", "list"]), "");
    assert_eq!(list.lines().count(), 1, "{list}");
}

#[test]
fn api_12_2_the_headers_of_a_target_survive_a_rotation_a_copy_and_a_backup() {
    let dir = tempfile::tempdir().unwrap();
    let (address, arrivals) = receiver();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let uri = format!("http://{address}/hook");
    let target = runtime.block_on(make(dir.path(), uri, &[])).to_string();
    let assert_arrive = |dir: &Path| {
        let (_, request) = test(dir, &target, &[], &arrivals);
        assert!(request.contains("x-token: the token of the receiver\r\n"), "{request}");
    };
    assert_arrive(dir.path());

    let key_file = dir.path().join("vault.key");
    let old = fs::read_to_string(&key_file).unwrap();
    success(&mut in_dir(dir.path(), &["keys", "new"]), "");
    success(&mut in_dir(dir.path(), &["credentials", "rotate-keys"]), "");
    // The old key is gone.
    let both = fs::read_to_string(&key_file).unwrap();
    let new: String =
        both.lines().filter(|line| !old.contains(line)).map(|line| format!("{line}\n")).collect();
    fs::write(&key_file, &new).unwrap();
    assert_arrive(dir.path());

    let moved = tempfile::tempdir().unwrap();
    fs::copy(&key_file, moved.path().join("vault.key")).unwrap();
    let [from, to] = [dir.path(), moved.path()]
        .map(|dir| format!("sqlite:{}", dir.join("portreeve.db").display()));
    let copy = ["vault", "copy", "--from", &from, "--to", &to];
    success(&mut in_dir(dir.path(), &copy), "");
    assert_arrive(moved.path());

    let restored = tempfile::tempdir().unwrap();
    let [database, keys] = ["portreeve.db", "vault.key"].map(|name| restored.path().join(name));
    let back_up = ["vault", "backup", database.to_str().unwrap(), "--keys", keys.to_str().unwrap()];
    success(&mut in_dir(moved.path(), &back_up), "");
    assert_arrive(restored.path());
}
