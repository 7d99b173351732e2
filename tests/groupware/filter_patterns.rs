//! Patterns in filters (docs/API.md, section 4.8).

use portreeve::groupware::{EventMatch, MatchResult};
use serde_json::json;

use crate::filter_match::judged_as;
use crate::filter_shapes::FILE;

use MatchResult::{DoesNotMatch, Matches, Unknown};

/// The result of a filter on a file event with this path.
fn on_path(filter: &str, path: &str) -> EventMatch {
    let sample = json!({"event": {"node": {"id": 5, "path": path}}, "user": null, "time": 1});
    judged_as(filter, FILE, &sample)
}

#[test]
fn patterns_match_as_on_the_server_or_are_unknown() {
    let note = "/alice/files/Notes/To do.md";
    let umlaut = "/alice/files/Grüße.md";
    for (pattern, text, result) in [
        (r"/^\/alice\/files\/Notes\//", note, Matches),
        (r"/notes/i", note, Matches),
        (r"/notes/", note, DoesNotMatch),
        (r"/\.(md|txt)$/", note, Matches),
        (r"/To\sdo/", note, Matches),
        (r"/^[^\d]+$/", note, Matches),
        (r"/^\/(?:alice|bob)\//", note, Matches),
        (r"/files\/.{5}\//", note, Matches),
        (r"//", note, Matches),
        (r"/alice/A", note, DoesNotMatch),
        (r"/\/alice/A", note, Matches),
        (r"/NOTES/Ui", note, Matches),
        (r"/(?i)notes/", note, Matches),
        // Plain text.
        ("/alice/files/Notes/To do.md", note, Matches),
        ("alice", note, DoesNotMatch),
        ("/", note, DoesNotMatch),
        ("/Notes/ ", note, DoesNotMatch),
        ("/Notes/1", note, DoesNotMatch),
        ("/No\ntes/", note, DoesNotMatch),
        // The text ends before its last line break.
        ("/Notes/\n", note, Matches),
        // Invalid patterns, which never match.
        (r"/Notes/To/", note, DoesNotMatch),
        (r"/Notes\/", note, DoesNotMatch),
        ("/Notes/g", note, DoesNotMatch),
        ("/(Notes/", note, DoesNotMatch),
        ("/Notes)/", note, DoesNotMatch),
        ("/*/", note, DoesNotMatch),
        ("/[z-a]/", note, DoesNotMatch),
        ("/a{2,1}/", note, DoesNotMatch),
        // Bytes and characters.
        (r"/Gr..e/", umlaut, DoesNotMatch),
        (r"/Gr....e/", umlaut, Matches),
        (r"/Gr..e/u", umlaut, Matches),
        (r"/Grüße/", umlaut, Matches),
        (r"/GRÜSSE/iu", umlaut, DoesNotMatch),
        (r"/GRÜ/iu", umlaut, Matches),
        (r"/GRÜ/i", umlaut, DoesNotMatch),
        (r"/\p{L}\p{Ll}/u", umlaut, Unknown),
        (r"/Gr\xC3\xBC/", umlaut, Matches),
        (r"/\w\w\w\w\w\.md/", umlaut, DoesNotMatch),
        // These mean something else on the server.
        (r"/\w+/u", umlaut, Unknown),
        (r"/^(?=.*md)/", note, Unknown),
        (r"/(?<!x)md/", note, Unknown),
        (r"/(.)\1/", note, Unknown),
        (r"/a++l/", note, Unknown),
        (r"/(?>a+)l/", note, Unknown),
        (r"/(?R)/", note, Unknown),
        (r"/[[a]/", note, Unknown),
        (r"/[a&&b]/", note, Unknown),
        (r"/\vx/", note, Unknown),
        (r"/\u0041/", note, Unknown),
        (r"/\<alice/", note, Unknown),
        (r"/\Qa.b\E/", note, Unknown),
        (r"/\h/", note, Unknown),
        (r"/a{,3}/", note, Unknown),
        (r"/a{/", note, Unknown),
        (r"/{/", note, Unknown),
        (r"/ü+/", umlaut, Unknown),
        (r"/[ü]/", umlaut, Unknown),
        (r"/\p{Greek}/u", umlaut, Unknown),
        (r"/n o/x", note, Unknown),
        (r"/(*UTF8)x/", note, Unknown),
        (r"/x$/", "x\n", Unknown),
        (r"/x/", "x\n", Matches),
    ] {
        let filter = json!({"event.node.path": pattern}).to_string();
        let found = on_path(&filter, text);
        assert_eq!(found.result, result, "{pattern}: {found:?}");
    }
}
