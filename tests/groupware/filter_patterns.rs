//! Patterns in filters (docs/API.md, section 4.8), and a bound on the time that any filter takes.

use std::time::{Duration, Instant};

use portreeve::groupware::{EventClasses, EventFilter, EventMatch, EventSample, MatchResult};
use serde_json::{Value, json};

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
        (r"/\p{L}\p{Ll}/u", umlaut, Matches),
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

#[test]
fn no_filter_takes_long() {
    let long = "a".repeat(30_000);
    let rows = |count: usize| json!((0..count).map(|n| json!({"a": n})).collect::<Vec<_>>());
    let many = |condition: Value, count: usize| {
        let all: Vec<_> = (0..count).map(|_| condition.clone()).collect();
        json!({ "$or": all })
    };
    let big: Vec<_> = (0..8_000).collect();
    let members: serde_json::Map<_, _> = (0..4_000)
        .map(|n| (n.to_string() + "x", json!(n)))
        .collect();
    let class = "any";
    let trusted = EventClasses::trusting([class]).shape(class);
    for (name, filter, value) in [
        (
            "backtracking",
            json!({"event.v": "/^(a+)+$/"}),
            json!(long.clone() + "X"),
        ),
        (
            "nested",
            json!({"event.v": "/((a{1,100}){1,100}){1,100}X/"}),
            json!(long),
        ),
        (
            "large",
            json!({"event.v": format!("/{}/u", r"\pL".repeat(300))}),
            json!(long),
        ),
        (
            "fold",
            many(
                json!({"event.v": format!("/{}/iu", r"\pL".repeat(300))}),
                50,
            ),
            json!(long),
        ),
        (
            "deep",
            json!({"event.v": format!("/{}/", "(".repeat(900))}),
            json!(long),
        ),
        (
            "many",
            many(json!({"event.v": "/(a|b|c|d)*x/"}), 1_500),
            json!(long),
        ),
        (
            "size",
            many(
                json!({"event.v": "/(?:[a-z]{1,9}[^x]{1,90}){1,9}X/"}),
                1_000,
            ),
            json!(long),
        ),
        (
            "states",
            many(json!({"event.v": "/[^x]{0,30}[^y]{0,30}X/"}), 500),
            json!("a".repeat(1_000)),
        ),
        (
            "characters",
            many(json!({"event.v": "/(.?){9}X/u"}), 500),
            json!("ü".repeat(1_000)),
        ),
        (
            "numbers",
            json!({"event.v": {"$in": vec!["2"; 8_000]}}),
            json!("1".repeat(30_000)),
        ),
        (
            "not numbers",
            many(json!({"event.v": {"$lt": "1".repeat(500)}}), 100),
            json!("1".repeat(30_000)),
        ),
        (
            "path",
            many(json!({format!("event.v.{}", "x".repeat(300)): 1}), 100),
            json!(vec![json!({"": 0}); 4_000]),
        ),
        ("rows", many(json!({"event.v.b": 1}), 2_000), rows(4_000)),
        (
            "row pattern",
            json!({"event.v.a": "/^(a|b)*x$/"}),
            rows(4_000),
        ),
        (
            "lists",
            many(json!({"event.v": {"$in": ["x", "y"]}}), 1_500),
            json!(big),
        ),
        (
            "large list",
            json!({"event.v.a": {"$in": big}}),
            rows(4_000),
        ),
        ("equal", json!({"event.v": {"$e": members}}), json!(members)),
        (
            "steps",
            many(json!({"event.v.x.y": 1}), 2_500),
            json!(members),
        ),
    ] {
        let sample = json!({"event": {"v": value}, "user": null, "time": 1}).to_string();
        let sample = EventSample::parse(&sample, class, trusted).unwrap();
        let parsed = EventFilter::parse(&filter.to_string(), trusted).unwrap();
        let started = Instant::now();
        let found = sample.judge(parsed.as_ref());
        let took = started.elapsed();
        println!("{name}: {took:?} {:?} {}", found.result, found.reason.len());
        // A generous limit for unoptimized builds on a busy machine; normally it takes milliseconds.
        assert!(took < Duration::from_secs(10), "{name}: {took:?}");
        assert!(found.reason.len() < 2_000, "{name}");
    }
}
