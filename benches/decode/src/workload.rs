//! The decoded messages, of the kinds and sizes that the real server sends.
use std::io::Read;

use prost::Message;

use crate::peers::prost::generated::*;
use crate::task::{Frame, Framing};

/// Messages that are decoded one after the other.
pub struct Workload {
    pub name: &'static str,
    /// A short description of the messages.
    pub content: &'static str,
    pub framing: Framing,
    pub frames: Vec<Frame>,
}

/// The first `cmd_id`: it takes five bytes, as nearly always with a client that begins at a random number.
const FIRST_ID: u64 = 1 << 30;

/// Every workload, small ones first.
pub fn all() -> Vec<Workload> {
    use Framing::{Bare, Enveloped};
    let recorded = "the answers in a recorded connection to a real server";
    let all = [
        ("header", "answers without a payload", Enveloped, headers(64)),
        ("bare header", "the same without the envelope", Bare, headers(64)),
        ("login", "a user with 20 buddies", Enveloped, vec![login(20)]),
        ("join room", "a room with 200 users and 50 games", Enveloped, vec![join_room(200, 50)]),
        ("list users", "1,000 users", Enveloped, vec![list_users(1_000)]),
        ("deck tree", "500 decks and folders", Enveloped, vec![deck_tree(500)]),
        ("deck text", "a text, not all of it ASCII", Enveloped, vec![deck_text(100_000)]),
        ("replay", "bytes", Enveloped, vec![replay(1_000_000)]),
        ("session", recorded, Enveloped, session()),
        ("live", "the same without the envelope", Bare, session()),
        ("mix", "answers of all kinds, most without a payload", Enveloped, mix()),
    ];
    let workload = |(name, content, framing, answers): (_, _, _, Vec<Response>)| {
        let answers = answers.into_iter().zip(FIRST_ID..);
        let frames = answers
            .map(|(answer, cmd_id)| Frame::from(frame(framing, Response { cmd_id, ..answer })));
        Workload { name, content, framing, frames: frames.collect() }
    };
    all.into_iter().map(workload).collect()
}

impl Workload {
    /// The bytes of all frames.
    pub fn size(&self) -> usize {
        self.frames.iter().map(|frame| frame.bytes.len()).sum()
    }
}

/// Answers without a payload, as they follow a ping, a message to a room or a wrong password.
fn headers(count: usize) -> Vec<Response> {
    let codes = [
        ResponseCode::RespOk,
        ResponseCode::RespOk,
        ResponseCode::RespOk,
        ResponseCode::RespWrongPassword,
    ];
    codes.into_iter().cycle().take(count).map(answer).collect()
}

fn login(buddies: usize) -> Response {
    let login = Login {
        user_info: Some(user_as_seen_by_itself(0)),
        buddy_list: (1..=buddies).map(user).collect(),
        ignore_list: (100..103).map(user).collect(),
        ..Default::default()
    };
    Response { login: Some(login), ..ok() }
}

fn join_room(users: usize, games: usize) -> Response {
    let game_types = ["Standard", "Modern", "Commander", "Cube / Draft"];
    let room = Room {
        room_id: Some(0),
        name: text("General room"),
        description: text("Play anything here."),
        game_count: Some(games as u32),
        player_count: Some(users as u32),
        auto_join: Some(true),
        game_list: (0..games).map(game).collect(),
        user_list: (0..users).map(user).collect(),
        gametype_list: (0..)
            .zip(game_types)
            .map(|(id, description)| GameType {
                game_type_id: Some(id),
                description: text(description),
            })
            .collect(),
        permissionlevel: text("none"),
        privilegelevel: text("none"),
    };
    let join_room = JoinRoom { room_info: Some(room) };
    Response { join_room: Some(join_room), ..ok() }
}

fn list_users(users: usize) -> Response {
    let list = ListUsers { user_list: (0..users).map(user).collect() };
    Response { list_users: Some(list), ..ok() }
}

/// Folders of ten decks each, every tenth of them one level deeper than the one before.
fn deck_tree(items: u32) -> Response {
    let mut root = DeckStorageFolder::default();
    let mut numbers = 1..=items;
    while let Some(number) = numbers.next() {
        let files = numbers.by_ref().take(9).map(|number| DeckStorageTreeItem {
            id: Some(id(number)),
            name: Some(format!("Deck {number} of the season")),
            file: Some(DeckStorageFile { creation_time: Some(1_577_836_800 + number) }),
            ..Default::default()
        });
        let mut folder = DeckStorageFolder { items: files.collect() };
        if number % 100 > 1 {
            folder.items.extend(root.items.pop());
        }
        root.items.push(DeckStorageTreeItem {
            id: Some(id(number)),
            name: Some(format!("Folder {number}")),
            folder: Some(folder),
            ..Default::default()
        });
    }
    let list = DeckList { root: Some(root) };
    Response { deck_list: Some(list), ..ok() }
}

fn deck_text(size: usize) -> Response {
    let mut deck =
        String::from("<?xml version=\"1.0\"?><cockatrice_deck version=\"1\"><zone name=\"main\">");
    for number in 0.. {
        if deck.len() >= size {
            break;
        }
        deck += &format!("<card number=\"4\" name=\"Card {number} — Größe\"/>");
    }
    deck += "</zone></cockatrice_deck>";
    let download = DeckDownload { deck: Some(deck) };
    Response { deck_download: Some(download), ..ok() }
}

fn replay(size: usize) -> Response {
    let data = (0..size).map(|index| (index * 31 % 251) as u8);
    let download = ReplayDownload { replay_data: Some(data.collect()) };
    Response { replay_download: Some(download), ..ok() }
}

/// The answers in one recorded connection to a real server; its events are left out.
fn session() -> Vec<Response> {
    let packed = include_bytes!("../../../tests/data/game/session.bin.gz");
    let mut recorded = Vec::new();
    let read = flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut recorded);
    read.expect("the recording is whole");
    let mut rest = recorded.as_slice();
    let mut answers = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk() {
        let (message, tail) = tail.split_at(u32::from_be_bytes(*length) as usize);
        let decoded = ServerMessage::decode(message).expect("it is a ServerMessage");
        if decoded.response.is_some() {
            // Only the id may be lost, which is replaced.
            assert_eq!(decoded.encode_to_vec(), message);
            answers.extend(decoded.response);
        }
        rest = tail;
    }
    answers
}

/// A hundred answers as a busy client might get them.
fn mix() -> Vec<Response> {
    let mut answers = headers(85);
    answers.extend([login(20), login(5), login(0), login(60)]);
    answers.extend([join_room(200, 50), join_room(40, 10), join_room(2, 0)]);
    answers.extend([list_users(100), list_users(300)]);
    answers.extend([deck_tree(50), deck_tree(200)]);
    answers.extend([deck_text(3_000), deck_text(20_000)]);
    answers.extend([replay(50_000), replay(250_000)]);
    answers
}

fn frame(framing: Framing, response: Response) -> Vec<u8> {
    match framing {
        Framing::Bare => response.encode_to_vec(),
        Framing::Enveloped => ServerMessage {
            message_type: Some(MessageType::Response.into()),
            response: Some(response),
        }
        .encode_to_vec(),
    }
}

fn ok() -> Response {
    answer(ResponseCode::RespOk)
}

fn answer(code: ResponseCode) -> Response {
    Response { response_code: Some(code.into()), ..Default::default() }
}

/// The number of something in a payload: in turn of one byte, of two and of five, as it is with a
/// server that is young, has some users, or has run for years.
fn id(number: u32) -> u32 {
    match number % 3 {
        0 => number % (1 << 6),
        1 => (1 << 7) + number % (1 << 12),
        _ => (1 << 28) + number,
    }
}

/// A user as others see it. Every third has given a real name, some of them not in ASCII.
fn user(number: usize) -> User {
    let names = ["-zz", ".Y", "_x", "LongerNameForAUser"];
    let real_names = ["Alice Liddell", "Bob Größe 试验", "Иван Петров", "Charles Babbage"];
    let countries = ["gb", "jp", "no", "cn", "pt", "de", "us"];
    let third = number.is_multiple_of(3);
    User {
        name: Some(format!("user{number:03}{}", names[number % names.len()])),
        user_level: Some(3),
        real_name: third.then(|| real_names[number / 3 % real_names.len()].to_owned()),
        country: text(countries[number % countries.len()]),
        accountage_secs: Some(139_962_359 + 86_400 * number as u64),
        privlevel: text(if number.is_multiple_of(7) { "DONATOR" } else { "NONE" }),
        pawn_colors: number
            .is_multiple_of(4)
            .then(|| PawnColorsOverride { left_side: text("#02e03c"), right_side: None }),
        card_art_params: number.is_multiple_of(16).then(|| CardArtParams {
            card_name: text("Lim-Dûl's Vault"),
            card_provider_id: text("262081827"),
            margin_pct_l: Some(0.327_976_771_153_214),
            margin_pct_r: Some(0.733_349_072_728_555),
            vertical_offset: Some(0.892_514_283_299_478),
            zoom: Some(1.470_760_735_597_783),
        }),
        ..Default::default()
    }
}

fn user_as_seen_by_itself(number: usize) -> User {
    User {
        address: text("127.0.0.1"),
        id: Some(id(number as u32) as i32),
        session_id: Some(id(number as u32 + 1).into()),
        email: Some(format!("user{number}@example.org")),
        clientid: text("60930ad5831e186"),
        ..user(number)
    }
}

fn game(number: usize) -> Game {
    Game {
        room_id: Some(0),
        game_id: Some(id(number as u32) as i32),
        description: Some(format!("Game {number} 试验")),
        with_password: Some(number.is_multiple_of(5)),
        max_players: Some(4),
        game_types: vec![number as i32 % 4],
        creator_info: Some(user(number)),
        only_buddies: Some(false),
        only_registered: Some(number.is_multiple_of(2)),
        spectators_allowed: Some(true),
        spectators_need_password: Some(false),
        spectators_can_chat: Some(number.is_multiple_of(3)),
        spectators_omniscient: Some(false),
        share_decklists_on_load: Some(false),
        player_count: Some(1),
        spectators_count: Some(0),
        started: Some(false),
        start_time: Some(1_795_250_236),
        host_info: Some(user_as_seen_by_itself(number)),
        ..Default::default()
    }
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}
