//! What the operator opened, and what tokens have.

use super::*;

#[test]
fn a_bare_name_opens_all_of_a_family_and_a_scope_itself() {
    assert_eq!(opened("").to_string(), "");
    assert_eq!(opened("mail").to_string(), "mail.read mail.write mail.send");
    assert_eq!(opened("notes calendar.read").to_string(), "calendar.read notes.read notes.write");
    assert_eq!(everything().iter().count(), 25);
}

#[test]
fn unknown_and_repeated_names_say_what_is_allowed() {
    let refused = |names: &str| Scopes::opened_by(names.split(',')).unwrap_err();
    for name in
        ["", "note", "Notes", "notes.", "notes.read ", "notes.send", "notes:read", ".read", "*"]
    {
        assert_eq!(refused(name), OpenedError::Unknown(name.into()));
    }
    let message = refused("note").to_string();
    for name in Family::ALL {
        assert!(message.contains(name.as_str()), "{message}");
    }
    for names in ["notes,notes", "notes,notes.read", "notes.read,notes.read", "mail.send,mail"] {
        assert!(matches!(refused(names), OpenedError::Repeated(_)), "{names}");
    }
}

#[test]
fn nothing_is_forwarded_that_is_not_opened() {
    let asked = |names, method, path| ask_with(opened(names), method, path, &["Depth: 0"]).err();
    let refused = Some(Refused::NotOpened);
    assert_eq!(asked("", "GET", "/cloud/apps/notes/api/v1/notes"), refused);
    assert_eq!(asked("deck", "GET", "/cloud/apps/notes/api/v1/notes"), refused);
    assert_eq!(asked("notes.read", "POST", "/cloud/apps/notes/api/v1/notes"), refused);
    assert_eq!(asked("notes.write", "GET", "/cloud/apps/notes/api/v1/notes"), refused);
    assert_eq!(
        asked("mail.read mail.write", "POST", "/cloud/ocs/v2.php/apps/mail/message/send"),
        refused
    );
    assert_eq!(asked("deck", "POST", "/cloud/apps/deck/api/v1.0/boards/3/acl"), refused);
    assert_eq!(asked("deck sharing.write", "POST", "/cloud/apps/deck/api/v1.0/boards/3/acl"), None);
    assert_eq!(asked("cookbook", "POST", "/cloud/apps/cookbook/api/v1/recipes"), refused);
    // Nor a method of what is not, which would tell that it could be.
    assert_eq!(asked("deck", "PATCH", "/cloud/apps/notes/api/v1/notes"), refused);
    assert_eq!(asked("notes", "PROPFIND", "/cloud/remote.php/dav/"), refused);
    assert_eq!(asked("notes", "SEARCH", "/cloud/remote.php/dav/"), refused);
    assert_eq!(asked("notes", "POST", "/cloud/remote.php/dav/bulk"), refused);
    assert_eq!(asked("files.write", "PROPFIND", "/cloud/remote.php/dav/"), refused);
    assert_eq!(asked("contacts.read", "PROPFIND", "/cloud/remote.php/dav/"), None);
}

#[test]
fn a_path_outside_the_web_root_is_not_the_servers() {
    for path in [
        "/apps/notes/api/v1/notes",
        "/cloudy/apps/notes/api/v1/notes",
        "/Cloud/apps/notes/api/v1/notes",
        "/cloud",
    ] {
        assert_eq!(ask_with(everything(), "GET", path, &[]).unwrap_err(), Refused::NotOpened);
    }
    let root = Server::new("https://cloud.example.org", "").unwrap();
    let head = Request::get("/apps/notes/api/v1/notes").body(()).unwrap().into_parts().0;
    assert!(decide(&head, &context(&root, everything())).is_ok());
}

#[test]
fn a_token_lacks_what_it_does_not_name_byte_for_byte() {
    let forwarded = ask("GET", "/apps/notes/api/v1/notes", &[]).unwrap();
    let lacks = |granted: &str| !forwarded.needs.missing(granted.split(' ')).is_empty();
    assert!(!lacks("openid notes.read") && !lacks("notes.read notes.read"));
    for granted in [
        "",
        "notes.write",
        "notes.readx",
        "notes",
        "NOTES.READ",
        "xnotes.read",
        "notes:read",
        "https://host/notes.read",
        "notes.read,notes.write",
        "[notes.read]",
    ] {
        assert!(lacks(granted), "{granted}");
    }
    let shared = ask("POST", "/remote.php/dav/calendars/alice/personal/", &[]).unwrap();
    let missing = |scope| shared.needs.missing([scope]).to_string();
    assert_eq!(missing("calendar.read"), "calendar.write sharing.write");
    assert_eq!(missing("calendar.write"), "calendar.read sharing.write");
    assert_eq!(missing("sharing.write"), "calendar.read calendar.write");
    let send = ask("POST", "/ocs/v2.php/apps/mail/message/send", &[]).unwrap();
    assert_eq!(send.needs.missing(["mail.read", "mail.write"]).to_string(), "mail.send");
}

#[test]
fn to_find_resources_any_family_of_dav_is_enough() {
    for path in ["/remote.php/dav", "/remote.php/dav/", "/remote.php/dav/principals/users/alice/"] {
        let found = ask("PROPFIND", path, &["Depth: 0"]).unwrap();
        for granted in ["files.read", "calendar.read", "contacts.read"] {
            assert!(found.needs.missing([granted]).is_empty());
        }
        assert_eq!(found.needs.missing(["files.write", "notes.read"]).to_string(), "files.read");
        assert_eq!(ask("PROPFIND", path, &["Depth: 1"]).unwrap_err(), Refused::Depth);
        // Other paths have no say there.
        let lists = "If: </cloud/remote.php/dav/files/alice/a> (<t>)";
        let found = ask("PROPFIND", path, &["Depth: 0", lists]).unwrap();
        assert!(found.needs.missing(["contacts.read"]).is_empty());
        assert_eq!(found.headers, map(&["Depth: 0"]));
    }
    let contacts =
        ask_with(opened("contacts notes"), "PROPFIND", "/cloud/remote.php/dav/", &["Depth: 0"]);
    let contacts = contacts.unwrap();
    assert_eq!(needs(&contacts), "contacts.read");
    assert!(!contacts.needs.missing(["files.read"]).is_empty());
}

#[test]
fn discovery_redirects_for_what_is_opened() {
    let server = server();
    let to = |path, names| discovery(path, opened(names), &server);
    let root = Some("/cloud/remote.php/dav/".to_owned());
    assert_eq!(to("/.well-known/caldav", "calendar.read"), root);
    assert_eq!(to("/.well-known/carddav", "contacts"), root);
    assert_eq!(to("/.well-known/carddav", "calendar files"), None);
    assert_eq!(to("/.well-known/caldav/", "calendar"), None);
    let refused = ask_with(opened("calendar"), "PROPFIND", "/.well-known/caldav", &[]).err();
    assert_eq!(refused, root.map(Refused::Elsewhere));
    let server = Server::new("https://cloud.example.org", "").unwrap();
    let root = discovery("/.well-known/caldav", opened("calendar"), &server);
    assert_eq!(root.as_deref(), Some("/remote.php/dav/"));
}

#[test]
fn talk_marks_messages_as_read_unless_told_not_to_in_one_spelling() {
    let chat = |query: &str| {
        ask("GET", &format!("/ocs/v2.php/apps/spreed/api/v1/chat/abc4{query}"), &[]).unwrap()
    };
    for query in ["?lookIntoFuture=0", "?lookIntoFuture=0&limit=100"] {
        assert!(!chat(query).long_poll && !chat(query).is_write, "{query}");
    }
    for query in ["?lookIntoFuture=1&setReadMarker=0", "?setReadMarker=0&lookIntoFuture=1"] {
        assert!(chat(query).long_poll && !chat(query).is_write, "{query}");
    }
    for query in [
        "",
        "?lookIntoFuture=1",
        "?lookIntoFuture=1&setReadMarker=1",
        "?lookIntoFuture=1&setReadMarker=0&setReadMarker=1",
        "?lookIntoFuture=1&setReadMarker=0&set%52eadMarker=1",
        "?lookIntoFuture=1&setReadMarker=0&+setReadMarker=1",
        "?lookIntoFuture=1&setReadMarker%3D0",
        "?lookIntoFuture=1&setReadMarker[=0",
        "?lookIntoFuture=1&x=1;setReadMarker=0",
        "?lookIntoFuture=1&setReadMarker=00",
        "?lookIntoFuture=0&lookIntoFuture=1",
        "?lookIntoFuture=0&lookIntoFutur%65=1",
        "?lookIntoFuture=0;lookIntoFuture=1",
    ] {
        assert!(chat(query).long_poll && chat(query).is_write, "{query}");
    }
}
