//! `portreeve decode`, as a command.

use crate::support::binary::{assert_contains, text, wait};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as STANDARD;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

pub(crate) fn data(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/game");
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(folder.join(name)).unwrap()).read_to_end(&mut bytes).unwrap();
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
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
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
        } else {
            assert_eq!(found.get("response"), None);
        }
        assert_eq!(found["type"], expected["message_type"]);
        assert_eq!(found.get("error"), None);
    }
    let first = &found[0]["session_event"]["[Event_ServerIdentification.ext]"];
    assert_eq!(first["protocol_version"], 14);
    let room = found.iter().find(|line| line["type"] == "ROOM_EVENT").unwrap();
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
    assert_eq!(from_file[5]["offset"], from_input[5]["offset"].as_u64().unwrap() + 60);
    assert_eq!(from_file[5]["response"], from_input[5]["response"]);
}

/// A server that is still connected may send nothing more.
#[test]
fn nothing_is_read_after_the_last_message_that_is_wanted() {
    let session = data("session.bin.gz");
    let all = lines(&decode(&[], &session));
    let end = all[2]["offset"].as_u64().unwrap() + all[2]["size"].as_u64().unwrap();
    let mut child = spawn(&["--limit", "3"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(&session[..end as usize]).unwrap();
    wait("it ends", || child.try_wait().unwrap().is_some());
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(lines(&output), all[..3]);

    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&session).unwrap();
    let path = file.path().to_str().unwrap();
    let output = decode(&["--limit", "3", path, "/nonexistent"], b"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
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
    // What is too long and cut off is one error.
    assert_contains(stderr, &["2 of 4 messages could not be read"]);
    let found = lines(&output);
    assert_eq!(found[0]["response"]["cmd_id"], "1");
    assert_eq!((&found[1]["offset"], &found[1]["size"]), (&14.into(), &6.into()));
    assert_eq!((&found[1]["type"], &found[1]["error_offset"]), (&"UNREADABLE".into(), &5.into()));
    let error = found[1]["error"].as_str().unwrap();
    assert!(error.starts_with("cannot read Response at byte 5"), "{error}");
    assert_eq!(found[1].get("response"), None);
    assert_eq!(found[2]["offset"], 24);
    assert!(found[3]["error"].as_str().unwrap().contains("longer than the limit"));
    assert_eq!(found.len(), 4);
    let output = decode(&["--format", "table"], &stream);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("cannot read Response at byte 5"), "{text}");
}

#[test]
fn hexadecimal_lines_and_raw_messages_are_decoded() {
    // With the byte order mark of an editor on Windows.
    let input = "\u{feff}08 07 10 0a\r\n\n0807100A9a3e0100\nxy\n080".as_bytes();
    let output = decode(&["--framing", "hex", "--message", "response"], input);
    assert_eq!(output.status.code(), Some(1));
    let found = lines(&output);
    assert_eq!(found[0]["type"], "RESPONSE");
    assert_eq!(found[0]["response"]["response_code"], "RespGameFull");
    assert_eq!((&found[1]["offset"], &found[1]["size"]), (&17.into(), &8.into()));
    assert_eq!(found[1]["unknown"][0]["field"], 995);
    assert!(found[2]["error"].as_str().unwrap().contains("hexadecimal"));
    assert!(found[3]["error"].as_str().unwrap().contains("odd"));
    let raw = decode(&["--framing", "raw", "--message", "response"], b"\x08\x07\x10\xe7\x07");
    let found = lines(&raw);
    assert_eq!(found.len(), 1);
    // To a closed enum an unknown number is an unknown field.
    assert_eq!(found[0]["response"], serde_json::json!({"cmd_id": "7"}));
    assert_eq!(found[0]["unknown"][0]["varint"], "999");
    // An empty envelope is a message.
    let empty = decode(&["--framing", "raw"], b"");
    assert_eq!(
        (empty.status.code(), lines(&empty)[0]["type"].as_str()),
        (Some(0), Some("UNKNOWN"))
    );
    let empty = decode(&["--framing", "raw", "--message", "response"], b"");
    assert_eq!(empty.status.code(), Some(1));
}

/// The `type` and `--kind` follow from what a message has, as they do for every reader, not from what it says.
#[test]
fn the_type_of_a_message_is_that_of_its_content() {
    // A chat message that says to be an answer, or nothing; an answer that says to be an event; an answer beside an
    // event; nothing at all, and a member that the schema does not have.
    let says = "2a0e0802d23e090a03616e6e12026869\n08002a020802\n0803120408071001\n080012040807\
                10012a020802\n0803\n0809\n3a00";
    let output = decode(&["--framing", "hex"], says.as_bytes());
    let found = lines(&output);
    let types: Vec<_> = found
        .iter()
        .map(|line| (line["type"].as_str().unwrap(), line["message_type"].as_str()))
        .collect();
    assert_eq!(
        types,
        [
            ("ROOM_EVENT", None),
            ("ROOM_EVENT", Some("RESPONSE")),
            ("RESPONSE", Some("ROOM_EVENT")),
            ("RESPONSE", None),
            ("UNKNOWN", Some("ROOM_EVENT")),
            ("UNKNOWN", None),
            ("UNKNOWN", None),
        ]
    );
    for (kind, count) in [("room_event", 2), ("response", 2), ("unknown", 3), ("room_say", 1)] {
        let output = decode(&["--framing", "hex", "--kind", kind], says.as_bytes());
        assert_eq!(lines(&output).len(), count, "{kind}");
    }
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
    assert!(printed.starts_with(shown) && shown.lines().count() == 3, "{printed}");
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Of one member or several; the name of a file may end in `.cor.gz`.
#[test]
fn compressed_input_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let session = data("session.bin.gz");
    let plain = decode(&[], &session);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/game/session.bin.gz");
    let compressed = decode(&[file.to_str().unwrap()], b"");
    assert_eq!(compressed.stdout, plain.stdout);
    assert_eq!((compressed.status.code(), &*compressed.stderr), (Some(0), &b""[..]));
    let (first, second) = session.split_at(100_001);
    let members = decode(&[], &[gzip(first), gzip(second)].concat());
    assert_eq!((members.status.code(), members.stdout), (Some(0), plain.stdout.clone()));
    let replay = folder.path().join("replay_7.cor.gz");
    std::fs::write(&replay, gzip(b"\x08\x07")).unwrap();
    let replay = decode(&[replay.to_str().unwrap()], b"");
    assert_eq!(lines(&replay)[0]["replay"]["replay_id"], "7");

    // One that is cut is read as far as it goes.
    let whole = gzip(&session);
    let cut = decode(&[], &whole[..whole.len() / 2]);
    assert_eq!(cut.status.code(), Some(1));
    assert!(!cut.stdout.is_empty() && plain.stdout.starts_with(&cut.stdout));
    let error = String::from_utf8(cut.stderr).unwrap();
    assert_contains(&error, &["cannot read standard input"]);
    // Much that takes little is not read into memory: a message is as long as any other may be.
    let bomb = decode(&["--framing", "raw"], &gzip(&vec![0; 64 << 20]));
    assert_eq!(bomb.status.code(), Some(1));
    assert_contains(lines(&bomb)[0]["error"].as_str().unwrap(), &["longer than the limit"]);
    // Input that is shorter than the magic number of gzip, or has only half of it, is read as usual.
    for input in [&b""[..], b"\x1f", b"\x1f\x8a\x08\x00\x00"] {
        let output = decode(&["--framing", "raw", "--message", "response"], input);
        assert_eq!(lines(&output)[0]["size"], input.len());
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!error.contains("gzip"), "{error}");
    }
}

/// One header, and a column that names the files; one that fails is named, and the others are read.
#[test]
fn several_files_are_read_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [one, two, missing] = ["one.cor", "two.cor", "missing.cor"].map(path);
    let replays: Vec<_> = crate::decode_traffic::replays().collect();
    std::fs::write(&one, &replays[0]).unwrap();
    std::fs::write(&two, &replays[1]).unwrap();
    let output = decode(&["--format", "csv", &one, &missing, &two], b"");
    assert_eq!(output.status.code(), Some(1));
    let csv = String::from_utf8(output.stdout).unwrap();
    assert_eq!(csv.matches("file,replay_id,").count(), 1);
    for file in [&one, &two] {
        let single = String::from_utf8(decode(&["--format", "csv", file], b"").stdout).unwrap();
        let rows = single.split_inclusive("\r\n").skip(1);
        let rows: String = rows.map(|row| format!("{file},{row}")).collect();
        assert!(csv.contains(&rows), "{file}");
    }
    let said = String::from_utf8(output.stderr).unwrap();
    assert_contains(&said, &["missing.cor", "1 of 3 files could not be read"]);
    for format in ["json", "table", "timeline", "states"] {
        let output = decode(&["--format", format, "--message", "replay", &one, "-"], &replays[1]);
        assert_eq!(output.status.code(), Some(0), "{format}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&one) && text.contains("standard input"), "{format}");
    }
}

/// A command that the schema does not have: whole in JSON, its number and size elsewhere, and nothing of what it says.
#[test]
fn a_command_that_proposals_number_differently_stays_unknown() {
    for number in [1026, 1027] {
        let verifier = b"$pbkdf2-sha512$i=600000$c2FsdA$aGFzaA";
        let command = field(100, &field(number, &field(1, verifier)));
        let read = |format| {
            decode(&["--framing", "raw", "--message", "command", "--format", format], &command)
        };
        let line = &lines(&read("json"))[0];
        let unknown = &line["unknown"][0];
        assert_eq!((&unknown["field"], &unknown["size"]), (&number.into(), &39.into()));
        let bytes = STANDARD.decode(unknown["bytes"].as_str().unwrap()).unwrap();
        assert_eq!(bytes, field(1, verifier));
        let table = String::from_utf8(read("table").stdout).unwrap();
        assert_contains(&table, &[&format!("{number}=<39 bytes>")]);
        assert!(!table.contains("pbkdf2") && !table.contains("SHARE"), "{table}");
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
        assert!(!char.is_control() && !acted_on.contains(char), "{char:?} in {printed}");
    }
    assert_contains(printed, &["\\u009b", "\\u202e"]);
    // The escapes are the same text in JSON, and letters are not escaped.
    let line = &lines(&output)[0];
    assert_eq!(line["response"]["[Response_DeckDownload.ext]"]["deck"], text);
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
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
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
    let mut child = spawn(&["--cmd-id", "999999"]);
    let mut stdin = child.stdin.take().unwrap();
    let session = data("session.bin.gz");
    for _ in 0..100_000_000 / session.len() {
        stdin.write_all(&session).unwrap();
    }
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    let held = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let kilobytes: u64 = held.unwrap().trim().trim_end_matches(" kB").parse().unwrap();
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

#[test]
fn a_timeline_needs_a_readable_replay() {
    let (mut file, _) = crate::decode_traffic::replay("four_players");
    file.write_all(b"\x1a\x7f").unwrap();
    let output = decode(&["--format", "timeline", file.path().to_str().unwrap()], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let error = String::from_utf8(output.stderr).unwrap();
    assert_contains(&error, &["cannot read GameReplay at byte 767"]);
}
