//! `portreeve demo`.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::support::binary::{
    Served, assert_contains, failure, get, http, portreeve, run, success, text, wait,
};
use crate::support::certificates::Authority;
use crate::support::gateway::Answer;

/// They are pasted into shells as printed: into bash, without the comments that it allows by default
/// and zsh does not, and into zsh and fish if they are installed.
#[test]
fn the_lines_that_the_demo_prints_work_when_pasted() {
    let bash = ["--noprofile", "--norc", "+O", "interactive_comments", "-i"];
    assert_demo_works_in("bash", &bash);
    for (shell, arguments) in [("zsh", &["-f", "-i"][..]), ("fish", &["--no-config"])] {
        match std::process::Command::new(shell).arg("--version").output() {
            Ok(_) => assert_demo_works_in(shell, arguments),
            Err(_) => println!("left out: {shell} is not installed"),
        }
    }
}

const UPLOAD: &str = "PUT /remote.php/dav/files/alice/Notes/today.md";

/// Sends a request with `fields`, each of which ends with a line break.
fn send(address: SocketAddr, line: &str, fields: &str, body: &str) -> Answer {
    let length = body.len();
    let head = format!("{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{fields}");
    http(address, &format!("{head}Content-Length: {length}\r\n\r\n{body}"))
}

fn basic(password: &str) -> String {
    let pair = BASE64_STANDARD.encode(format!("alice:{password}"));
    format!("Authorization: Basic {pair}\r\n")
}

fn is_password(line: &&str) -> bool {
    line.len() == 40 && !line.contains(' ')
}

/// The lines of the demo, up to the last one of its greeting.
fn greeting(demo: &Served) -> String {
    let mut greeting = String::new();
    wait("all lines are printed", || {
        for line in demo.lines() {
            greeting += &format!("{line}\n");
        }
        greeting.contains("Ctrl-C")
    });
    greeting
}

fn assert_demo_works_in(shell: &str, arguments: &[&str]) {
    let mut served = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let script = greeting(&served);
    let start = script.find("export ").expect("variables");
    let end = script.find("Ctrl-C").unwrap();
    let mut shell = std::process::Command::new(shell);
    // Shells write there, and the folder that no command may write must not exist.
    let home = tempfile::tempdir().unwrap();
    shell.args(arguments).env("HOME", home.path());
    let pasted = &script[start..end];
    let output = run(&mut shell, &format!("{pasted}\n{pasted}"));
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let complaints = text(&output.stderr);
    assert!(!complaints.contains("not found"), "{complaints}");
    let is_status = |line: &&str| line.len() == 3 && line.bytes().all(|it| it.is_ascii_digit());
    let statuses: Vec<_> = printed.lines().filter(is_status).collect();
    // The second time the file is there.
    let [first, second] = ["201", "204"].map(|it| ["200", "200", it, "200", "200", "401"]);
    assert_eq!(statuses, [first, second].concat(), "{printed}");
    let apps = r#""apps":["core","dav""#;
    let enabled = r#""preset":"files","uri":"http://127.0.0.1:"#;
    let event = r#""node":{"#;
    let of_alice = r#""path":"/alice/files/Notes/today.md""#;
    assert_contains(printed, &[apps, enabled, r#""pending":0"#, event, of_alice]);
    // What one round prints fits on two screens.
    let rows = |line: &str| line.chars().count().div_ceil(80).max(1);
    let height = printed.lines().map(rows).sum::<usize>() / 2;
    assert!(height <= 100, "{height} lines of 80 columns: {printed}");

    served.terminate();
    assert_eq!(served.wait().code(), Some(0));
    // What the gateway and Nextcloud received.
    let shown = served.rest();
    let to = |whom: &str| -> Vec<&String> {
        let lines = shown.iter().filter(|line| line.contains(whom));
        lines.collect()
    };
    let calls = to("caller    \u{2192} gateway");
    let has_token = |line: &&String| line.contains(" Bearer prt_\u{2026}");
    let calls: Vec<_> = calls.iter().map(has_token).collect();
    assert_eq!(calls, [true, true, true, true, false].repeat(2));
    let calls = to("\u{2192} Nextcloud");
    let with_password = |line: &&&String| line.contains(" Basic alice:\u{2022}\u{2022}\u{2022}");
    assert!(calls.iter().filter(with_password).count() >= 8, "{shown:#?}");
    let leaks = |line: &&String| line.contains("prt_") || line.contains("another");
    assert!(!calls.iter().any(leaks), "{shown:#?}");
    let secrets = pasted.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("export ")?.split_once('=')?;
        ["TOKEN", "BOB", "PASSWORD"].contains(&name).then_some(value)
    });
    for secret in secrets {
        assert!(!shown.iter().any(|line| line.contains(secret)), "{shown:#?}");
    }
    // One event each time, with the credential that the gateway expects; it arrives signed, at the second attempt.
    let received = to("Nextcloud \u{2192} gateway");
    let derived = " Bearer (derived) POST /webhooks/nextcloud";
    assert!(received.iter().all(|line| line.contains(derived)));
    assert_eq!(received.len(), 2, "{shown:#?}");
    let attempts = to("gateway   \u{2192} receiver");
    assert!(attempts.iter().all(|line| line.contains("POST /files")));
    let answers = to("gateway   \u{2190} receiver");
    let answers: Vec<_> =
        answers.iter().map(|line| line.split_once("receiver").unwrap().1.trim()).collect();
    let once = ["503 Service Unavailable", "200 OK"];
    assert_eq!((attempts.len(), answers), (4, once.repeat(2)), "{shown:#?}");
    // The first one in full, once. Nothing is coloured where no terminal is.
    let names: Vec<_> = shown.iter().filter(|it| it.starts_with("webhook-")).collect();
    assert_eq!(names.len(), 3, "{shown:#?}");
    assert!(names[2].starts_with("webhook-signature: v1,") && !shown.concat().contains('\x1b'));
    assert!(shown.iter().any(|it| it.starts_with('{') && it.contains("NodeCreatedEvent")));
}

/// The events of files differ as those of a real server do: in their class, the number of the file, and the time.
#[test]
fn a_file_of_the_demo_keeps_its_number_and_is_created_once() {
    let demo = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let greeting = greeting(&demo);
    let variable = |name: &str| {
        let prefix = format!("export {name}=");
        greeting.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap()
    };
    let nextcloud = variable("NEXTCLOUD").trim_start_matches("http://").parse().unwrap();
    let bearer = format!("Authorization: Bearer {}\r\n", variable("TOKEN"));
    let preset = "PUT /api/v1/webhook-presets/files";
    assert_eq!(send(demo.address, preset, &bearer, r#"{"uri": "self"}"#).status, 200);
    let now = || std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let (start, mut shown) = (now(), Vec::new());
    let upload = |name: &str| {
        let line = format!("PUT /remote.php/dav/files/alice/{name}");
        send(nextcloud, &line, &basic(variable("PASSWORD")), "a note").status
    };
    let uploads = [
        ("a.md", 201, "Created", 114),
        ("b.md", 201, "Created", 115),
        ("a.md", 204, "Written", 114),
    ];
    for (name, status, event, id) in uploads {
        assert_eq!(upload(name), status);
        let mut page = serde_json::Value::Null;
        wait("the event is there", || {
            page = send(demo.address, "GET /api/v1/deliveries/events", &bearer, "").json();
            page["events"].as_array().unwrap().len() > shown.len()
        });
        let body = page["events"][shown.len()]["body"].clone();
        let class = format!(r"OCP\Files\Events\Node\Node{event}Event");
        assert_eq!(body["event"]["class"], class);
        let node = serde_json::json!({"id": id, "path": format!("/alice/files/{name}")});
        assert_eq!(body["event"]["node"], node);
        assert!((start..=now()).contains(&body["time"].as_u64().unwrap()), "{body}");
        shown.push(body);
    }
}

/// A user whom the gateway does not know yet grants access on the page of the stand-in.
#[test]
fn a_user_of_the_demo_grants_access_and_revokes_it() {
    let demo = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let greeting = greeting(&demo);
    let variable = |name: &str| {
        let prefix = format!("export {name}=");
        let mut lines = greeting.lines();
        lines.find_map(|line| line.strip_prefix(&prefix)).unwrap()
    };
    let nextcloud = variable("NEXTCLOUD").trim_start_matches("http://").parse().unwrap();
    let bearer = format!("Authorization: Bearer {}\r\n", variable("BOB"));
    let call = |line: &str| send(demo.address, line, &bearer, "");
    assert_eq!(call("GET /api/v1/apps").status, 428);
    let flow = call("POST /api/v1/background-sync/login-flow").json();
    let polled =
        format!("GET /api/v1/background-sync/login-flow/{}", flow["flow_id"].as_str().unwrap());
    assert_eq!(call(&polled).json()["status"], "pending");
    let page = flow["login_url"].as_str().unwrap();
    let page = page.strip_prefix(&format!("http://{nextcloud}")).expect("a page of the stand-in");
    let asked = send(nextcloud, &format!("GET {page}"), "", "");
    assert!(asked.body.contains("<form method=\"post\">"));
    let granted = send(nextcloud, &format!("POST {page}"), "", "user=bob");
    assert_eq!(granted.status, 200);
    assert_eq!(call(&polled).json()["status"], "granted");
    assert_eq!(call("GET /api/v1/apps").status, 200);
    // Only administrators may manage webhooks.
    assert_eq!(call("GET /api/v1/webhooks").status, 500);
    assert_eq!(call("DELETE /api/v1/background-sync/credentials?revoke=true").status, 200);
    assert_eq!(call("GET /api/v1/apps").status, 428);
}

/// Whoever presses Ctrl-C does not wait for programs that read events.
#[test]
fn the_demo_ends_while_events_are_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = portreeve();
    command.args(["demo", "--listen", "127.0.0.1:0"]).env("TMPDIR", dir.path());
    let mut demo = Served::start(&mut command);
    let greeting = greeting(&demo);
    let token = greeting.lines().find_map(|line| line.strip_prefix("export TOKEN="));
    let mut reader = TcpStream::connect(demo.address).unwrap();
    let fields =
        format!("Host: g\r\nAccept: text/event-stream\r\nAuthorization: Bearer {}", token.unwrap());
    write!(reader, "GET /api/v1/deliveries/events HTTP/1.1\r\n{fields}\r\n\r\n").unwrap();
    let mut head = [0; 12];
    reader.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
    demo.signal("INT");
    let mut rest = String::new();
    reader.read_to_string(&mut rest).unwrap();
    // The stream ended as a whole one does.
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "{rest}");
    assert_eq!(demo.wait().code(), Some(0));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn the_demo_warns_on_an_address_that_others_can_reach() {
    let demo = |listen| {
        let mut demo = Served::start(portreeve().args(["demo", "--listen", listen]));
        demo.terminate();
        demo.wait();
        [demo.before_listening.clone(), demo.rest()].concat()
    };
    let is_warning = |line: &String| line.contains("without TLS");
    assert!(demo("0.0.0.0:0").iter().any(is_warning));
    assert!(!demo("127.0.0.1:0").iter().any(is_warning));
}

/// README, "In front of your Nextcloud", without a Nextcloud.
#[test]
fn a_gateway_can_be_configured_for_the_stand_in_alone() {
    let mut command = portreeve();
    command.args(["demo", "--nextcloud-only", "--listen", "127.0.0.1:0"]);
    let nextcloud = Served::start(&mut command);
    let mut lines = Vec::new();
    wait("all lines are printed", || {
        lines.extend(nextcloud.lines());
        lines.iter().any(|line| line.starts_with("Ctrl-C"))
    });
    let password = lines.iter().map(String::as_str).find(is_password);
    let password = password.expect("an app password");
    let dir = tempfile::tempdir().unwrap();
    let url = format!("http://{}", nextcloud.address);
    let in_dir = |arguments: &[&str]| {
        let mut command = portreeve();
        command.args(arguments).current_dir(dir.path());
        command.env("PORTREEVE_DATA_DIR", dir.path());
        command
    };
    let init = ["init", "--groupware-url", &url, "--tokens-file", "tokens"];
    assert_contains(&success(&mut in_dir(&init), ""), &["portreeve serve\n"]);
    let token = success(&mut in_dir(&["token", "new", "--user", "alice"]), "");
    success(&mut in_dir(&["credentials", "put", "--user", "alice"]), password);
    let served = Served::start(&mut in_dir(&["serve", "--listen", "127.0.0.1:0"]));
    let answer = get(served.address, "/api/v1/apps", token.trim());
    assert_eq!(answer.status, 200, "{answer:?}");
    let register = |class: &str| {
        let body = format!(r#"{{"event": "{class}", "uri": "http://127.0.0.1:9/hook"}}"#);
        let bearer = format!("Authorization: Bearer {}\r\n", token.trim());
        send(served.address, "POST /api/v1/webhooks", &bearer, &body).status
    };
    // The server answers 400, as the real one does; docs/API.md, section 4.2, rule 8.
    assert_eq!(register(r"OCP\\Nothing\\Here"), 500);
    assert_eq!(register(r"OCP\\Files\\Events\\Node\\NodeCreatedEvent"), 200);
    let uploaded = send(nextcloud.address, UPLOAD, &basic(password), "a note");
    assert_eq!(uploaded.status, 201);
    let mut shown = String::new();
    wait("the delivery is shown", || {
        shown += &nextcloud.lines().join("\n");
        shown.contains("Nextcloud \u{2192} gateway    Bearer (webhook) POST /hook")
    });
}

/// The stand-in delivers there, and so does the gateway of the whole demo.
#[test]
fn receivers_whose_certificate_is_of_a_private_authority_are_trusted_if_it_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (uri, ca) = receiver_with_tls(dir.path().join("ca.pem"));
    let class = r"OCP\\Files\\Events\\Node\\NodeCreatedEvent";
    for (trusted, answer, outcome) in
        [(&["--ca", &*ca][..], "200 OK", "delivered"), (&[], "UnknownIssuer", "tls")]
    {
        let mut command = portreeve();
        command.args(["demo", "--nextcloud-only", "--listen", "127.0.0.1:0"]);
        let nextcloud = Served::start(command.args(trusted));
        let shown = greeting(&nextcloud);
        let password = shown.lines().find(is_password);
        let fields = basic(password.expect("an app password"));
        let path = "/ocs/v2.php/apps/webhook_listeners/api/v1/webhooks";
        let webhook = format!(r#"{{"httpMethod": "POST", "uri": "{uri}", "event": "{class}"}}"#);
        let post = |line: &str, body: &str| send(nextcloud.address, line, &fields, body).status;
        assert_eq!(post(&format!("POST {path}"), &webhook), 200);
        assert_eq!(post(UPLOAD, "a note"), 201);
        let mut shown = String::new();
        wait("what became of the delivery is shown", || {
            shown += &nextcloud.lines().join("\n");
            shown.contains("Nextcloud \u{2190} gateway")
        });
        assert_contains(&shown, &[answer]);

        let mut command = portreeve();
        command.args(["demo", "--listen", "127.0.0.1:0"]);
        let demo = Served::start(command.args(trusted));
        let greeting = greeting(&demo);
        let mut lines = greeting.lines();
        let token = lines.find_map(|line| line.strip_prefix("export TOKEN="));
        let bearer = format!("Authorization: Bearer {}\r\n", token.expect("a token"));
        let path = "/api/v1/deliveries/targets";
        let post = |line: &str, body: &str| send(demo.address, line, &bearer, body).json();
        let target = post(&format!("POST {path}"), &format!(r#"{{"uri": "{uri}"}}"#));
        let test = format!("POST {path}/{}/test", target["id"].as_str().unwrap());
        let tested = post(&test, &format!(r#"{{"event": "{class}"}}"#));
        assert_eq!(tested["outcome"], outcome, "{tested}");
    }
    let refused = run(portreeve().args(["demo", "--ca", "/dev/null"]), "");
    assert_eq!(refused.status.code(), Some(2));
    assert_contains(text(&refused.stderr), &["'/dev/null' for '--ca <FILE>'"]);
}

/// A server that answers 200, until the process ends: its address, and the path of the file with its authority.
fn receiver_with_tls(ca: PathBuf) -> (String, String) {
    let authority = Authority::new("receivers");
    std::fs::write(&ca, authority.pem()).unwrap();
    let config = authority.ending_in(1).server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let uri = format!("https://{}/hook", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(config.clone()).unwrap();
            // A client that does not trust it breaks the handshake off.
            let _ = answer(rustls::StreamOwned::new(connection, stream.unwrap()));
        }
    });
    (uri, ca.into_os_string().into_string().unwrap())
}

fn answer(stream: rustls::StreamOwned<rustls::ServerConnection, TcpStream>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while line != "\r\n" {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap();
        }
    }
    reader.read_exact(&mut vec![0; length])?;
    let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    reader.get_mut().write_all(answer)
}

#[test]
fn the_demo_leaves_no_files_and_exits_on_sighup() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = portreeve();
    command.args(["demo", "--listen", "127.0.0.1:0"]).env("TMPDIR", dir.path());
    let mut served = Served::start(&mut command);
    served.signal("HUP");
    assert_eq!(served.wait().code(), Some(0));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let message = failure(portreeve().arg("demo").env("TMPDIR", "/nonexistent"), 1);
    assert_contains(&message, &["temporary folder", "TMPDIR"]);
}
