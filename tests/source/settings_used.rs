//! A setting without the line that reads it would be documented, and have no effect.

use std::path::Path;

/// Read as texts, in their own ways.
const TEXTS: [&str; 3] = ["WEBHOOK_PRESETS", "LOG_FORMAT", "LOG_LEVEL"];

#[test]
fn every_setting_is_read() {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/config");
    let files = crate::files(&config, "rs");
    let files = files.iter().filter(|file| !file.ends_with("setting.rs"));
    let texts = files.map(|file| std::fs::read_to_string(file).unwrap());
    let code: String = texts.collect::<String>().split_whitespace().collect();
    let table = std::fs::read_to_string(config.join("setting.rs")).unwrap();
    let (_, table) = table.split_once("\nsettings! {").unwrap();
    let rows = table.lines().filter(|line| line.contains(" = \""));
    let names = rows.filter_map(|row| row.trim_start().split_once(": "));
    let names: Vec<_> = names.map(|(name, _)| name).collect();
    assert!(names.len() > 60, "{names:?}");
    let is_read = |name: &&&str| {
        let called = ["get", "get_opt", "get_or_empty"]
            .iter()
            .flat_map(|read| ["setting::", ""].map(|path| format!("{read}({path}{name}")));
        let mut called = called.flat_map(|call| [")", ",)"].map(|end| format!("{call}{end}")));
        called.any(|call| code.contains(&call))
    };
    let unread: Vec<_> = names.iter().filter(|name| !is_read(name)).collect();
    assert_eq!(unread, TEXTS.iter().collect::<Vec<_>>());
}
