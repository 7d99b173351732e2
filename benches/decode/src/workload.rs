//! What is decoded: messages of the kinds and sizes that the real server sends.
use std::io::Read;

use prost::Message;

use crate::peers::prost::generated::*;
use crate::task::Frame;

/// Messages that are decoded one after the other.
pub struct Workload {
    pub name: &'static str,
    /// What the messages are, in a few words.
    pub content: &'static str,
    pub frames: Vec<Frame>,
}

/// Every workload, small ones first.
pub fn all() -> Vec<Workload> {
    vec![
        Workload::new("header", "answers without a payload", headers()),
        Workload::new("login", "a user with 20 buddies", vec![login(20)]),
        Workload::new(
            "join room",
            "a room with 200 users and 50 games",
            vec![join_room(200, 50)],
        ),
        Workload::new("list users", "1,000 users", vec![list_users(1_000)]),
        Workload::new("deck tree", "500 decks and folders", vec![deck_tree(500)]),
        Workload::new(
            "deck text",
            "a text, not all of it ASCII",
            vec![deck_text(100_000)],
        ),
        Workload::new("replay", "bytes", vec![replay(1_000_000)]),
        Workload::new(
            "session",
            "the answers in a recorded connection to a real server",
            session(),
        ),
        Workload::new("mix", "answers of all kinds, most without a payload", mix()),
    ]
}

impl Workload {
    fn new(name: &'static str, content: &'static str, frames: Vec<Vec<u8>>) -> Self {
        Self {
            name,
            content,
            frames: frames.into_iter().map(Frame::from).collect(),
        }
    }

    /// The bytes of all frames.
    pub fn size(&self) -> usize {
        self.frames.iter().map(|frame| frame.bytes.len()).sum()
    }
}

/// Answers without a payload, as they follow a ping, a message to a room or a wrong password.
fn headers() -> Vec<Vec<u8>> {
    let codes = [
        ResponseCode::RespOk,
        ResponseCode::RespOk,
        ResponseCode::RespOk,
        ResponseCode::RespWrongPassword,
    ];
    let answers = codes.iter().cycle().take(64).zip(1..);
    answers
        .map(|(code, cmd_id)| {
            frame(Response {
                cmd_id,
                ..answer(*code)
            })
        })
        .collect()
}

fn login(buddies: usize) -> Vec<u8> {
    let login = ResponseLogin {
        user_info: Some(user_as_seen_by_itself(0)),
        buddy_list: (1..=buddies).map(user).collect(),
        ignore_list: (100..103).map(user).collect(),
        ..Default::default()
    };
    frame(Response {
        login: Some(login),
        ..ok()
    })
}

fn join_room(users: usize, games: usize) -> Vec<u8> {
    let game_types = ["Standard", "Modern", "Commander", "Cube / Draft"];
    let room = ServerInfoRoom {
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
            .map(|(id, description)| ServerInfoGameType {
                game_type_id: Some(id),
                description: text(description),
            })
            .collect(),
        permissionlevel: text("none"),
        privilegelevel: text("none"),
    };
    let join_room = ResponseJoinRoom {
        room_info: Some(room),
    };
    frame(Response {
        join_room: Some(join_room),
        ..ok()
    })
}

fn list_users(users: usize) -> Vec<u8> {
    let list = ResponseListUsers {
        user_list: (0..users).map(user).collect(),
    };
    frame(Response {
        list_users: Some(list),
        ..ok()
    })
}

/// Folders of ten decks each, every tenth of them one level deeper than the one before.
fn deck_tree(items: u32) -> Vec<u8> {
    let mut root = ServerInfoDeckStorageFolder::default();
    let mut ids = 1..=items;
    while let Some(id) = ids.next() {
        let files = ids
            .by_ref()
            .take(9)
            .map(|id| ServerInfoDeckStorageTreeItem {
                id: Some(id),
                name: Some(format!("Deck {id} of the season")),
                file: Some(ServerInfoDeckStorageFile {
                    creation_time: Some(1_577_836_800 + id),
                }),
                ..Default::default()
            });
        let mut folder = ServerInfoDeckStorageFolder {
            items: files.collect(),
        };
        if id % 100 > 1 {
            folder.items.extend(root.items.pop());
        }
        root.items.push(ServerInfoDeckStorageTreeItem {
            id: Some(id),
            name: Some(format!("Folder {id}")),
            folder: Some(folder),
            ..Default::default()
        });
    }
    let list = ResponseDeckList { root: Some(root) };
    frame(Response {
        deck_list: Some(list),
        ..ok()
    })
}

fn deck_text(size: usize) -> Vec<u8> {
    let mut deck =
        String::from("<?xml version=\"1.0\"?><cockatrice_deck version=\"1\"><zone name=\"main\">");
    for number in 0.. {
        if deck.len() >= size {
            break;
        }
        deck += &format!("<card number=\"4\" name=\"Card {number} — Größe\"/>");
    }
    deck += "</zone></cockatrice_deck>";
    let download = ResponseDeckDownload { deck: Some(deck) };
    frame(Response {
        deck_download: Some(download),
        ..ok()
    })
}

fn replay(size: usize) -> Vec<u8> {
    let data = (0..size).map(|index| (index * 31 % 251) as u8).collect();
    let download = ResponseReplayDownload {
        replay_data: Some(data),
    };
    frame(Response {
        replay_download: Some(download),
        ..ok()
    })
}

/// The answers in one recorded connection to a real server; its events are left out.
fn session() -> Vec<Vec<u8>> {
    let packed = include_bytes!("../../../tests/data/game/session.bin.gz");
    let mut recorded = Vec::new();
    let read = flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut recorded);
    read.expect("the recording is whole");
    let mut rest = recorded.as_slice();
    let mut frames = Vec::new();
    while let Some((length, tail)) = rest.split_first_chunk() {
        let (message, tail) = tail.split_at(u32::from_be_bytes(*length) as usize);
        if ServerMessage::decode(message).is_ok_and(|message| message.response.is_some()) {
            frames.push(message.to_vec());
        }
        rest = tail;
    }
    frames
}

/// A hundred answers as a busy client might get them.
fn mix() -> Vec<Vec<u8>> {
    let mut frames: Vec<_> = headers().into_iter().cycle().take(85).collect();
    frames.extend([login(20), login(5), login(0), login(60)]);
    frames.extend([join_room(200, 50), join_room(40, 10), join_room(2, 0)]);
    frames.extend([list_users(100), list_users(300)]);
    frames.extend([deck_tree(50), deck_tree(200)]);
    frames.extend([deck_text(3_000), deck_text(20_000)]);
    frames.extend([replay(50_000), replay(250_000)]);
    frames
}

fn frame(response: Response) -> Vec<u8> {
    ServerMessage {
        message_type: Some(MessageType::Response.into()),
        response: Some(response),
    }
    .encode_to_vec()
}

fn ok() -> Response {
    answer(ResponseCode::RespOk)
}

fn answer(code: ResponseCode) -> Response {
    Response {
        cmd_id: 42,
        response_code: Some(code.into()),
        ..Default::default()
    }
}

/// A user as others see it. Every third has given a real name, some of them not in ASCII.
fn user(number: usize) -> ServerInfoUser {
    let names = ["-zz", ".Y", "_x", "LongerNameForAUser"];
    let real_names = [
        "Alice Liddell",
        "Bob Größe 试验",
        "Иван Петров",
        "Charles Babbage",
    ];
    let countries = ["gb", "jp", "no", "cn", "pt", "de", "us"];
    let third = number.is_multiple_of(3);
    ServerInfoUser {
        name: Some(format!("user{number:03}{}", names[number % names.len()])),
        user_level: Some(3),
        real_name: third.then(|| real_names[number / 3 % real_names.len()].to_owned()),
        country: text(countries[number % countries.len()]),
        accountage_secs: Some(139_962_359 + 86_400 * number as u64),
        privlevel: text(if number.is_multiple_of(7) {
            "DONATOR"
        } else {
            "NONE"
        }),
        pawn_colors: number
            .is_multiple_of(4)
            .then(|| ServerInfoUserPawnColorsOverride {
                left_side: text("#02e03c"),
                right_side: None,
            }),
        card_art_params: number
            .is_multiple_of(16)
            .then(|| ServerInfoUserCardArtParams {
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

fn user_as_seen_by_itself(number: usize) -> ServerInfoUser {
    ServerInfoUser {
        address: text("127.0.0.1"),
        id: Some(number as i32 + 24),
        session_id: Some(732 + number as u64),
        email: Some(format!("user{number}@example.org")),
        clientid: text("60930ad5831e186"),
        ..user(number)
    }
}

fn game(number: usize) -> ServerInfoGame {
    ServerInfoGame {
        room_id: Some(0),
        game_id: Some(60_000 + number as i32),
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
