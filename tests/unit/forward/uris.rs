//! `Destination` and `If`.

use super::*;

fn target(method: &str, destination: &str) -> Result<String, Refused> {
    let field = format!("Destination: {destination}");
    let forwarded = ask(method, "/remote.php/dav/files/alice/a", &[&field])?;
    Ok(forwarded.headers["destination"].to_str().unwrap().to_owned())
}

#[test]
fn a_destination_is_a_path_of_this_account_on_this_host() {
    let sent = "https://cloud.example.org/cloud/remote.php/dav/files/alice/b%20%3B";
    for destination in [
        "/cloud/remote.php/dav/files/alice/b%20;",
        "https://cloud.example.org/cloud/remote.php/dav/files/alice/b%20;",
        "http://CLOUD.example.org:80/cloud/remote.php/dav/files/%61lice/b%20;",
        "https://Gate.example.org:8443/cloud/remote.php/dav/files/alice/b%20%3b",
    ] {
        assert_eq!(target("MOVE", destination).as_deref(), Ok(sent), "{destination}");
    }
    for destination in [
        "",
        " ",
        "b",
        "./b",
        "../b",
        "//gate.example.org/cloud/remote.php/dav/files/alice/b",
        "*",
        "https://evil.example/cloud/remote.php/dav/files/alice/b",
        "https://gate.example.org/cloud/remote.php/dav/files/alice/b",
        "https://cloud.example.org.evil.example/cloud/remote.php/dav/files/alice/b",
        "https://alice@cloud.example.org/cloud/remote.php/dav/files/alice/b",
        "https://cloud.example.org@evil.example/cloud/remote.php/dav/files/alice/b",
        "https://cloud.example.org:1/cloud/remote.php/dav/files/alice/b",
        "https:///cloud/remote.php/dav/files/alice/b",
        "ftp://cloud.example.org/cloud/remote.php/dav/files/alice/b",
        "file:///cloud/remote.php/dav/files/alice/b",
        "cloud.example.org:443",
        "https://cloud.example.org",
        "/cloud/remote.php/dav/files/alice/b?../../bob/c",
        "/cloud/remote.php/dav/files/alice/b#c",
        "/cloud/remote.php/dav/files/alice/../bob/b",
        "/cloud/remote.php/dav/files/alice/%2e%2e/bob/b",
        "/cloud/remote.php/dav/files/alice%2f..%2fbob/b",
        "/cloud/remote.php/dav//files/alice/b",
        "/cloud/remote.php/dav/files/alice/b\\c",
        "/cloud/remote.php/dav/files/alice/%zz",
        "/cloud/remote.php/dav/files/alice/\u{fc}",
        "/cloud/remote.php/dav/files/alice/b /cloud/remote.php/dav/files/alice/c",
    ] {
        assert!(target("MOVE", destination).is_err(), "{destination}");
    }
    for destination in [
        "/remote.php/dav/files/alice/b",
        "/cloud/remote.php/dav/files/bob/b",
        "/cloud/remote.php/dav/files/alice2/b",
        "/cloud/remote.php/dav/principals/users/alice",
        "/cloud/remote.php/dav/uploads/alice/up-1/1",
        "/cloud/remote.php/dav/calendars/alice/personal",
        "/cloud/apps/notes/api/v1/notes",
        "/cloud/ocs/v2.php/core/apppassword",
        "/cloud/remote.php/dav/trashbin/alice/trash/a",
        "/cloud/remote.php/dav/addressbooks/users/bob/contacts/a.vcf",
    ] {
        for method in ["MOVE", "COPY"] {
            assert!(
                matches!(target(method, destination), Err(Refused::Forbidden(_))),
                "{destination}"
            );
        }
    }
    assert_eq!(
        ask("COPY", "/remote.php/dav/files/alice/a", &[]).unwrap_err(),
        Refused::Malformed("destination", "it is missing")
    );
}

#[test]
fn a_destination_must_be_opened_to_writes() {
    let to_calendar = |names| {
        let field = "Destination: /cloud/remote.php/dav/calendars/alice/personal/a.ics";
        ask_with(opened(names), "COPY", "/cloud/remote.php/dav/files/alice/a", &[field]).is_ok()
    };
    assert!(to_calendar("files.read calendar.write") && to_calendar("files calendar"));
    assert!(
        !to_calendar("files") && !to_calendar("files calendar.read") && !to_calendar("calendar")
    );
}

/// The scope of an upload is that of where it goes, from the first request on.
#[test]
fn an_upload_goes_where_each_of_its_requests_says() {
    for (method, path) in [
        ("MKCOL", "/remote.php/dav/uploads/alice/up"),
        ("PUT", "/remote.php/dav/uploads/alice/up/1"),
        ("MOVE", "/remote.php/dav/uploads/alice/up/.file"),
    ] {
        for (destination, is_open) in [
            ("/cloud/remote.php/dav/files/alice/b", true),
            ("/cloud/remote.php/dav/files/bob/b", false),
            ("/cloud/apps/notes/api/v1/notes", false),
            ("b", false),
        ] {
            let asked = ask(method, path, &[&format!("Destination: {destination}")]);
            assert_eq!(asked.is_ok(), is_open, "{method} {destination}");
        }
    }
}

fn lists(value: &str) -> Result<String, Refused> {
    let forwarded = ask("PUT", "/remote.php/dav/files/alice/a", &[&format!("If: {value}")])?;
    Ok(forwarded.headers["if"].to_str().unwrap().to_owned())
}

#[test]
fn tags_of_an_if_field_name_what_is_open_to_writes() {
    let own = "https://cloud.example.org/cloud/remote.php/dav/files/alice/a%3B";
    for (value, sent) in [
        ("(<urn:uuid:1>)".to_owned(), "(<urn:uuid:1>)".to_owned()),
        (
            r#"(["a"])  (Not <urn:uuid:1> [W/"b"])"#.to_owned(),
            r#"(["a"]) (Not <urn:uuid:1> [W/"b"])"#.to_owned(),
        ),
        ("</cloud/remote.php/dav/files/alice/a;>(<t>)".to_owned(), format!("<{own}> (<t>)")),
        (
            format!("<{own}> (<t>)(<u>) </cloud/remote.php/webdav/b> ([\"c\"])"),
            format!(
                "<{own}> (<t>) (<u>) <https://cloud.example.org/cloud/remote.php/webdav/b> ([\"c\"])"
            ),
        ),
    ] {
        assert_eq!(lists(&value), Ok(sent));
    }
    for value in [
        "",
        "<t>",
        "()",
        "(",
        "(<t>",
        "<t> <u> (<v>)",
        "</cloud/remote.php/dav/files/alice/a> </cloud/remote.php/dav/files/alice/b> (<t>)",
        "x (<t>)",
        "(<t>) x",
        "(<t>) <u>",
        "(<t> <u>)",
        "(<t>x[\"a\"])",
        "([\"a\"] <t>)",
        "(Not)",
        "(not <t>)",
        "(<t>  [\"a\"])",
        r#"(["a)"])"#,
        r#"(["a" </cloud/remote.php/dav/files/bob/a> ("])"#,
        "(<a> [b) <c> (d])",
        "(<<t>>)",
        "(<t>) (",
        "<> (<t>)",
    ] {
        assert!(matches!(lists(value), Err(Refused::Malformed("if", _))), "{value}");
    }
    for tag in [
        "/cloud/remote.php/dav/files/bob/a",
        "/cloud/remote.php/dav/principals/users/alice",
        "/cloud/apps/notes/api/v1/notes",
    ] {
        assert!(matches!(lists(&format!("<{tag}> (<t>)")), Err(Refused::Forbidden(_))), "{tag}");
    }
    for tag in [
        "https://evil.example/cloud/remote.php/dav/files/alice/a",
        "/cloud/remote.php/dav/files/alice/../bob/a",
        "a",
        "/cloud/remote.php/dav/files/alice/a?b",
    ] {
        assert!(
            matches!(lists(&format!("<{tag}> (<t>)")), Err(Refused::Malformed("if", _))),
            "{tag}"
        );
    }
    let field = "If: </cloud/remote.php/dav/calendars/alice/personal/a.ics> (<t>)";
    let forwarded = ask("PUT", "/remote.php/dav/files/alice/a", &[field]).unwrap();
    assert_eq!(needs(&forwarded), "files.write calendar.write");
}
