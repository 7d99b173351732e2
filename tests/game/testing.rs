//! The server for tests (`portreeve::game::testing`), used by the client.

use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{
    Answer, CallError, Client, Credentials, End, Events, LoginError, Settings,
};
use portreeve::game::command::{CreateGame, DrawCards, GameSay, JoinGame, LeaveGame};
use portreeve::game::connection::Address;
use portreeve::game::event::{self, GameJoined, GameStateChanged, RoomSay};
use portreeve::game::testing::{Fault, Server};
use portreeve::game::{
    Command, CommandContainer, CommandKind, Message as _, ResponseCode, ServerMessage,
};
use tokio::time::Instant;
use zeroize::Zeroizing;

/// How long to wait for an expected event.
const SOON: Duration = Duration::from_secs(30);

fn settings() -> Settings {
    Settings {
        flood_limits: None,
        ..Settings::default()
    }
}

async fn connect(address: &Address) -> (Client, Events) {
    settings().connect(address).await.unwrap()
}

fn account(user: &str, password: &str) -> Credentials {
    Credentials::account(user, Zeroizing::new(password.to_owned()))
}

async fn accepted(client: &Client, command: Command) {
    client.send(command).await.unwrap().accepted().unwrap();
}

async fn logged_in(address: &Address, credentials: &Credentials) -> (Client, Events) {
    let (client, events) = connect(address).await;
    client.login(credentials).await.unwrap();
    accepted(&client, Command::join_room(0)).await;
    (client, events)
}

/// What `found` returns for the first event that it accepts.
async fn event<T>(events: &mut Events, found: impl Fn(&ServerMessage<'_>) -> Option<T>) -> T {
    let first = async {
        loop {
            let received = events.next().await.expect("the connection has ended");
            if let Some(found) = found(&received.message().unwrap()) {
                return found;
            }
        }
    };
    tokio::time::timeout(SOON, first)
        .await
        .expect("no such event came")
}

/// Who said something in a room, and what.
fn said(message: &ServerMessage<'_>) -> Option<(String, String)> {
    let say: RoomSay<'_> = message.room_event().unwrap()?.get().unwrap()?;
    let name = say.name().unwrap();
    (!name.is_empty()).then(|| (name.to_owned(), say.message().unwrap().to_owned()))
}

/// Number of the game, number of the seat, whether it is resumed.
fn joined(message: &ServerMessage<'_>) -> Option<(i32, i32, bool)> {
    let joined: GameJoined<'_> = message.session_event().unwrap()?.get().unwrap()?;
    let game = joined.game_info().unwrap().unwrap();
    Some((game.game_id(), joined.player_id(), joined.resuming()))
}

/// The names of the players in a full state.
fn players(message: &ServerMessage<'_>) -> Option<Vec<String>> {
    let container = message.game_event_container().unwrap()?;
    let event = container.event_list().next()?.unwrap();
    let state: GameStateChanged<'_> = event.get().unwrap()?;
    let name = |player: portreeve::game::info::Player<'_>| {
        let user = player.properties().unwrap().unwrap().user_info().unwrap();
        user.unwrap().name().unwrap().to_owned()
    };
    Some(
        state
            .player_list()
            .map(|player| name(player.unwrap()))
            .collect(),
    )
}

#[tokio::test]
async fn users_talk_over_both_transports() {
    let server = Server::builder()
        .account("ann", "secret")
        .room("Main")
        .room("Other")
        .start()
        .await
        .unwrap();
    let (ann, mut heard_by_ann) = logged_in(&server.tcp(), &account("ann", "secret")).await;
    let (ben, mut heard_by_ben) = logged_in(&server.websocket(), &Credentials::guest("ben")).await;
    assert_eq!(server.users(), ["ann", "ben"]);
    accepted(&ben, Command::room_say(0, "hi")).await;
    for events in [&mut heard_by_ann, &mut heard_by_ben] {
        assert_eq!(event(events, said).await, ("ben".into(), "hi".into()));
    }
    let nowhere = ben.send(Command::join_room(2)).await.unwrap();
    assert_eq!(nowhere.code(), Some(ResponseCode::RespNameNotFound));
    ann.close().await;
    let second = logged_in(&server.tcp(), &Credentials::guest("ben")).await;
    let users = second.0.send(Command::list_users()).await.unwrap();
    let users: portreeve::game::payload::ListUsers<'_> = users.get().unwrap();
    assert!(
        users
            .user_list()
            .any(|user| user.unwrap().name().unwrap() == "ben_1")
    );
}

/// What a command would have sent is not sent to whoever asks next, if a later command of its container is refused.
#[tokio::test]
async fn nobody_gets_the_messages_of_another_user() {
    let server = Server::builder().room("Main").start().await.unwrap();
    let (ann, _events) = connect(&server.tcp()).await;
    ann.login(&Credentials::guest("ann")).await.unwrap();
    let (bob, mut events) = connect(&server.tcp()).await;
    bob.login(&Credentials::guest("bob")).await.unwrap();
    // One container: repeated fields of messages one after the other are merged.
    let both = [Command::join_room(0), Command::join_room(99)];
    let both = both.map(|it| it.container().to_vec()).concat();
    let both = Command::from_container(&CommandContainer::parse(&both).unwrap());
    assert_eq!(both.kinds().count(), 2);
    let refused = ann.send(both).await.unwrap();
    assert!(refused.accepted().is_err());

    bob.send(Command::ping()).await.unwrap();
    let joined = bob.send(Command::join_room(0)).await.unwrap();
    joined.accepted().unwrap();
    bob.close().await;
    let mut welcomes = 0;
    while let Some(received) = events.next().await {
        let message = received.message().unwrap();
        let event = message.room_event().unwrap();
        let welcome: Option<RoomSay<'_>> = event.and_then(|event| event.get().unwrap());
        welcomes += usize::from(welcome.is_some());
    }
    assert_eq!(welcomes, 1);
}

#[tokio::test]
async fn accounts_need_their_password() {
    let server = Server::builder()
        .account("ann", "secret")
        .start()
        .await
        .unwrap();
    let (client, _events) = connect(&server.tcp()).await;
    let refused = |error| match error {
        LoginError::Refused(refused) => refused.code,
        error => panic!("{error}"),
    };
    let wrong = client.login(&account("ann", "wrong")).await.unwrap_err();
    assert_eq!(refused(wrong), Some(ResponseCode::RespWrongPassword));
    let none = client.login(&Credentials::guest("ann")).await.unwrap_err();
    assert_eq!(refused(none), Some(ResponseCode::RespWrongPassword));
    let unknown = client.login(&account("cleo", "secret")).await.unwrap_err();
    assert!(matches!(unknown, LoginError::NoAccount), "{unknown}");
    client.login(&account("ann", "secret")).await.unwrap();
    let before = client.send(Command::room_say(0, "hi")).await.unwrap();
    assert_eq!(before.code(), Some(ResponseCode::RespNotInRoom));
    // A second login ends the first.
    let (second, _events) = connect(&server.websocket()).await;
    second.login(&account("ann", "secret")).await.unwrap();
    assert!(
        matches!(client.ended().await, End::Kicked(_)),
        "{:?}",
        client.ended().await
    );
    assert_eq!(server.users(), ["ann"]);
}

#[tokio::test]
async fn a_seat_is_resumed_after_the_connection_is_cut() {
    for websocket in [false, true] {
        let server = Server::builder()
            .account("ann", "secret")
            .start()
            .await
            .unwrap();
        let address = if websocket {
            server.websocket()
        } else {
            server.tcp()
        };
        let ann = account("ann", "secret");
        let (client, mut events) = logged_in(&address, &ann).await;
        let create = CreateGame {
            max_players: Some(2),
            ..CreateGame::default()
        };
        accepted(&client, Command::room(0, create)).await;
        let (game, seat, resuming) = event(&mut events, joined).await;
        assert_eq!((seat, resuming), (0, false));

        let (ben, mut heard_by_ben) = logged_in(&address, &Credentials::guest("ben")).await;
        let join = JoinGame {
            game_id: Some(game),
            ..JoinGame::default()
        };
        accepted(&ben, Command::room(0, join)).await;
        assert_eq!(event(&mut heard_by_ben, joined).await, (game, 1, false));
        assert_eq!(event(&mut heard_by_ben, players).await, ["ann", "ben"]);

        assert!(server.cut_user("ann"));
        assert!(!server.cut_user("cleo"));
        assert!(matches!(
            client.ended().await,
            End::HungUp { .. } | End::Failed(_)
        ));
        let (_client, mut events) = logged_in(&address, &ann).await;
        assert_eq!(event(&mut events, joined).await, (game, seat, true));
        assert_eq!(event(&mut events, players).await, ["ann", "ben"]);

        // A guest who is disconnected has left the game, and does not come back to it.
        server.cut();
        ben.ended().await;
        let (_ann, mut events) = logged_in(&address, &ann).await;
        assert_eq!(event(&mut events, joined).await, (game, seat, true));
        assert_eq!(event(&mut events, players).await, ["ann"]);
    }
}

#[tokio::test]
async fn faults_are_injected_and_removed() {
    let server = Server::start().await.unwrap();
    let (client, _events) = connect(&server.tcp()).await;
    server.inject(Fault::RefuseLogins(ResponseCode::RespUserIsBanned));
    server.inject(Fault::RefuseLogins(ResponseCode::RespServerFull));
    let guest = Credentials::guest("ann");
    match client.login(&guest).await.unwrap_err() {
        LoginError::Refused(refused) => {
            assert_eq!(refused.code, Some(ResponseCode::RespServerFull));
        }
        error => panic!("{error}"),
    }
    server.recover();
    client.login(&guest).await.unwrap();
    accepted(&client, Command::join_room(0)).await;

    let window = Duration::from_secs(3600);
    server.inject(Fault::Flood {
        commands: 2,
        window,
    });
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.extend(
            client
                .send(Command::room_say(0, "hi"))
                .await
                .unwrap()
                .code(),
        );
    }
    use ResponseCode::{RespChatFlood, RespOk};
    assert_eq!(codes, [RespOk, RespOk, RespChatFlood]);
    server.recover();

    let delay = Duration::from_millis(80);
    server.inject(Fault::Delay(delay));
    let before = Instant::now();
    accepted(&client, Command::list_users()).await;
    assert!(before.elapsed() >= delay);
    server.recover();

    server.inject(Fault::RefuseConnections);
    assert!(settings().connect(&server.tcp()).await.is_err());
    assert!(settings().connect(&server.websocket()).await.is_err());
    server.recover();
    connect(&server.websocket()).await;
}

#[tokio::test]
async fn a_silent_server_answers_nothing() {
    let server = Server::start().await.unwrap();
    server.inject(Fault::Silence);
    let impatient = Settings {
        call_timeout: Duration::from_millis(50),
        ..settings()
    };
    let (client, _events) = impatient.connect(&server.tcp()).await.unwrap();
    let error = client.send(Command::join_room(0)).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
}

/// The server reports the commands it received, in order and without pings; messages that the schema
/// does not have are sent unchanged.
#[tokio::test]
async fn commands_are_reported_and_any_message_can_be_sent() {
    let server = Server::start().await.unwrap();
    let (client, mut events) = logged_in(&server.tcp(), &Credentials::guest("ann")).await;
    accepted(&client, Command::ping()).await;
    accepted(&client, Command::room_say(0, "hi")).await;
    let login = server.next_command().await;
    assert_eq!(login.user, None);
    let kind = login.command.kinds().next();
    assert!(matches!(kind, Some(CommandKind::Session(_))), "{login:?}");
    let room = server.next_command().await;
    assert_eq!(room.user.as_deref(), Some("ann"));
    let say = server.next_command().await;
    assert_eq!(say.command.to_vec(1), Command::room_say(0, "hi").to_vec(1));

    // An event of number 2027 in game 7.
    let unknown = b"\x08\x02\x22\x07\x08\x07\x12\x03\xda\x7e\x00";
    server.send(unknown);
    let container =
        |message: &ServerMessage<'_>| Some(message.game_event_container().unwrap()?.game_id());
    assert_eq!(event(&mut events, container).await, 7);
    // A session command of number 2000, which the server does not know.
    let bytes = b"\xa2\x06\x03\x82\x7d\x00";
    let command = Command::from_container(&CommandContainer::parse(bytes).unwrap());
    let answer = client.send(command).await.unwrap();
    assert_eq!(answer.code(), Some(ResponseCode::RespFunctionNotAllowed));
}

/// Everybody in a game hears what is said; who leaves is gone, the next player is the host, and the last one closes the
/// game. The server plays no cards.
#[tokio::test]
async fn players_talk_and_leave() {
    let server = Server::start().await.unwrap();
    let (ann, mut heard_by_ann) = logged_in(&server.tcp(), &Credentials::guest("ann")).await;
    let (ben, mut heard_by_ben) = logged_in(&server.tcp(), &Credentials::guest("ben")).await;
    let ok = Some(ResponseCode::RespOk);
    let code = |answer: Result<Answer, CallError>| answer.unwrap().code();
    let create = Command::room(0, CreateGame::default());
    assert_eq!(code(ann.send(create).await), ok);
    let (game, ..) = event(&mut heard_by_ann, joined).await;
    let join = || {
        let game_id = Some(game);
        Command::room(
            0,
            JoinGame {
                game_id,
                ..JoinGame::default()
            },
        )
    };
    assert_eq!(code(ben.send(join()).await), ok);
    let full = logged_in(&server.tcp(), &Credentials::guest("cleo")).await;
    let refused = Some(ResponseCode::RespGameFull);
    assert_eq!(code(full.0.send(join()).await), refused);

    let message = Some("hi".into());
    let say = Command::game(
        game,
        GameSay {
            message,
            ..GameSay::default()
        },
    );
    assert_eq!(code(ben.send(say).await), ok);
    let said = |message: &ServerMessage<'_>| {
        let container = message.game_event_container().unwrap()?;
        let event = container.event_list().next()?.unwrap();
        let say: event::GameSay<'_> = event.get().unwrap()?;
        Some((event.player_id(), say.message().unwrap().to_owned()))
    };
    for events in [&mut heard_by_ann, &mut heard_by_ben] {
        assert_eq!(event(events, said).await, (1, "hi".to_owned()));
    }
    let draw = Command::game(game, DrawCards::default());
    let refused = Some(ResponseCode::RespFunctionNotAllowed);
    assert_eq!(code(ann.send(draw).await), refused);

    let leave = || Command::game(game, LeaveGame::default());
    assert_eq!(code(ann.send(leave()).await), ok);
    let host = |message: &ServerMessage<'_>| {
        let container = message.game_event_container().unwrap()?;
        let event = container.event_list().next()?.unwrap();
        event.get::<event::GameHostChanged<'_>>().unwrap()?;
        Some(event.player_id())
    };
    assert_eq!(event(&mut heard_by_ben, host).await, 1);
    assert_eq!(code(ben.send(leave()).await), ok);
    let closed = |message: &ServerMessage<'_>| {
        let event = message.room_event().unwrap()?;
        let list: event::ListGames<'_> = event.get().unwrap()?;
        let game = list.game_list().next()?.unwrap();
        (game.closed()).then_some(game.game_id())
    };
    assert_eq!(event(&mut heard_by_ann, closed).await, game);
    let gone = Some(ResponseCode::RespNameNotFound);
    assert_eq!(code(ann.send(join()).await), gone);
}
