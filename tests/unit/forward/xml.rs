//! Bodies of XML.

use super::*;

const HEAD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>"#;

fn report(family: Family, body: &str) -> Result<(), Refused> {
    check_xml(body.as_bytes(), family, &context(&server(), everything()))
}

fn multiget(href: &str) -> Result<(), Refused> {
    let body = format!(
        r#"{HEAD}<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><d:prop><d:getetag/></d:prop><d:href>{href}</d:href></c:calendar-multiget>"#
    );
    report(Family::Calendar, &body)
}

#[test]
fn each_family_has_its_reports() {
    let of = |family, body: &str| report(family, &format!("{HEAD}\n{body}\n<!-- end -->\n"));
    for (family, body) in [
        (
            Family::Calendar,
            r#"<calendar-query xmlns="urn:ietf:params:xml:ns:caldav"><filter><comp-filter name="VCALENDAR"/></filter></calendar-query>"#,
        ),
        (Family::Calendar, r#"<x:free-busy-query xmlns:x="urn:ietf:params:xml:ns:caldav"/>"#),
        (
            Family::Calendar,
            r#"<sync-collection xmlns="DAV:"><sync-token/><prop><getetag/></prop></sync-collection>"#,
        ),
        (
            Family::Contacts,
            r#"<sync-collection xmlns="DAV:"><sync-token>a&amp;b&#33;</sync-token></sync-collection>"#,
        ),
        (Family::Contacts, r#"<addressbook-query xmlns="urn:ietf:params:xml:ns:carddav"/>"#),
        (
            Family::Contacts,
            r#"<addressbook-multiget xmlns="urn:ietf:params:xml:ns:carddav"><href xmlns="DAV:">/cloud/remote.php/dav/addressbooks/users/alice/a/b.vcf</href></addressbook-multiget>"#,
        ),
        (
            Family::Files,
            r#"<filter-files xmlns="http://owncloud.org/ns"><favorite>1</favorite></filter-files>"#,
        ),
        (Family::Files, r#"<filter-comments xmlns="http://owncloud.org/ns"/>"#),
    ] {
        assert_eq!(of(family, body), Ok(()), "{body}");
        for other in [Family::Files, Family::Calendar, Family::Contacts] {
            let is_shared = other != Family::Files && body.starts_with("<sync-collection");
            assert_eq!(of(other, body).is_ok(), other == family || is_shared, "{body}");
        }
    }
    for body in [
        r#"<expand-property xmlns="DAV:"/>"#,
        r#"<principal-match xmlns="DAV:"/>"#,
        r#"<principal-property-search xmlns="DAV:"/>"#,
        r#"<acl-principal-prop-set xmlns="DAV:"/>"#,
        r#"<calendar-query xmlns="DAV:"/>"#,
        "<calendar-query/>",
        r#"<x:calendar-query/>"#,
        r#"<Calendar-query xmlns="urn:ietf:params:xml:ns:caldav"/>"#,
    ] {
        for family in [Family::Files, Family::Calendar, Family::Contacts] {
            assert!(of(family, body).is_err(), "{body}");
        }
    }
}

#[test]
fn what_a_report_names_is_of_its_family_and_account() {
    for href in [
        "/cloud/remote.php/dav/calendars/alice/personal/a.ics",
        "https://cloud.example.org/cloud/remote.php/dav/calendars/alice/personal/a%20b.ics",
        "https://gate.example.org:8443/cloud/remote.php/dav/calendars/alice/personal/a.ics",
        "/cloud/remote.php/dav/calendars/<!-- -->alice/personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/personal/a&amp;b.ics",
        "<![CDATA[/cloud/remote.php/dav/calendars/alice/personal/a.ics]]>",
        "/cloud/remote.php/dav/calendars/alice/personal/urn:uuid:1.ics",
    ] {
        assert_eq!(multiget(href), Ok(()), "{href}");
    }
    for href in [
        "",
        " /cloud/remote.php/dav/calendars/alice/personal/a.ics",
        "a.ics",
        "../../files/alice/a",
        "//cloud.example.org/cloud/remote.php/dav/calendars/alice/personal/a.ics",
        "/cloud/remote.php/dav/files/alice/a",
        "/cloud/remote.php/dav/addressbooks/users/alice/a/b.vcf",
        "/cloud/remote.php/dav/principals/users/alice",
        "/cloud/remote.php/dav/",
        "/cloud/remote.php/dav/calendars/bob/personal/a.ics",
        "/cloud/remote.php/dav/public-calendars/abc",
        "/remote.php/dav/calendars/alice/personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/../../files/alice/a",
        "/cloud/remote.php/dav/calendars/alice/%2e%2e/a",
        "/cloud/remote.php/dav/calendars%2falice/personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/personal/a.ics?b",
        "/cloud/remote.php/dav/calendars/alice/personal/a.ics#b",
        "https://evil.example/cloud/remote.php/dav/calendars/alice/personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/personal/\u{fc}.ics",
        "/cloud/remote.php/dav/calendars/&#98;ob/personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/<b/>personal/a.ics",
        "/cloud/remote.php/dav/calendars/alice/personal/a.ics</d:href><d:href>/cloud/remote.php/dav/files/alice/a",
        "/cloud/remote.php/dav/calendars/alice/personal/a.ics</d:href><href xmlns=\"other\">/cloud/remote.php/dav/files/alice/a</href><d:href>/cloud/remote.php/dav/calendars/alice/personal/a.ics",
    ] {
        assert!(multiget(href).is_err(), "{href}");
    }
}

#[test]
fn xml_that_could_be_read_in_another_way_is_refused() {
    let root = r#"<calendar-query xmlns="urn:ietf:params:xml:ns:caldav">"#;
    let close = "</calendar-query>";
    assert_eq!(report(Family::Calendar, &format!("\u{feff}{HEAD}{root}{close}")), Ok(()));
    for body in [
        String::new(),
        " ".to_owned(),
        "a".to_owned(),
        HEAD.to_owned(),
        root.to_owned(),
        format!("{root}{root}{close}"),
        format!("{root}</x>"),
        format!("{root}{close}{close}"),
        format!("{root}{close}{root}{close}"),
        format!("<!DOCTYPE a>{root}{close}"),
        format!("<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>{root}&b;{close}"),
        format!("{root}&b;{close}"),
        format!("<?php a?>{root}{close}"),
        format!("{root}<?a b?>{close}"),
        format!("<?xml version=\"1.0\" encoding=\"UTF-7\"?>{root}{close}"),
        format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{root}{close}"),
        format!("<?xml version=\"1.0\" encoding='UTF-16'?>{root}{close}"),
        format!("{root}<a{close}"),
        format!("{root}&{close}"),
    ] {
        assert!(report(Family::Calendar, &body).is_err(), "{body}");
    }
    let utf16: Vec<u8> =
        format!("{root}{close}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [&utf16[..], b"\xff\xfe<\0a\0", b"\x1f\x8b\x08"] {
        assert!(check_xml(bytes, Family::Calendar, &context(&server(), everything())).is_err());
    }
}

#[test]
fn no_calendar_is_made_that_the_server_fetches_from_another() {
    let check = |body: &str| {
        check_xml(body.as_bytes(), Family::Calendar, &context(&server(), everything()))
    };
    let set = |properties: &str| {
        check(&format!(
            r#"{HEAD}<d:mkcol xmlns:d="DAV:" xmlns:cs="http://calendarserver.org/ns/"><d:set><d:prop>{properties}</d:prop></d:set></d:mkcol>"#
        ))
    };
    assert_eq!(
        set("<d:resourcetype><d:collection/></d:resourcetype><d:displayname>a</d:displayname>"),
        Ok(())
    );
    for properties in [
        "<d:resourcetype><d:collection/><cs:subscribed/></d:resourcetype>",
        "<cs:source><d:href>http://127.0.0.1/</d:href></cs:source>",
        "<source xmlns=\"http://calendarserver.org/ns/\"/>",
        "<x:source xmlns:x=\"http&#58;//calendarserver.org/ns/\"/>",
    ] {
        assert!(set(properties).is_err(), "{properties}");
    }
}

/// The time that a body takes grows with its length only.
#[test]
fn large_bodies_are_checked() {
    let href = "<d:href>/cloud/remote.php/dav/calendars/alice/personal/a.ics</d:href>";
    let hrefs = MAX_CHECKED / href.len() - 10;
    let body = |inner: &str| {
        report(
            Family::Calendar,
            &format!(
                r#"{HEAD}<c:calendar-multiget xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">{inner}</c:calendar-multiget>"#
            ),
        )
    };
    assert_eq!(body(&href.repeat(hrefs)), Ok(()));
    assert!(body(&"<a>".repeat(300_000)).is_err());
    assert!(body(&"<a xmlns:b='c'>".repeat(60_000)).is_err());
    let attributes: String = (0..60_000).map(|at| format!(" a{at}='b'")).collect();
    assert_eq!(body(&format!("<a{attributes}/>")), Ok(()));
    assert_eq!(body(&"<a b='c'/>".repeat(90_000)), Ok(()));
}
