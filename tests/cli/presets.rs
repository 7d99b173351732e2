//! Presets of an operator (docs/CONFIGURATION.md, "Presets"): how `serve` and `check-config` handle them.

use std::fs;

use crate::support::binary::{Served, get, in_dir, serve_in, token};

const REPORTS: &str = r#"
[webhook_presets.reports]
description = "Files in the folder Reports of any user"

[[webhook_presets.reports.webhooks]]
event = 'OCP\Files\Events\Node\NodeCreatedEvent'
event_filter = { "event.node.path" = '/^\/[^\/]+\/files\/Reports\//' }

[[webhook_presets.reports.webhooks]]
event = 'OCP\Files\Events\Node\NodeWrittenEvent'
"#;

/// The table of [`REPORTS`] as JSON.
const AS_JSON: &str = r#"{"reports": {"description": "Files in the folder Reports of any user", "webhooks": [
    {"event": "OCP\\Files\\Events\\Node\\NodeCreatedEvent",
     "event_filter": {"event.node.path": "/^\\/[^\\/]+\\/files\\/Reports\\//"}},
    {"event": "OCP\\Files\\Events\\Node\\NodeWrittenEvent"}]}}"#;

const PATH: &str = "/api/v1/webhook-presets";

fn preset_names(served: &Served, token: &str) -> Vec<String> {
    let answer = get(served.address, PATH, token);
    assert_eq!(answer.status, 200, "{answer:?}");
    let presets = answer.json()["presets"].as_array().unwrap().clone();
    presets
        .iter()
        .map(|preset| preset["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn presets_in_the_file_are_served_and_reloaded() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let config = dir.path().join("portreeve.toml");
    fs::write(&config, REPORTS).unwrap();
    let served = Served::start(serve_in(dir.path()).arg("--config").arg(&config));
    let all = ["calendar", "files", "notes", "reports", "tags"];
    assert_eq!(preset_names(&served, &token), all);
    let listed = get(served.address, PATH, &token).json();
    let reports = &listed["presets"][3];
    assert_eq!(reports["built_in"], false);
    assert_eq!(
        reports["webhooks"][0]["eventFilter"]["event.node.path"],
        r"/^\/[^\/]+\/files\/Reports\//"
    );

    // With a harmful filter, the reload is refused.
    let harmful = REPORTS.replace(r"'/^\/[^\/]+\/files\/Reports\//'", "[1, 2]");
    assert_ne!(harmful, REPORTS);
    fs::write(&config, harmful).unwrap();
    served.signal("HUP");
    let line = served.line_with("the settings were not reloaded");
    let said = "preset reports: webhooks[0]: event_filter: event.node.path: must not be a list";
    assert!(line.contains(said), "{line}");
    assert_eq!(preset_names(&served, &token), all);

    fs::write(&config, REPORTS.replace(".reports", ".tags")).unwrap();
    served.signal("HUP");
    served.line_with("reloaded the settings");
    assert_eq!(
        preset_names(&served, &token),
        ["calendar", "files", "notes", "tags"]
    );
    let tags = &get(served.address, PATH, &token).json()["presets"][3];
    assert_eq!(tags["built_in"], false);
}

#[test]
fn presets_can_be_given_by_file_variable_or_flag() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "alice");
    let config = dir.path().join("portreeve.toml");
    let shown = |config: &str, flag: Option<&str>, variable: Option<&str>| {
        let path = dir.path().join("portreeve.toml");
        fs::write(&path, config).unwrap();
        let mut command = serve_in(dir.path());
        command.arg("--config").arg(&path);
        command.args(flag.iter().flat_map(|flag| ["--webhook-presets", flag]));
        if let Some(variable) = variable {
            command.env("PORTREEVE_WEBHOOK_PRESETS", variable);
        }
        let served = Served::start(&mut command);
        get(served.address, PATH, &token).json()
    };
    let expected = shown(REPORTS, None, None);
    assert_eq!(shown("", Some(AS_JSON), None), expected);
    assert_eq!(shown("", None, Some(AS_JSON)), expected);

    // The output of `check-config` is an equivalent file.
    fs::write(&config, REPORTS).unwrap();
    let mut check = in_dir(dir.path(), &["check-config", "--config"]);
    let checked = check.arg(&config).output().unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let printed = String::from_utf8(checked.stdout).unwrap();
    let line = printed
        .lines()
        .find(|line| line.starts_with("webhook_presets = "))
        .unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(shown(line, None, None), expected);
}
