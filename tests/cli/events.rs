//! `portreeve events`: the catalogue, and what a filter would do with an event (docs/OPERATIONS.md,
//! "Trying filters").

use serde_json::{Value, json};

use crate::support::binary::{assert_contains, failure, portreeve, run, success, text};

const CREATED: &str = r"OCP\Files\Events\Node\NodeCreatedEvent";

/// The exit code, standard output and standard error of `events match`.
fn matched(arguments: &[&str], input: &str) -> (i32, String, String) {
    let mut command = portreeve();
    let output = run(command.args(["events", "match"]).args(arguments), input);
    let code = output.status.code().unwrap();
    let owned = |bytes: &[u8]| text(bytes).to_owned();
    (code, owned(&output.stdout), owned(&output.stderr))
}

fn filter(filter: &Value) -> String {
    filter.to_string()
}

#[test]
fn all_classes_are_listed() {
    let listed = success(portreeve().args(["events", "list"]), "");
    assert_eq!(listed.lines().count(), 41);
    let created = listed
        .lines()
        .find(|line| line.starts_with(&format!("{CREATED} ")));
    let created = created.expect(&listed);
    assert!(
        created.contains(" server ") && created.ends_with('.'),
        "{created}"
    );
    for line in listed.lines() {
        assert!(
            line.split_whitespace().next().unwrap().contains('\\'),
            "{line}"
        );
    }
    let json = success(portreeve().args(["events", "list", "--json"]), "");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 41);
}

#[test]
fn a_class_is_found_by_its_full_or_short_name() {
    let shown = success(portreeve().args(["events", "show", CREATED]), "");
    for name in [
        format!(r"\{CREATED}"),
        "NodeCreatedEvent".to_owned(),
        "nodecreatedevent".to_owned(),
    ] {
        assert_eq!(
            success(portreeve().args(["events", "show", &name]), ""),
            shown,
            "{name}"
        );
    }
    for part in [
        "Part of   server\n",
        "event.node.path: string, always present\n",
        "Problem   ",
        "/alice/files/",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let calendar = success(
        portreeve().args(["events", "show", "CalendarObjectUpdatedEvent"]),
        "",
    );
    assert!(calendar.contains("Not in filters: a pattern"), "{calendar}");
    let json = success(
        portreeve().args(["events", "show", "TagAssignedEvent", "--json"]),
        "",
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["event"], r"OCP\SystemTag\TagAssignedEvent");
    let line = failure(portreeve().args(["events", "show", "NodeMadeEvent"]), 2);
    assert_contains(&line, &["\"NodeMadeEvent\"", "events list"]);
}

#[test]
fn the_exit_code_reports_whether_a_filter_matches() {
    let path = |pattern: &str| filter(&json!({"event.node.path": pattern}));
    for (class, filter, code, begin) in [
        (
            "NodeCreatedEvent",
            path(r"/\.md$/"),
            0,
            "matches: event.node.path is \"/alice/files/",
        ),
        (
            CREATED,
            path("/x/"),
            1,
            "does not match: event.node.path is ",
        ),
        (
            "NodeCreatedEvent",
            "{}".to_owned(),
            0,
            "matches: there is no filter",
        ),
        (
            "NodeCreatedEvent",
            path("/(?=x)/"),
            3,
            "unknown: event.node.path cannot be judged",
        ),
        (
            "NodeCreatedEvent",
            filter(&json!({"a": {"$like": 1}})),
            3,
            "refused: a.$like: is not an operator",
        ),
        (
            "NodeCreatedEvent",
            "[1]".to_owned(),
            3,
            "refused: the filter must be an object",
        ),
    ] {
        let (found, out, err) = matched(&[class, "--filter", &filter], "");
        assert_eq!(found, code, "{filter}: {out}{err}");
        assert!(
            out.starts_with(begin) && out.lines().count() == 1,
            "{filter}: {out}"
        );
        assert_eq!(err, "", "{filter}");
    }
    let (code, out, _) = matched(&[CREATED, "--json", "--filter", &path("/x/")], "");
    let out: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (code, &out["result"], &out["at"]),
        (1, &json!("does_not_match"), &json!("event.node.path"))
    );
}

#[test]
fn a_sample_comes_from_a_file_or_from_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sample.json");
    let sample =
        json!({"event": {"form": {"title": "Lunch"}}, "user": null, "time": 5}).to_string();
    std::fs::write(&file, &sample).unwrap();
    let file = file.to_str().unwrap();
    let class = r"OCA\Approval\Events\ApprovedEvent";
    let title = filter(&json!({"event.form.title": "Lunch"}));

    // Only the catalogue counts, as in the gateway, and it does not know the fields of this event.
    let (code, out, _) = matched(&[class, "--filter", &title, "--sample", file], "");
    assert!(
        code == 3 && out.contains("what the event holds here is not known"),
        "{out}"
    );
    for (source, input) in [(file, ""), ("-", &*sample)] {
        let (code, out, err) = matched(
            &[class, "--trusted", "--filter", &title, "--sample", source],
            input,
        );
        assert_eq!(code, 0, "{out}{err}");
        assert_eq!(out, "matches: event.form.title is \"Lunch\"\n");
    }

    let missing = dir.path().join("missing");
    let missing = missing.to_str().unwrap();
    for (arguments, input, reason) in [
        (vec![class, "--filter", "{}"], "", "--sample"),
        (
            vec![CREATED, "--filter", "{"],
            "",
            "--filter: not valid JSON",
        ),
        (
            vec![CREATED, "--filter", "{}", "--sample", missing],
            "",
            "cannot be read",
        ),
        (
            vec![CREATED, "--filter", "{}", "--sample", "-"],
            "x",
            "the sample is not valid JSON",
        ),
        (
            vec![CREATED, "--filter", "{}", "--sample", "-"],
            "{}",
            "the sample must be an object with the object event",
        ),
        (
            vec![CREATED, "--filter", "{}", "--sample", "-"],
            &format!("{{\"event\":{{}},\"x\":\"{}\"}}", "x".repeat(1_100_000)),
            "larger than 1 MiB",
        ),
        (vec![CREATED], "", "--filter"),
    ] {
        let (code, out, err) = matched(&arguments, input);
        assert_eq!((code, &*out), (2, ""), "{arguments:?}: {err}");
        assert!(err.contains(reason), "{arguments:?}: {err}");
    }
}

#[test]
fn no_configuration_is_read() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("portreeve.toml"), "no = toml =").unwrap();
    let mut command = portreeve();
    command
        .current_dir(dir.path())
        .env("PORTREEVE_CONFIG", dir.path().join("portreeve.toml"));
    success(command.args(["events", "list"]), "");
}
