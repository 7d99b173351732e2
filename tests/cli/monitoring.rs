//! The dashboard and the alert rules in docs/monitoring use what the binary exposes, and nothing
//! else.

use std::collections::BTreeSet;

use serde_json::Value;

use super::scrape::{self, Scrape};
use crate::support::binary::{Served, get, serve_in, token};

const DASHBOARD: &str = include_str!("../../docs/monitoring/grafana.json");
const ALERTS: &str = include_str!("../../docs/monitoring/alerts.yml");
const OPERATIONS: &str = include_str!("../../docs/OPERATIONS.md");

/// Every word in `text` that is the name of one of our metrics.
fn metrics(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("portreeve_") || word.starts_with("process_"))
        .filter(|word| !word.ends_with('_'))
        .collect()
}

/// The values that `text` compares `label` with.
fn values(text: &str, label: &str) -> BTreeSet<String> {
    ["=", "=~", "!=", "!~"]
        .iter()
        .flat_map(|operator| {
            let start = format!("{label}{operator}\"");
            let rests: Vec<_> = text.split(&start).skip(1).collect();
            rests
        })
        .flat_map(|rest| rest.split('"').next().unwrap().split('|'))
        .map(str::to_owned)
        .collect()
}

/// All expressions of the panels.
fn expressions(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(text)) = members.get("expr") {
                found.push(text.clone());
            }
            members.values().for_each(|value| expressions(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| expressions(item, found)),
        _ => {}
    }
}

#[test]
fn dashboard_and_alerts_use_only_what_the_binary_exposes() {
    let dir = tempfile::tempdir().unwrap();
    let token = token(dir.path(), "admin");
    let mut serve = serve_in(dir.path());
    serve.env("WEBHOOK_SECRET", "a secret").arg("--deliveries");
    serve.args(["--metrics-listen", "127.0.0.1:0", "--audit-log"]);
    let served = Served::start(serve.arg(dir.path().join("audit.log")));
    get(served.address, "/api/v1/background-sync/status", &token);
    let scrape = Scrape::of(scrape::address(&served));
    let exposed: BTreeSet<&str> =
        scrape.series.keys().map(|series| series.split('{').next().unwrap()).collect();

    let mut shown = Vec::new();
    expressions(&serde_json::from_str(DASHBOARD).unwrap(), &mut shown);
    assert!(shown.len() > 15, "{shown:#?}");
    let shown = shown.join("\n");
    let alerts: String = ALERTS
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'))
        .map(|line| format!("{line}\n"))
        .collect();
    for (what, text) in [("dashboard", &shown), ("alerts", &alerts)] {
        let used = metrics(text);
        let missing: Vec<_> = used.difference(&exposed).collect();
        assert!(missing.is_empty(), "the {what} uses {missing:?}");
        assert!(used.len() > 10, "{used:?}");
        for label in ["kind", "outcome", "state", "verifier", "protocol"] {
            for value in values(text, label) {
                let pair = format!("{label}={value:?}");
                let is_there = scrape.series.keys().any(|series| series.contains(&pair));
                assert!(is_there, "the {what} asks for {pair}");
            }
        }
    }
    // Each metric and each alert is documented, and each alert says what to do.
    for family in scrape.types.keys().filter(|name| name.starts_with("portreeve_")) {
        assert!(OPERATIONS.contains(&format!("`{family}`")), "{family}");
    }
    let mut count = 0;
    for alert in alerts.split("- alert: ").skip(1) {
        count += 1;
        let name = alert.lines().next().unwrap();
        assert!(OPERATIONS.contains(&format!("`{name}`")), "{name}");
        for part in ["expr:", "severity:", "summary:", "action:"] {
            assert_eq!(alert.matches(part).count(), 1, "{name}: {part}");
        }
    }
    assert!(count > 10);
}
