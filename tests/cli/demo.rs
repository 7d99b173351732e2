//! `portreeve demo`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::support::binary::{
    Served, assert_contains, failure, get, http, portreeve, run, success, text, wait,
};

/// They are pasted into shells as printed: into bash, without the comments that it allows by default
/// and zsh does not, and into zsh if it is installed.
#[test]
fn the_lines_that_the_demo_prints_work_when_pasted() {
    let bash = ["--noprofile", "--norc", "+O", "interactive_comments", "-i"];
    assert_demo_works_in("bash", &bash);
    match std::process::Command::new("zsh").arg("--version").output() {
        Ok(_) => assert_demo_works_in("zsh", &["-f", "-i"]),
        Err(_) => println!("left out: zsh is not installed"),
    }
}

fn assert_demo_works_in(shell: &str, arguments: &[&str]) {
    let mut served = Served::start(portreeve().args(["demo", "--listen", "127.0.0.1:0"]));
    let mut script = String::new();
    wait("all lines are printed", || {
        for line in served.lines() {
            script += &format!("{line}\n");
        }
        script.contains("Ctrl-C")
    });
    let start = script.find("TOKEN=").expect("a token");
    let end = script.find("Ctrl-C").unwrap();
    let mut shell = std::process::Command::new(shell);
    shell.args(arguments).env("HOME", "/nonexistent");
    let pasted = &script[start..end];
    let output = run(&mut shell, &format!("{pasted}\n{pasted}"));
    let printed = text(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    let complaints = text(&output.stderr);
    assert!(!complaints.contains("not found"), "{complaints}");
    let statuses: Vec<_> = printed
        .lines()
        .filter(|line| line.starts_with("HTTP/1.1 "))
        .collect();
    let (ok, created) = ("HTTP/1.1 200 OK", "HTTP/1.1 201 Created");
    let refused = "HTTP/1.1 401 Unauthorized";
    let once = [ok, ok, created, ok, ok, ok, ok, ok, refused];
    assert_eq!(statuses, once.repeat(2), "{printed}");
    let apps = r#""apps":["core","dav""#;
    let enabled = r#""preset":"files","uri":"http://127.0.0.1:"#;
    let delivered = r#""outcome":"rejected","status":503},{"#;
    assert_contains(
        printed,
        &[
            apps,
            enabled,
            delivered,
            r#""state":"delivered""#,
            r#""state":"enabled""#,
            r#""state":"disabled""#,
        ],
    );
    // Each body ends with a line break.
    assert!(
        !printed.contains("}HTTP/1.1") && !printed.contains("}=="),
        "{printed}"
    );

    served.terminate();
    assert_eq!(served.wait().code(), Some(0));
    // What the gateway and Nextcloud received.
    let shown = served.rest();
    let to = |whom: &str| -> Vec<&String> {
        let lines = shown.iter().filter(|line| line.contains(whom));
        lines.collect()
    };
    let calls = to("caller    \u{2192} gateway");
    let calls: Vec<_> = calls
        .iter()
        .map(|line| line.contains(" Bearer prt_\u{2026}"))
        .collect();
    assert_eq!(
        calls,
        [true, true, true, true, true, true, false, false].repeat(2)
    );
    let calls = to("\u{2192} Nextcloud");
    let with_password = |line: &&&String| line.contains(" Basic alice:\u{2022}\u{2022}\u{2022}");
    assert!(
        calls.iter().filter(with_password).count() >= 8,
        "{shown:#?}"
    );
    let leaks = |line: &&String| line.contains("prt_") || line.contains("another");
    assert!(!calls.iter().any(leaks), "{shown:#?}");
    let token = script[start..]
        .lines()
        .next()
        .unwrap()
        .trim_start_matches("TOKEN=");
    assert!(!shown.iter().any(|line| line.contains(token)), "{shown:#?}");
    // One event each time, with the credential that the gateway expects; it arrives signed, at the second attempt.
    let received = to("Nextcloud \u{2192} gateway");
    let derived = " Bearer (derived) POST /webhooks/nextcloud";
    assert!(received.iter().all(|line| line.contains(derived)));
    assert_eq!(received.len(), 2, "{shown:#?}");
    let attempts = to("gateway   \u{2192} receiver");
    assert!(attempts.iter().all(|line| line.contains("POST /files")));
    let answers = to("gateway   \u{2190} receiver");
    let answers: Vec<_> = answers
        .iter()
        .map(|line| line.split_once("receiver").unwrap().1.trim())
        .collect();
    let once = ["503 Service Unavailable", "200 OK"];
    assert_eq!((attempts.len(), answers), (4, once.repeat(2)), "{shown:#?}");
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
    let is_password = |line: &&String| line.len() == 40 && !line.contains(' ');
    let password = lines.iter().find(is_password).expect("an app password");
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
    success(
        &mut in_dir(&["credentials", "put", "--user", "alice"]),
        password,
    );
    let served = Served::start(&mut in_dir(&["serve", "--listen", "127.0.0.1:0"]));
    let answer = get(served.address, "/api/v1/apps", token.trim());
    assert_eq!(answer.status, 200, "{answer:?}");
    let send = |address, line: &str, authorization: &str, body: &str| {
        let length = body.len();
        let head = format!("{line} HTTP/1.1\r\nHost: g\r\nConnection: close");
        let fields = format!("Authorization: {authorization}\r\nContent-Length: {length}");
        http(address, &format!("{head}\r\n{fields}\r\n\r\n{body}")).status
    };
    let register = |class: &str| {
        let body = format!(r#"{{"event": "{class}", "uri": "http://127.0.0.1:9/hook"}}"#);
        let bearer = format!("Bearer {}", token.trim());
        send(served.address, "POST /api/v1/webhooks", &bearer, &body)
    };
    // The server answers 400, as the real one does; docs/API.md, section 4.2, rule 8.
    assert_eq!(register(r"OCP\\Nothing\\Here"), 500);
    assert_eq!(register(r"OCP\\Files\\Events\\Node\\NodeCreatedEvent"), 200);
    let basic = format!(
        "Basic {}",
        BASE64_STANDARD.encode(format!("alice:{password}"))
    );
    let upload = "PUT /remote.php/dav/files/alice/Notes/today.md";
    assert_eq!(send(nextcloud.address, upload, &basic, "a note"), 201);
    let mut shown = String::new();
    wait("the delivery is shown", || {
        shown += &nextcloud.lines().join("\n");
        shown.contains("Nextcloud \u{2192} gateway    Bearer (webhook) POST /hook")
    });
}

#[test]
fn the_demo_leaves_no_files_and_exits_on_sighup() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = portreeve();
    command
        .args(["demo", "--listen", "127.0.0.1:0"])
        .env("TMPDIR", dir.path());
    let mut served = Served::start(&mut command);
    served.signal("HUP");
    assert_eq!(served.wait().code(), Some(0));
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    let message = failure(portreeve().arg("demo").env("TMPDIR", "/nonexistent"), 1);
    assert_contains(&message, &["temporary folder", "TMPDIR"]);
}
