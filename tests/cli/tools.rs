//! The commands around the gateway: version, health, completions, manual pages.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

use super::scrape;
use crate::support::binary::{
    Served, assert_contains, failure, http, in_dir, portreeve, run, serve_in, success, text, token,
};

#[test]
fn the_version_includes_the_revision_and_the_features() {
    let long = success(portreeve().arg("--version"), "");
    assert_eq!(success(portreeve().arg("-V"), ""), long);
    let start = concat!("portreeve ", env!("CARGO_PKG_VERSION"), " (revision ");
    let rest = long.strip_prefix(start).expect(&long);
    let (revision, features) = rest.split_once(", features ").expect(&long);
    let features = features.trim_end().strip_suffix(')').expect(&long);
    let features: Vec<_> = features.split(' ').collect();
    for feature in ["cli", "game", "game-tokio", "gateway", "sqlite"] {
        assert!(features.contains(&feature), "{feature}: {long}");
    }
    // In a clone it is the commit; a package without one says so.
    let git =
        Command::new("git").args(["-C", env!("CARGO_MANIFEST_DIR"), "rev-parse", "HEAD"]).output();
    let of_repository = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".git");
    match git {
        Ok(output) if output.status.success() && of_repository.exists() => {
            assert!(text(&output.stdout).starts_with(revision), "{long}");
            assert_eq!(revision.len(), 12);
        }
        _ => assert!(!revision.is_empty()),
    }
}

#[cfg(unix)]
#[test]
fn a_healthcheck_checks_every_address_over_its_protocol() {
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let authority = crate::support::certificates::Authority::new("health");
    let (cert, key) = authority.ending_in(90).write(dir.path());
    let ca = dir.path().join("clients.pem");
    std::fs::write(&ca, authority.pem()).unwrap();
    for with_client_ca in [false, true] {
        let socket = format!("unix:{}", dir.path().join("socket").display());
        let tls = |command: &mut Command| {
            command.arg("--tls-cert").arg(&cert).arg("--tls-key").arg(&key);
            if with_client_ca {
                command.arg("--tls-client-ca").arg(&ca);
            }
        };
        let both = format!("127.0.0.1:0,{socket}");
        let mut command = in_dir(dir.path(), &["serve", "--listen", &both]);
        tls(&mut command);
        let mut served = Served::start(&mut command);
        let both = format!("{socket},127.0.0.1:{}", served.address.port());
        let mut healthcheck = portreeve();
        healthcheck.args(["healthcheck", "--listen", &both]);
        tls(&mut healthcheck);
        success(&mut healthcheck, "");
        // One missing address is enough to fail.
        let mut healthcheck = portreeve();
        healthcheck.args(["healthcheck", "--listen", &format!("{both},unix:/nonexistent/s")]);
        tls(&mut healthcheck);
        let line = failure(&mut healthcheck, 1);
        assert!(line.contains("unix:/nonexistent/s"), "{line}");
        served.terminate();
        served.wait();
    }
}

#[test]
fn a_healthcheck_is_not_fooled_by_something_else_on_the_port() {
    for (answer, said) in [
        ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "cannot read its answer"),
        ("", "cannot read its answer"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let other = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let read = stream.read(&mut [0; 1024]).unwrap();
            assert!(read > 0);
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let line = failure(portreeve().args(["healthcheck", "--listen", &address]), 1);
        assert!(line.contains(said) && line.contains(&address), "{line}");
        other.join().unwrap();
    }
}

#[test]
fn the_openapi_description_is_printed_and_served_unchanged() {
    let printed = success(portreeve().arg("openapi"), "");
    assert!(printed == portreeve::gateway::OPENAPI, "{printed}");
    let document: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    // The metrics listener serves the same, without a token.
    let dir = tempfile::tempdir().unwrap();
    token(dir.path(), "alice");
    let served = Served::start(serve_in(dir.path()).args(["--metrics-listen", "127.0.0.1:0"]));
    let address = scrape::address(&served);
    let ask = |method: &str| {
        let head = format!("{method} /openapi.json HTTP/1.1\r\n");
        http(address, &format!("{head}Host: g\r\nConnection: close\r\n\r\n"))
    };
    let answer = ask("GET");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert!(answer.body == printed, "{answer:?}");
    let (head, post) = (ask("HEAD"), ask("POST"));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD")));
    // The listener of the API does not serve it.
    let callers = "GET /openapi.json HTTP/1.1\r\nHost: g\r\nConnection: close\r\n\r\n";
    assert_eq!(http(served.address, callers).status, 401);
}

/// Each installed shell loads the completions that are printed for it.
#[test]
fn completions_work_in_the_installed_shells() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let printed = success(portreeve().args(["completions", shell]), "");
        for word in ["check-config", "groupware-url", "healthcheck"] {
            assert!(printed.contains(word), "{shell}: {word}");
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let bash = r#"
        source "$1"
        spec=$(complete -p portreeve)
        [[ $spec =~ -F\ ([a-z_]+) ]]
        try() {
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
            "${BASH_REMATCH[1]}" portreeve "${@: -1}" "${@: -2:1}"
            echo "${COMPREPLY[*]}"
        }
        try portreeve check
        try portreeve serve --groupware-u
        try portreeve credentials r
        try portreeve serve --log-format ""
        try portreeve serve --webhook-auth s
        try portreeve serve --admin-reveal ""
        try portreeve man cr
        try portreeve decode --kind room_s
        try portreeve events show NodeCr
    "#;
    let printed = completions_in(dir.path(), "bash");
    let output = Command::new("bash").args(["-c", bash, "bash"]).arg(&printed).output().unwrap();
    assert_eq!(
        text(&output.stdout).lines().collect::<Vec<_>>(),
        [
            "check-config",
            "--groupware-url",
            "remove rotate-keys",
            "text json",
            "shared",
            "true false",
            "credentials",
            "room_say",
            "NodeCreatedEvent",
        ],
        "{output:?}"
    );
    for (shell, check) in [
        (
            "zsh",
            // In a session that has not loaded its completion system yet.
            "source \"$1\" && whence _portreeve && whence compdef",
        ),
        (
            "fish",
            "source $argv[1]; complete -C 'portreeve check' | string match -q 'check-config*'",
        ),
    ] {
        let file = completions_in(dir.path(), shell);
        let arguments: &[&str] = match shell {
            "zsh" => &["-f", "-c", check, "zsh"],
            _ => &["--no-config", "-c", check],
        };
        match Command::new(shell).args(arguments).arg(&file).output() {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(_) => println!("left out: {shell} is not installed"),
        }
    }
    let zsh = std::fs::read_to_string(completions_in(dir.path(), "zsh")).unwrap();
    // `compinit` must follow the line by which zsh recognizes the file, and precede the `compdef` at
    // the end.
    let begins = zsh.lines().nth(1).unwrap_or_default();
    assert!(zsh.starts_with("#compdef portreeve\n") && begins.contains("compinit"), "{begins}");
    assert!(zsh.contains("(derived shared)") && zsh.contains("_files"));
    assert!(zsh.contains(" room_say "));
    let fish = std::fs::read_to_string(completions_in(dir.path(), "fish")).unwrap();
    let values = fish.split("-l log-format").nth(1);
    assert!(
        values.is_some_and(|line| line.contains("text") && line.contains("json")),
        "{values:?}"
    );
    // An unknown shell is an error of the command line.
    assert_eq!(run(portreeve().args(["completions", "tcsh"]), "").status.code(), Some(2));
}

fn completions_in(dir: &std::path::Path, shell: &str) -> std::path::PathBuf {
    let file = dir.join(shell);
    let printed = success(portreeve().args(["completions", shell]), "");
    std::fs::write(&file, printed).unwrap();
    file
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let program = success(portreeve().arg("man"), "");
    assert!(program.contains(".TH portreeve 1"), "{program}");
    let commands = commands(&[]);
    assert!(commands.len() > 9, "{commands:?}");
    for command in &commands {
        let name = format!("portreeve\\-{}(1)", command.replace('-', "\\-"));
        assert!(program.contains(&name), "{name}");
        let page = success(portreeve().args(["man", command]), "");
        for part in [&*format!(".TH portreeve-{command} 1"), ".SH SYNOPSIS", ".SH \"EXIT STATUS\""]
        {
            assert!(page.contains(part), "{command}, {part}: {page}");
        }
        lint(&page);
    }
    lint(&program);
    // Its exit statuses are its own.
    let own = success(portreeve().args(["man", "events", "match"]), "");
    assert!(own.contains("The exit code is 0") && !own.contains("EXIT STATUS"), "{own}");
    let put = success(portreeve().args(["man", "credentials", "put"]), "");
    assert!(put.contains(".TH portreeve-credentials-put 1") && put.contains("unchecked"));
    let serve = success(portreeve().args(["man", "serve"]), "");
    for part in [
        "\\fBportreeve serve\\fR [OPTIONS]\n",
        "groupware\\-url",
        "PORTREEVE_MAX_BODY",
        "WEBHOOK_SECRET",
        "SH FILES",
        "SH ENVIRONMENT",
    ] {
        assert!(serve.contains(part), "{part}");
    }
    let short = success(portreeve().args(["serve", "-h"]), "");
    assert!(short.lines().count() < 60 && short.contains("--groupware-url"), "{short}");
    let line = failure(portreeve().args(["man", "sreve"]), 2);
    assert_contains(&line, &["\"sreve\"", "serve"]);
}

/// The commands that the help lists, except `help` itself.
fn commands(of: &[&str]) -> Vec<String> {
    let help = success(portreeve().args(of).arg("--help"), "");
    let (_, list) = help.split_once("Commands:\n").unwrap();
    list.lines()
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .filter(|command| command != "help")
        .collect()
}

/// Asserts that mandoc and groff, if installed, accept a page.
fn lint(page: &str) {
    for (program, arguments) in [
        ("mandoc", &["-Tlint", "-Werror,stop"][..]),
        ("groff", &["-man", "-ww", "-z", "-K", "utf8"]),
    ] {
        let mut command = Command::new(program);
        if command.arg("--version").output().is_err() {
            println!("left out: {program} is not installed");
            continue;
        }
        let output = run(Command::new(program).args(arguments), page);
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(output.status.success() && said.is_empty(), "{program}: {said}");
    }
}
