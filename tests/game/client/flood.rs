//! Flood limits: a server that counts as Servatrice does refuses nothing, however many commands are
//! sent at once; and they are sent as fast as the limits allow.

use std::collections::VecDeque;
use std::time::Duration;

use portreeve::game::client::{FloodLimits, Settings};
use portreeve::game::command::{
    CommandContainer, CreateArrow, DeleteArrow, DrawCards, GameCommand, GameCommandKind,
    GameCommandPayload, GameSay, IncCounter, MoveCard, Mulligan, NextTurn, RollDie, RoomCommand,
    RoomCommandPayload, RoomSay, SetCardAttr, UndoDraw, UserMessage,
};
use portreeve::game::{Command, Extended, Repeated, ResponseCode, Text};
use tokio::io::AsyncWriteExt;
use tokio::time::Instant;
use tower::{Service, ServiceExt};

use super::script::frame;
use super::server::{Io, answer, framed, session};

const MESSAGES: usize = 10;
const MESSAGE_BYTES: usize = 1000;
const GAME_COMMANDS: usize = 20;
const TICKS: u64 = 10;

/// Not counted, but refused once the window is full.
const NOT_COUNTED: [GameCommandKind; 8] = [
    GameCommandKind::DrawCards,
    GameCommandKind::UndoDraw,
    GameCommandKind::CreateArrow,
    GameCommandKind::DeleteArrow,
    GameCommandKind::SetCardAttr,
    GameCommandKind::IncCounter,
    GameCommandKind::Mulligan,
    GameCommandKind::MoveCard,
];

/// What a server remembers: the tick and length of each message, and the tick of each game command.
#[derive(Default)]
struct Windows {
    messages: VecDeque<(u64, usize)>,
    game_commands: VecDeque<u64>,
}

// === impl Windows ===

impl Windows {
    /// Executes a container, from its last command to its first.
    fn execute(&mut self, tick: u64, container: &CommandContainer<'_>) -> ResponseCode {
        let kept = |at: u64| at + TICKS > tick;
        self.messages.retain(|&(at, _)| kept(at));
        self.game_commands.retain(|&at| kept(at));
        let mut fits = true;
        for command in collected(container.game_command()).iter().rev() {
            fits = fits && self.in_game(tick, command);
        }
        for command in collected(container.room_command()).iter().rev() {
            if let Some(say) = command.get::<RoomSay<'_>>().unwrap() {
                fits = fits && self.said(tick, say.message);
            }
        }
        for command in collected(container.session_command()).iter().rev() {
            if let Some(message) = command.get::<UserMessage<'_>>().unwrap() {
                fits = fits && self.said(tick, message.message);
            }
        }
        match fits {
            true => ResponseCode::RespOk,
            false => ResponseCode::RespChatFlood,
        }
    }

    /// The bytes of refused messages count too.
    fn said(&mut self, tick: u64, text: Option<Text<'_>>) -> bool {
        let length = text.map_or(0, |text| text.as_bytes().len());
        self.messages.push_back((tick, length));
        let bytes: usize = self.messages.iter().map(|(_, length)| length).sum();
        self.messages.len() <= MESSAGES && bytes <= MESSAGE_BYTES
    }

    fn in_game(&mut self, tick: u64, command: &GameCommand<'_>) -> bool {
        if NOT_COUNTED.contains(&command.kind().unwrap()) {
            return self.game_commands.len() <= GAME_COMMANDS;
        }
        self.game_commands.push_back(tick);
        if self.game_commands.len() > GAME_COMMANDS {
            return false;
        }
        match command.get::<GameSay<'_>>().unwrap() {
            Some(say) => self.said(tick, say.message),
            None => true,
        }
    }
}

fn collected<M>(list: impl Iterator<Item = Result<M, portreeve::game::DecodeError>>) -> Vec<M> {
    list.collect::<Result<_, _>>().unwrap()
}

/// A server behind a delay of up to 900 ms, whose ticks begin at `phase`; returns how many commands
/// it refused.
async fn strict(mut io: impl Io, phase: Duration) -> usize {
    let mut windows = Windows::default();
    let start = Instant::now();
    let mut arrived = Duration::ZERO;
    let mut refused = 0;
    let mut number = 0_u64;
    while let Some(command) = frame(&mut io).await {
        number += 1;
        // Later ones do not overtake.
        let delay = Duration::from_millis(number * 7919 % 900);
        arrived = arrived.max(start.elapsed() + delay);
        let container = CommandContainer::parse(&command).unwrap();
        let code = windows.execute((arrived + phase).as_secs(), &container);
        refused += usize::from(code != ResponseCode::RespOk);
        let answer = answer(container.cmd_id(), code);
        // A client that has all its answers may be gone before its last keep-alive is answered.
        let _ = io.write_all(&framed(&answer)).await;
    }
    refused
}

fn say(text: &str) -> Command {
    Command::room_say(1, text)
}

fn roll() -> Command {
    Command::game(1, RollDie::default())
}

/// Several commands in one container.
fn rolls(number: usize) -> Command {
    let roll = GameCommandPayload::from(RollDie::default());
    let commands =
        vec![GameCommand { payload: Extended::from(&roll), ..GameCommand::default() }; number];
    Command::from_container(&CommandContainer {
        game_id: Some(1),
        game_command: Repeated::from(&*commands),
        ..CommandContainer::default()
    })
}

fn says(texts: &[&str]) -> Command {
    let said: Vec<_> = texts
        .iter()
        .map(|&text| {
            RoomCommandPayload::from(RoomSay { message: Some(text.into()), ..RoomSay::default() })
        })
        .collect();
    let commands: Vec<_> = said
        .iter()
        .map(|say| RoomCommand { payload: Extended::from(say), ..RoomCommand::default() })
        .collect();
    Command::from_container(&CommandContainer {
        room_id: Some(1),
        room_command: Repeated::from(&*commands),
        ..CommandContainer::default()
    })
}

/// Something of every kind that a server counts or does not.
fn every_kind() -> Vec<Command> {
    vec![
        say("hi"),
        say(&"long é ".repeat(20)),
        Command::user_message("bob", "psst"),
        Command::game_say(1, "in the game"),
        roll(),
        Command::game(1, NextTurn::default()),
        Command::game(1, MoveCard::default()),
        Command::game(1, DrawCards::default()),
        Command::game(1, UndoDraw::default()),
        Command::game(1, CreateArrow::default()),
        Command::game(1, DeleteArrow::default()),
        Command::game(1, SetCardAttr::default()),
        Command::game(1, IncCounter::default()),
        Command::game(1, Mulligan::default()),
        rolls(3),
        rolls(20),
        says(&["one", "two", "three"]),
        Command::ping(),
        Command::list_rooms(),
        say(&"x".repeat(MESSAGE_BYTES)),
    ]
}

/// Sends all commands at once and awaits their answers; returns how long that took, and how many were
/// refused.
async fn burst(commands: Vec<Command>, phase: u64) -> (Duration, usize) {
    let mut settings = Settings::default();
    settings.max_in_flight = commands.len();
    settings.call_timeout = Duration::from_secs(5);
    let (client, events, server) = session(&settings).await;
    drop(events);
    let server = tokio::spawn(strict(server, Duration::from_millis(phase)));
    let start = Instant::now();
    let mut service = client.clone();
    let mut calls = Vec::new();
    for command in commands {
        calls.push(service.ready().await.unwrap().call(command));
    }
    let mut before = 0;
    for call in calls {
        // The timeout of a call begins when it is written: waiting for its turn does not count.
        let answer = call.await.unwrap();
        assert!(answer.position > before, "in order");
        before = answer.position;
    }
    let took = start.elapsed();
    drop((client, service));
    (took, server.await.unwrap())
}

#[tokio::test(start_paused = true)]
async fn no_command_of_a_burst_is_refused() {
    for phase in [0, 1, 250, 500, 999] {
        // In three orders, so that each kind meets a window that each other one has filled.
        for stride in [1, 3, 7] {
            let kinds = every_kind();
            let commands = (0..200).map(|index| kinds[index * stride % kinds.len()].clone());
            let (_, refused) = burst(commands.collect(), phase).await;
            assert_eq!(refused, 0, "phase {phase} stride {stride}");
        }
    }
}

/// The client waits no longer than the limits require, with a margin of two seconds for each window.
#[tokio::test(start_paused = true)]
async fn commands_are_sent_as_fast_as_the_limits_allow() {
    let limits = FloodLimits::servatrice();
    let window = limits.window.as_secs() + 2;
    for (command, windows) in [
        (say("hi"), 9),
        (Command::user_message("bob", "psst"), 9),
        (Command::game_say(1, "hello"), 9),
        (roll(), 4),
        (rolls(2), 9),
        (says(&["a", "b"]), 19),
        // Five fit.
        (say(&"x".repeat(190)), 19),
        (Command::game(1, MoveCard::default()), 0),
        (Command::list_rooms(), 0),
    ] {
        let (took, refused) = burst(vec![command.clone(); 100], 500).await;
        assert_eq!(refused, 0, "{command:?}");
        assert_eq!(took.as_secs(), windows * window, "{command:?}");
    }
}

/// A command that exceeds the limits by itself is the caller's decision: it is sent once the window is
/// empty, refused by the server, and later commands wait until the server has forgotten it.
#[tokio::test(start_paused = true)]
async fn a_command_that_exceeds_the_limits_is_sent_alone() {
    for command in [say(&"x".repeat(1200)), rolls(25), says(&["x"; 11])] {
        let (_, refused) = burst(vec![command.clone(), command.clone()], 0).await;
        assert_eq!(refused, 2, "{command:?}");
        let commands = vec![say("hi"), roll(), command.clone(), say("hi"), roll()];
        let (took, refused) = burst(commands, 0).await;
        assert_eq!(refused, 1, "{command:?}");
        assert_eq!(took.as_secs(), 24, "{command:?}");
    }
}

/// Those that are not counted are refused only once one too many has been counted.
#[tokio::test(start_paused = true)]
async fn a_full_window_does_not_hold_up_what_is_not_counted() {
    let mut commands = vec![roll(); 20];
    commands.push(Command::game(1, MoveCard::default()));
    assert_eq!(burst(commands, 0).await, (Duration::ZERO, 0));
}
