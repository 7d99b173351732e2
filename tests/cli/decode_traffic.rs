//! `portreeve decode` on commands, events and replays, as a command.

use crate::support::binary::assert_contains;
use std::io::Write;

use serde_json::Value;

use crate::decode::{data, decode, lines};

/// The records of a compressed file.
fn records(name: &str) -> Vec<Value> {
    let text = String::from_utf8(data(&format!("{name}.jsonl.gz"))).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The messages of records in hexadecimal, one per line; that of an empty message is empty.
fn hex_lines(records: &[Value]) -> Vec<u8> {
    let lines = records.iter().map(|record| record["message"].as_str().unwrap());
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// The recorded replays, as a server hands them out.
pub(crate) fn replays() -> impl Iterator<Item = Vec<u8>> {
    let records = records("replays").into_iter();
    records.map(|record| unhex(record["message"].as_str().unwrap()))
}

/// A replay in a file that is named as clients name it, and how it should be decoded.
pub(crate) fn replay(name: &str) -> (tempfile::NamedTempFile, Value) {
    let record = records("replays").into_iter().find(|record| record["name"] == name).unwrap();
    let mut file = tempfile::Builder::new().prefix("replay_4").suffix(".cor").tempfile().unwrap();
    let bytes = unhex(record["message"].as_str().unwrap());
    file.write_all(&bytes).unwrap();
    (file, record["expected"].clone())
}

#[test]
fn commands_are_decoded_as_by_googles_library() {
    let mut records = records("commands");
    records.retain(|record| record["message"] != "");
    let input = hex_lines(&records);
    let output = decode(&["--framing", "hex", "--message", "command"], &input);
    assert_eq!(output.status.code(), Some(0));
    let found = lines(&output);
    assert_eq!(found.len(), records.len());
    for (found, record) in found.iter().zip(&records) {
        assert_eq!(found["command"], record["expected"], "{}", record["n"]);
    }
}

#[test]
fn events_are_decoded_as_by_googles_library() {
    let records = records("events");
    let output = decode(&["--framing", "hex"], &hex_lines(&records));
    assert_eq!(output.status.code(), Some(0));
    let found = lines(&output);
    assert_eq!(found.len(), records.len());
    for (found, record) in found.iter().zip(&records) {
        let key = record["type"].as_str().unwrap().to_lowercase();
        assert_eq!(found[&key], record["expected"], "{}", record["n"]);
        assert_eq!(found.get("unknown"), None);
    }
}

#[test]
fn a_file_with_the_extension_cor_is_read_as_a_replay() {
    for name in ["two_players", "two_players_second_game", "four_players"] {
        let (file, expected) = replay(name);
        let path = file.path().to_str().unwrap();
        let output = decode(&[path], b"");
        assert_eq!(output.status.code(), Some(0));
        let found = lines(&output);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["replay"], expected);
        // The same from standard input, if the type is given.
        let bytes = std::fs::read(path).unwrap();
        let same = decode(&["--message", "replay"], &bytes);
        assert_eq!(same.stdout, output.stdout);
    }
}

#[test]
fn a_replay_has_a_row_for_each_event() {
    let (file, expected) = replay("two_players_second_game");
    let path = file.path().to_str().unwrap();
    let containers = expected["event_list"].as_array().unwrap();
    let events = containers
        .iter()
        .map(|container| container["event_list"].as_array().unwrap().len())
        .sum::<usize>();

    let csv = decode(&["--format", "csv", path], b"");
    assert_eq!(csv.status.code(), Some(0));
    let csv = String::from_utf8(csv.stdout).unwrap();
    let mut rows = csv.split_terminator("\r\n");
    assert_eq!(
        rows.next(),
        Some("replay_id,seconds,player_id,player,event,card,from,to,context,detail,text")
    );
    let rows: Vec<_> = rows.collect();
    assert_eq!(rows.len(), events);
    // Players and cards are named although the events have numbers only.
    let drawn = rows.iter().find(|row| row.contains("DRAW_CARDS")).unwrap();
    assert!(
        drawn.starts_with("4,0,0,lab_alice,DRAW_CARDS,Lab Giant / Lab Giant / Lab Swamp"),
        "{drawn}"
    );
    assert!(drawn.ends_with(",deck,hand,,number=7,"), "{drawn}");
    assert!(rows.contains(&"4,1,0,lab_alice,PLAYER_PROPERTIES_CHANGED,,,,CONCEDE,conceded=true,"));

    let timeline = decode(&["--format", "timeline", path], b"");
    let timeline = String::from_utf8(timeline.stdout).unwrap();
    assert_eq!(timeline.lines().count(), 1 + events);
    let title = "replay 4, game 3 \"Lab match, best of one\", 00:02";
    assert_eq!(timeline.lines().next(), Some(title));
    let last = timeline.lines().last().unwrap().split_whitespace();
    assert_eq!(last.collect::<Vec<_>>(), ["00:02", "GAME_CLOSED"]);

    // Half of the events are pings, which can be left out.
    for format in ["timeline", "csv"] {
        let all = decode(&["--format", format, path], b"");
        let all = String::from_utf8(all.stdout).unwrap();
        let some = decode(&["--format", format, "--not-kind", "ping_changed", path], b"");
        let some = String::from_utf8(some.stdout).unwrap();
        let pings = |text: &str| text.matches("PING_CHANGED").count();
        assert!(pings(&all) > 0 && pings(&some) == 0, "{all}");
        assert_eq!(all.lines().count() - pings(&all), some.lines().count());
    }
    let neither = ["--format", "csv", "--kind", "draw-cards", "--not-kind", "draw_cards"];
    let neither = decode(&[&neither[..], &[path]].concat(), b"");
    assert_eq!(String::from_utf8(neither.stdout).unwrap().lines().count(), 1);

    let drawn = decode(&["--format", "csv", "--kind", "draw-cards", path], b"");
    let drawn = String::from_utf8(drawn.stdout).unwrap();
    assert_eq!(drawn.matches("\r\n").count(), 3);
    let first = decode(&["--format", "csv", "--limit", "5", path], b"");
    let first = String::from_utf8(first.stdout).unwrap();
    assert_eq!(first.matches("\r\n").count(), 6);
    assert!(csv.starts_with(&first));
}

/// What was said can be read back, with its quotes and line breaks; on the timeline it is on one line.
#[test]
fn chat_has_a_column_of_its_own() {
    // `event_list { event_list { player_id: 3 [Event_GameSay.ext] { message: … } } seconds_elapsed: 5 }`
    let said = b"one, \"two\"\n=three\x1b";
    let say = [&[0x0a, said.len() as u8][..], said].concat();
    let event = [&[0x08, 0x06, 0x8a, 0x3f, say.len() as u8][..], &say].concat();
    let container = [&[0x12, event.len() as u8][..], &event, b"\x20\x05"].concat();
    let replay = [&[0x1a, container.len() as u8][..], &container].concat();
    let csv = decode(&["--format", "csv"], &replay);
    let csv = String::from_utf8(csv.stdout).unwrap();
    let (_, row) = csv.split_once("\r\n").unwrap();
    assert_eq!(row, "0,5,3,player 3,GAME_SAY,,,,,,\"one, \"\"two\"\"\n=three\\u{1b}\"\r\n");
    let timeline = decode(&["--format", "timeline"], &replay);
    let timeline = String::from_utf8(timeline.stdout).unwrap();
    assert_eq!(timeline.lines().count(), 2, "{timeline}");
}

/// By name or by number; rows without a player stay out.
#[test]
fn what_one_player_does_is_printed() {
    let (file, _) = replay("two_players");
    let path = file.path().to_str().unwrap();
    for format in ["csv", "timeline"] {
        let print = |arguments: &[&str]| {
            let output = decode(&[&["--format", format, path], arguments].concat(), b"");
            String::from_utf8(output.stdout).unwrap()
        };
        let named = print(&["--player", "lab_bob"]);
        assert_eq!(named, print(&["--player", "1"]));
        let all = print(&[]);
        let rows = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
        let is_bobs = |row: &&String| match format {
            "csv" => row.split(',').nth(3) == Some("lab_bob"),
            _ => row.split_whitespace().nth(1) == Some("lab_bob"),
        };
        let expected: Vec<_> = rows(&all).iter().filter(is_bobs).cloned().collect();
        assert_eq!(rows(&named), expected);
        assert!(expected.len() > 10);
    }
    // A name that nobody has told is not found by accident.
    let session = data("session.bin.gz");
    let table = |player| {
        let output = decode(&["--format", "table", "--player", player], &session);
        String::from_utf8(output.stdout).unwrap().lines().count() - 1
    };
    assert!(table("0") > 0);
    assert_eq!(table("nobody"), 0);
}

/// A spreadsheet would evaluate the name of a player.
#[test]
fn a_csv_cell_that_is_a_formula_becomes_text() {
    let (file, _) = replay("two_players");
    let text = std::fs::read(file.path()).unwrap();
    let (name, formula) = (b"lab_alice", b"=1+A1+B12");
    let mut named = text.clone();
    for at in 0..text.len() {
        if text[at..].starts_with(name) {
            named[at..at + name.len()].copy_from_slice(formula);
        }
    }
    let mut other = tempfile::NamedTempFile::with_suffix(".cor").unwrap();
    other.write_all(&named).unwrap();
    let csv = decode(&["--format", "csv", other.path().to_str().unwrap()], b"");
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(csv.contains(",'=1+A1+B12,"), "{csv}");
    assert!(!csv.contains(",=") && !csv.contains("\"="), "{csv}");
}

/// The name of a card is remembered while it is face down, in a deck, or with another player; so is
/// that of a counter.
#[test]
fn rows_use_the_names_from_earlier_events() {
    let (file, _) = replay("two_players");
    let path = file.path().to_str().unwrap();
    let csv = decode(&["--format", "csv", path], b"");
    let csv = String::from_utf8(csv.stdout).unwrap();
    for row in [
        // Drawn as 21, put down hidden as 35; then what happens to 35.
        "lab_alice,MOVE_CARD,Lab Giant,hand,table,MOVE_CARD,card_id=21 position=-1 x=1 y=2 new_card_id=35 face_down=true",
        "lab_alice,ATTACH_CARD,Lab Giant,table,table of lab_bob,MOVE_CARD,target=Lab Drake card_id=35",
        "lab_alice,CREATE_ARROW,Lab Giant,table,lab_bob,,arrow_id=2",
        // Into the deck, where the event does not say which card it is.
        "lab_bob,MOVE_CARD,Lab Drake,hand,deck,MULLIGAN,",
        // Revealed to one player.
        "lab_alice,REVEAL_CARDS,Lab Swamp,hand,lab_bob,,card_id=11",
        "lab_alice,SET_COUNTER,,,,,counter=life value=21",
        "lab_alice,DEL_COUNTER,,,,,counter=poison",
    ] {
        assert!(csv.contains(row), "{row}: {csv}");
    }
    // Of two hundred rows one is about a card that nobody ever named.
    let unnamed: Vec<_> =
        csv.lines().filter(|row| row.split(',').nth(5).unwrap().starts_with("card ")).collect();
    assert_eq!(unnamed.len(), 1, "{unnamed:#?}");
    assert!(unnamed[0].contains("MOVE_CARD,card 28,deck,rfg"));
}

#[test]
fn a_recording_read_as_a_replay_and_the_reverse_are_told_apart() {
    let session = data("session.bin.gz");
    let (file, _) = replay("two_players");
    let replay = std::fs::read(file.path()).unwrap();
    for (args, input, hint) in [
        (["--format", "csv"], &session, "`--format table` prints a line per message"),
        (["--format", "states"], &session, "`--message server` reads one"),
        (["--format", "json"], &replay, "if it is a replay, add `--message replay`"),
        (["--message", "command"], &replay, "if it is a replay, add `--message replay`"),
    ] {
        let output = decode(&args, input);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_contains(&error, &[hint]);
    }
    // A damaged recording is not taken for a replay.
    let output = decode(&[], &session[..session.len() - 1]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("could not be read") && !error.contains("replay"), "{error}");
}

/// Logs are passed on, so no password, token or code of the recordings may be in one.
#[test]
fn a_table_holds_no_secret() {
    let records = records("commands");
    let mut secrets = Vec::new();
    for record in &records {
        collect_secrets(&record["expected"], &mut secrets);
    }
    secrets.sort();
    secrets.dedup();
    assert!(secrets.len() > 20, "{secrets:?}");
    let output = decode(
        &["--framing", "hex", "--message", "command", "--format", "table"],
        &hex_lines(&records),
    );
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("REGISTER user_name=\"lab_new1\" password=***"));
    assert!(table.contains("GAME_SAY message=\"hello\""), "{table}");
    for secret in secrets {
        let shown = format!("=\"{secret}\"");
        let hidden = ["password", "token", "code"];
        assert!(
            !table
                .lines()
                .any(|line| line.split(' ').any(|field| field.ends_with(&shown)
                    && hidden.iter().any(|name| field.contains(name)))),
            "{secret}"
        );
    }
}

fn collect_secrets(value: &Value, secrets: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let secret = ["password", "hashed_password", "token", "replay_code"];
                if secret.contains(&name.as_str()) {
                    secrets.extend(value.as_str().map(str::to_owned));
                }
                collect_secrets(value, secrets);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect_secrets(value, secrets)),
        _ => {}
    }
}

#[test]
fn filters_select_the_requested_messages() {
    let session = data("session.bin.gz");
    let all = lines(&decode(&[], &session));
    let said = lines(&decode(&["--kind", "room_say"], &session));
    let has_say = |line: &&Value| line["room_event"].get("[Event_RoomSay.ext]").is_some();
    let expected: Vec<_> = all.iter().filter(has_say).cloned().collect();
    assert!(said.len() > 10);
    assert_eq!(said, expected);
    // By the type of the message, two at once, in any spelling.
    let types = lines(&decode(&["--kind", "Response,session-event"], &session));
    let game_or_room =
        |line: &&Value| line["type"] == "GAME_EVENT_CONTAINER" || line["type"] == "ROOM_EVENT";
    assert_eq!(types.len(), all.len() - all.iter().filter(game_or_room).count());
    let one = lines(&decode(&["--cmd-id", "7"], &session));
    assert_eq!(one.len(), 1);
    assert_eq!(one[0]["response"]["cmd_id"], "7");
    let some = lines(&decode(&["--limit", "3"], &session));
    assert_eq!(some, all[..3]);
    let some = lines(&decode(&["--limit", "3", "--kind", "room_say"], &session));
    assert_eq!(some, expected[..3]);

    // A message that cannot be read may have been one that was asked for.
    let damaged = [&b"\0\0\0\x02\x12\x04"[..], &session].concat();
    let output = decode(&["--kind", "room_say"], &damaged);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines(&output).len(), expected.len());
    let error = String::from_utf8(output.stderr).unwrap();
    assert_contains(&error, &["1 of 545 messages", "--kind"]);
}

/// A WebSocket frame with this opcode; with a mask, it is that of a client.
fn frame(last: bool, opcode: u8, mask: Option<[u8; 4]>, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![u8::from(last) << 7 | opcode];
    let masked = u8::from(mask.is_some()) << 7;
    match payload.len() {
        length @ ..126 => frame.push(masked | length as u8),
        length @ ..65_536 => {
            frame.push(masked | 126);
            frame.extend((length as u16).to_be_bytes());
        }
        length => {
            frame.push(masked | 127);
            frame.extend((length as u64).to_be_bytes());
        }
    }
    frame.extend(mask.into_iter().flatten());
    let mask = mask.unwrap_or_default();
    frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
    frame
}

#[test]
fn a_websocket_connection_is_read_frame_by_frame() {
    let records = records("events");
    let mask = Some([0x5a, 0, 0xff, 0x11]);
    let mut stream = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".to_vec();
    for (index, record) in records.iter().enumerate() {
        let bytes = unhex(record["message"].as_str().unwrap());
        let mask = mask.filter(|_| index % 2 == 0);
        let (first, rest) = bytes.split_at(index % (bytes.len() + 1));
        // In one frame, or in two with a ping between them.
        if index % 3 == 0 {
            stream.extend(frame(true, 2, mask, &bytes));
        } else {
            stream.extend(frame(false, 2, mask, first));
            stream.extend(frame(true, 9, mask, b"ping"));
            stream.extend(frame(true, 0, mask, rest));
        }
        stream.extend(frame(true, 1, mask, b"text"));
    }
    let output = decode(&["--framing", "websocket"], &stream);
    assert_eq!(output.status.code(), Some(0));
    let found = lines(&output);
    assert_eq!(found.len(), records.len());
    for (found, record) in found.iter().zip(&records) {
        let key = record["type"].as_str().unwrap().to_lowercase();
        assert_eq!(found[&key], record["expected"]);
    }
    // Wherever it is cut off, there is at most one error, and no message is invented.
    let few = &stream[..3_000];
    for end in (0..few.len()).step_by(37) {
        let output = decode(&["--framing", "websocket"], &few[..end]);
        let cut = lines(&output);
        let errors = cut.iter().filter(|line| line.get("error").is_some()).count();
        assert!(errors <= 1, "{end}");
        assert_eq!(output.status.code(), Some(i32::from(errors == 1)));
        assert_eq!(cut[..cut.len() - errors], found[..cut.len() - errors]);
    }
    // A message above the limit is skipped.
    let long = vec![0; 17 << 20];
    let good = frame(true, 2, None, b"\x12\x04\x08\x07\x10\x01");
    let stream = [frame(true, 2, mask, &long), good].concat();
    let found = lines(&decode(&["--framing", "websocket"], &stream));
    assert!(found[0]["error"].as_str().unwrap().contains("longer than the limit"));
    assert_eq!(found[1]["response"]["cmd_id"], "7");
    let garbage = decode(&["--framing", "websocket"], b"\xff\xff\xff\xff");
    let error = lines(&garbage)[0]["error"].clone();
    assert_eq!(error, "this is not a WebSocket frame");
}
