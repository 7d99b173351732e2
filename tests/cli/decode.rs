//! `portreeve decode`, as a command.

use crate::support::binary::assert_contains;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use flate2::read::GzDecoder;
use serde_json::Value;

pub(crate) fn data(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/game");
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(folder.join(name)).unwrap())
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn spawn(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_portreeve"))
        .env_clear()
        .arg("decode")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

pub(crate) fn decode(args: &[&str], input: &[u8]) -> Output {
    let mut child = spawn(args);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feed = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    output
}

pub(crate) fn lines(output: &Output) -> Vec<Value> {
    let text = str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_session_is_printed_as_one_object_per_message() {
    let session = data("session.bin.gz");
    let output = decode(&[], &session);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(str::from_utf8(&output.stderr), Ok(""));
    let expected = String::from_utf8(data("session_expected.jsonl.gz")).unwrap();
    let found = lines(&output);
    assert_eq!(found.len(), expected.lines().count());
    for (found, expected) in found.iter().zip(expected.lines()) {
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(found["offset"], expected["offset"].as_u64().unwrap() + 4);
        assert_eq!(found["size"], expected["length"]);
        if expected["message_type"] == "RESPONSE" {
            assert_eq!(found["response"], expected["expected"]);
            assert_eq!(found.get("type"), None);
        } else {
            assert_eq!(found["type"], expected["message_type"]);
            assert_eq!(found.get("response"), None);
        }
        assert_eq!(found.get("error"), None);
    }
    let first = &found[0]["session_event"]["[Event_ServerIdentification.ext]"];
    assert_eq!(first["protocol_version"], 14);
    let room = found
        .iter()
        .find(|line| line["type"] == "ROOM_EVENT")
        .unwrap();
    assert!(room["room_event"]["room_id"].is_number());
    let events = room["room_event"].as_object().unwrap();
    assert!(events.keys().any(|name| name.starts_with("[Event_")));
    assert!(found.iter().all(|line| line.get("unknown").is_none()));
}

#[test]
fn a_file_is_read_like_standard_input() {
    let session = data("session.bin.gz");
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let greeting = b"<?xml version=\"1.0\"?><cockatrice_server_stream version=\"14\">";
    file.write_all(greeting).unwrap();
    file.write_all(&session).unwrap();
    let path = file.path().to_str().unwrap();
    let from_file = lines(&decode(&[path], b""));
    let from_input = lines(&decode(&["-"], &session));
    assert_eq!(from_file.len(), from_input.len());
    assert_eq!(
        from_file[5]["offset"],
        from_input[5]["offset"].as_u64().unwrap() + 60
    );
    assert_eq!(from_file[5]["response"], from_input[5]["response"]);
}

#[test]
fn damaged_messages_are_reported_and_reading_continues() {
    let good = b"\0\0\0\x06\x12\x04\x08\x01\x10\x01";
    let bad = b"\0\0\0\x06\x12\x04\x08\x01\x10\x80";
    let huge = [&[0xff, 0, 0, 0][..], &[0; 10]].concat();
    let stream = [&good[..], bad, good, &huge].concat();
    let output = decode(&[], &stream);
    assert_eq!(output.status.code(), Some(1));
    let stderr = str::from_utf8(&output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1);
    assert_contains(stderr, &["of 5 messages could not be read"]);
    let found = lines(&output);
    assert_eq!(found[0]["response"]["cmd_id"], "1");
    assert_eq!(
        (&found[1]["offset"], &found[1]["size"]),
        (&14.into(), &6.into())
    );
    assert_eq!(found[1]["error_offset"], 5);
    let error = found[1]["error"].as_str().unwrap();
    assert!(
        error.starts_with("cannot read Response at byte 5"),
        "{error}"
    );
    assert_eq!(found[1].get("response"), None);
    assert_eq!(found[2]["offset"], 24);
    assert!(
        found[3]["error"]
            .as_str()
            .unwrap()
            .contains("longer than the limit")
    );
    assert!(found[4]["error"].as_str().unwrap().contains("ends"));
    for format in ["table", "stats"] {
        let output = decode(&["--format", format], &stream);
        assert_eq!(output.status.code(), Some(1), "{format}");
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("cannot read Response at byte 5"), "{text}");
    }
}

#[test]
fn hexadecimal_lines_and_raw_messages_are_decoded() {
    let input = b"08 07 10 0a\r\n\n0807100A9a3e0100\nxy\n080";
    let output = decode(&["--framing", "hex", "--message", "response"], input);
    assert_eq!(output.status.code(), Some(1));
    let found = lines(&output);
    assert_eq!(found[0]["response"]["response_code"], "RespGameFull");
    assert_eq!(
        (&found[1]["offset"], &found[1]["size"]),
        (&14.into(), &8.into())
    );
    assert_eq!(found[1]["unknown"][0]["field"], 995);
    assert!(found[2]["error"].as_str().unwrap().contains("hexadecimal"));
    assert!(found[3]["error"].as_str().unwrap().contains("odd"));
    let raw = decode(
        &["--framing", "raw", "--message", "response"],
        b"\x08\x07\x10\xe7\x07",
    );
    let found = lines(&raw);
    assert_eq!(found.len(), 1);
    // To a closed enum an unknown number is an unknown field.
    assert_eq!(found[0]["response"], serde_json::json!({"cmd_id": "7"}));
    assert_eq!(found[0]["unknown"][0]["varint"], "999");
    // An empty envelope is a message.
    let empty = decode(&["--framing", "raw"], b"");
    assert_eq!(
        (empty.status.code(), lines(&empty)[0]["type"].as_str()),
        (Some(0), Some("RESPONSE"))
    );
    let empty = decode(&["--framing", "raw", "--message", "response"], b"");
    assert_eq!(empty.status.code(), Some(1));
}

#[test]
fn statistics_count_by_kind_code_and_size() {
    let output = decode(&["--format", "stats"], &data("session.bin.gz"));
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name)).unwrap();
        let cells = line[name.len()..].split_whitespace();
        cells
            .map(|cell| cell.parse().unwrap())
            .collect::<Vec<u64>>()
    };
    assert_eq!(row("all "), [544, 225_966, 150_049]);
    assert_eq!(row("unreadable "), [0, 0, 0]);
    assert_eq!(row("RESPONSE "), [183, 206_072, 150_049]);
    assert_eq!(row("DUMP_ZONE "), [21, 9_711, 1_191]);
    assert_eq!(row("RespNameNotFound "), [2, 18, 9]);
    assert_eq!(row("131072 to 262143 "), [1, 150_049, 150_049]);
}

#[test]
fn a_table_has_a_line_for_each_message() {
    let output = decode(&["--format", "table"], &data("session.bin.gz"));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 545);
    let line = text.lines().nth(2).unwrap();
    let cells: Vec<_> = line.split_whitespace().collect();
    assert_eq!(
        cells,
        [
            "69",
            "29",
            "RESPONSE",
            "1",
            "RespOk",
            "PASSWORD_SALT",
            "password_salt=\"YhfKY9LR9sqPHTBR\""
        ]
    );
}

/// docs/GAME.md shows the beginning of a recorded session.
#[test]
fn the_page_shows_what_is_printed() {
    let page = include_str!("../../docs/GAME.md");
    let (_, rest) = page.split_once("session.bin.gz | portreeve ").unwrap();
    let (command, rest) = rest.split_once(" | head -n 3\n").unwrap();
    let (shown, _) = rest.split_once("```").unwrap();
    let arguments: Vec<_> = command.split(' ').skip(1).collect();
    let output = decode(&arguments, &data("session.bin.gz"));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(
        printed.starts_with(shown) && shown.lines().count() == 3,
        "{printed}"
    );
}

#[test]
fn compressed_input_is_recognized_and_not_reported_as_damaged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/game");
    let path = folder.join("session.bin.gz");
    let path = path.to_str().unwrap();
    let bytes = std::fs::read(path).unwrap();
    for framing in ["tcp", "hex", "raw"] {
        for (file, name) in [(path, path), ("-", "standard input")] {
            let output = decode(&["--framing", framing, file], &bytes);
            assert_eq!(output.status.code(), Some(1), "{framing}");
            assert_eq!(output.stdout.len(), 0, "{framing}");
            let error = String::from_utf8(output.stderr).unwrap();
            assert_eq!(error.lines().count(), 1);
            assert_contains(&error, &[name, "gzip -dc"]);
        }
    }
    // Input that is shorter than the magic number of gzip, or has only half of it, is read as usual.
    for input in [&b""[..], b"\x1f", b"\x1f\x8a\x08\x00\x00"] {
        let output = decode(&["--framing", "raw", "--message", "response"], input);
        assert_eq!(lines(&output)[0]["size"], input.len());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.contains("gzip"), "{error}");
    }
}

/// Characters that control a terminal, or change the direction of its text, never reach it.
#[test]
fn terminal_control_characters_are_escaped() {
    let acted_on: String = ('\u{7f}'..='\u{9f}')
        .chain(['\u{61c}', '\u{200e}', '\u{200f}', '\u{2028}', '\u{2029}'])
        .chain('\u{202a}'..='\u{202e}')
        .chain('\u{2066}'..='\u{2069}')
        .collect();
    let text = format!("a\u{1b}[31m{acted_on}\u{e9}\u{1f600}\u{5d0}");
    // Response_DeckDownload, whose field 1 is a string.
    let download = field(1, text.as_bytes());
    let response = [&[0x08, 7, 0x10, 0][..], &field(1007, &download)].concat();
    let output = decode(&["--framing", "raw", "--message", "response"], &response);
    let printed = str::from_utf8(&output.stdout).unwrap();
    for char in printed.trim_end_matches('\n').chars() {
        assert!(
            !char.is_control() && !acted_on.contains(char),
            "{char:?} in {printed}"
        );
    }
    assert_contains(printed, &["\\u009b", "\\u202e"]);
    // The escapes are the same text in JSON, and letters are not escaped.
    let line = &lines(&output)[0];
    assert_eq!(
        line["response"]["[Response_DeckDownload.ext]"]["deck"],
        text
    );
    assert!(printed.contains("\u{e9}\u{1f600}\u{5d0}"), "{printed}");
}

#[test]
fn unknown_fields_in_a_deep_tree_do_not_inflate_the_output() {
    // 50,000 unknown fields (99, a varint of two bytes with its tag) in the innermost of 47 folders.
    let mut folder = [0x98, 0x06, 0x01].repeat(50_000);
    for _ in 0..46 {
        // items = 1, folder = 11
        folder = field(1, &[&[0x08, 1][..], &field(11, &folder)].concat());
    }
    let list = field(1, &folder);
    let response = [&[0x08, 7, 0x10, 0][..], &field(1006, &list)].concat();
    let output = decode(&["--framing", "raw", "--message", "response"], &response);
    assert_eq!(output.status.code(), Some(0));
    let (read, written) = (response.len(), output.stdout.len());
    assert!(written < 2 * read, "{written} bytes for {read}");
    // The tree itself is too deep for the JSON parser of the tests.
    let printed = str::from_utf8(&output.stdout).unwrap();
    let (_, unknown) = printed.rsplit_once(",\"unknown\":").unwrap();
    let line: Value = serde_json::from_str(&format!("{{\"unknown\":{unknown}")).unwrap();
    let listed = line["unknown"].as_array().unwrap();
    assert_eq!(listed.len(), 100);
    assert_eq!(listed[0]["field"], 99);
    assert_eq!(line["unknown_not_listed"], 50_000 - 100);
}

/// A length-delimited field.
fn field(number: u64, bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for mut rest in [number << 3 | 2, bytes.len() as u64] {
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }
    [out.as_slice(), bytes].concat()
}

/// As `portreeve decode | head -1` does.
#[test]
fn a_closed_output_pipe_ends_it_quietly() {
    let mut child = spawn(&[]);
    let mut stdin = child.stdin.take().unwrap();
    let feed = std::thread::spawn(move || {
        let session = data("session.bin.gz");
        while stdin.write_all(&session).is_ok() {}
    });
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert!(line.contains("SESSION_EVENT"));
    let output = child.wait_with_output().unwrap();
    feed.join().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// 100 MB through a process that needs less than 8 MiB, apart from the pages of the program itself.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_input() {
    let mut child = spawn(&["--format", "stats"]);
    let mut stdin = child.stdin.take().unwrap();
    let session = data("session.bin.gz");
    for _ in 0..100_000_000 / session.len() {
        stdin.write_all(&session).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    let held = status
        .lines()
        .find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes: u64 = held
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    assert!(kilobytes < 8 << 10, "{kilobytes} kB");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// As `cat` makes of two files.
#[test]
fn decoding_goes_on_at_the_greeting_of_another_recording() {
    let session = data("session.bin.gz");
    let greeting = b"<?xml version=\"1.0\"?><cockatrice_server_stream version=\"14\">";
    let twice = [greeting, &session[..], greeting, &session[..]].concat();
    let output = decode(&[], &twice);
    let (once, twice) = (lines(&decode(&[], &session)), lines(&output));
    assert_eq!(twice.len(), 2 * once.len());
    let second = &twice[once.len()];
    let offset = once[0]["offset"].as_u64().unwrap() + 120 + session.len() as u64;
    assert_eq!(second["offset"], offset);
    assert_eq!(second["response"], once[0]["response"]);
}
