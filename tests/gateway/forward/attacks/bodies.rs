//! Bodies of XML, which name more than the path does.

use portreeve::gateway::Settings;
use portreeve::gateway::forward::{Forward, Scopes};

use super::super::recorder::Recorder;
use super::super::wire::Wire;
use super::super::{call, head};
use crate::support::gateway::TestGateway;

const CALENDAR: &str = "/remote.php/dav/calendars/alice/work/";
const NAMESPACES: &str = "xmlns:d=\"DAV:\" xmlns:c=\"urn:ietf:params:xml:ns:caldav\" \
                          xmlns:cs=\"http://calendarserver.org/ns/\"";

/// A gateway where alice may read and change calendars.
async fn start(recorder: &Recorder) -> TestGateway {
    let scopes = ["calendar.read", "calendar.write"].map(str::to_owned).to_vec();
    let mut settings = Settings::default();
    settings.forward = Some(Forward::new(Scopes::opened_by(["calendar"]).unwrap()));
    let tokens = [("alice".to_owned(), "alice".to_owned(), scopes)];
    super::super::start_for(&recorder.url, &tokens, settings).await
}

/// What the server would fetch, for whoever may make calendars, from an address of their choice.
#[tokio::test]
async fn api_13_no_request_makes_a_calendar_of_another_server() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder).await;
    let set = |properties: &str| format!("<d:set><d:prop>{properties}</d:prop></d:set>");
    let subscription = set("<d:resourcetype><d:collection/><cs:subscribed/></d:resourcetype>\
                            <cs:source><d:href>http://169.254.169.254/</d:href></cs:source>");
    let plain = set("<d:displayname>Work</d:displayname>");
    for (method, root) in
        [("MKCALENDAR", "c:mkcalendar"), ("MKCOL", "d:mkcol"), ("PROPPATCH", "d:propertyupdate")]
    {
        let what = format!("{method} {CALENDAR}");
        let body = |inner: &str| format!("<{root} {NAMESPACES}>{inner}</{root}>");
        call(&gateway, "alice", &what, "", &body(&subscription))
            .await
            .assert_error(403, "Forbidden");
        recorder.assert_nothing_arrived(method);
        assert_eq!(call(&gateway, "alice", &what, "", &body(&plain)).await.status, 200);
        assert_eq!(recorder.take_one().body.bytes, body(&plain).as_bytes());
    }
    // It needs no body.
    assert_eq!(
        call(&gateway, "alice", &format!("MKCALENDAR {CALENDAR}"), "", "").await.status,
        200
    );
    assert!(recorder.take_one().body.bytes.is_empty());
}

#[tokio::test]
async fn api_13_a_report_arrives_as_it_was_checked() {
    let recorder = Recorder::start().await;
    let gateway = start(&recorder).await;
    let report = |href: &str| {
        format!("<c:calendar-multiget {NAMESPACES}><d:href>{href}</d:href></c:calendar-multiget>")
    };
    let (own, other) =
        (report(&format!("{CALENDAR}a.ics")), report("/remote.php/dav/files/alice/a"));
    let chunks = |body: &str| {
        let chunks: String = body.chars().map(|letter| format!("1\r\n{letter}\r\n")).collect();
        format!("Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n")
    };
    for (body, status) in [(own, 200), (other, 403)] {
        for rest in [format!("Content-Length: {}\r\n\r\n{body}", body.len()), chunks(&body)] {
            let mut wire = Wire::to(gateway.address).await;
            wire.send(head(&gateway, "alice", &format!("REPORT {CALENDAR}"), &rest)).await;
            assert_eq!(wire.answer().await.status, status, "{rest}");
            let seen = recorder.take();
            assert_eq!(seen.len(), usize::from(status == 200));
            assert!(seen.iter().all(|seen| seen.body.bytes == body.as_bytes()));
        }
    }
}
