//! The server for tests (`portreeve::game::testing`), used by the client.

use std::time::Duration;

use futures_util::StreamExt;
use portreeve::game::client::{
    CallError, Client, Credentials, End, Events, LoginError, RequestError, Settings,
};
use portreeve::game::connection::Address;
use portreeve::game::event::{RoomSay, UserMessage};
use portreeve::game::testing::{Fault, Server};
use portreeve::game::{
    Command, CommandContainer, CommandKind, Message as _, ResponseCode, ServerMessage,
};
use tokio::time::Instant;
use zeroize::Zeroizing;

/// How long to wait for an expected event.
const SOON: Duration = Duration::from_secs(30);

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.flood_limits = None;
    settings
}

async fn connect(address: &Address) -> (Client, Events) {
    settings().connect(address).await.unwrap()
}

fn account(user: &str, password: &str) -> Credentials {
    Credentials::account(user, Zeroizing::new(password.to_owned()))
}

async fn accepted(client: &Client, command: Command) {
    client.request(command).await.unwrap();
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
    tokio::time::timeout(SOON, first).await.expect("no such event came")
}

/// Who said something in a room, and what.
fn said(message: &ServerMessage<'_>) -> Option<(String, String)> {
    let say: RoomSay<'_> = message.room_event().unwrap()?.get().unwrap()?;
    let name = say.name().unwrap();
    (!name.is_empty()).then(|| (name.to_owned(), say.message().unwrap().to_owned()))
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
    let (ann, mut heard_by_ann) = logged_in(&server.tcp, &account("ann", "secret")).await;
    let (ben, mut heard_by_ben) = logged_in(&server.websocket, &Credentials::guest("ben")).await;
    assert_eq!(server.users(), ["ann", "ben"]);
    accepted(&ben, Command::room_say(0, "hi")).await;
    for events in [&mut heard_by_ann, &mut heard_by_ben] {
        assert_eq!(event(events, said).await, ("ben".into(), "hi".into()));
    }
    let nowhere = ben.send(Command::join_room(2)).await.unwrap();
    assert_eq!(nowhere.response.code(), Some(ResponseCode::RespNameNotFound));
    ann.close().await;
    let second = logged_in(&server.tcp, &Credentials::guest("ben")).await;
    let users = second.0.send(Command::list_users()).await.unwrap();
    let users: portreeve::game::payload::ListUsers<'_> = users.response.get().unwrap();
    assert!(users.user_list().any(|user| user.unwrap().name().unwrap() == "ben_1"));
}

/// What a command would have sent is not sent to whoever asks next, if a later command of its container is refused.
#[tokio::test]
async fn nobody_gets_the_messages_of_another_user() {
    let server = Server::builder().room("Main").start().await.unwrap();
    let (ann, _events) = connect(&server.tcp).await;
    ann.login(&Credentials::guest("ann")).await.unwrap();
    let (bob, mut events) = connect(&server.tcp).await;
    bob.login(&Credentials::guest("bob")).await.unwrap();
    // One container: repeated fields of messages one after the other are merged.
    let both = [Command::join_room(0), Command::join_room(99)];
    let both = both.map(|it| it.container().to_vec()).concat();
    let both = Command::from_container(&CommandContainer::parse(&both).unwrap());
    assert_eq!(both.kinds().count(), 2);
    let refused = ann.send(both).await.unwrap();
    assert!(refused.into_accepted().is_err());

    bob.send(Command::ping()).await.unwrap();
    let joined = bob.send(Command::join_room(0)).await.unwrap();
    joined.into_accepted().unwrap();
    // The welcome follows the answer, and comes before this one.
    bob.send(Command::ping()).await.unwrap();
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

/// A private message is sent to both of its users, and to nobody else.
#[tokio::test]
async fn users_talk_in_private() {
    let server = Server::start().await.unwrap();
    let (ann, mut of_ann) = logged_in(&server.tcp, &Credentials::guest("ann")).await;
    let (_ben, mut of_ben) = logged_in(&server.websocket, &Credentials::guest("ben")).await;
    let (_eve, mut of_eve) = logged_in(&server.tcp, &Credentials::guest("eve")).await;
    accepted(&ann, Command::user_message("ben", "psst")).await;
    for events in [&mut of_ann, &mut of_ben] {
        let told = event(events, |message| {
            let told: UserMessage<'_> = message.session_event().unwrap()?.get().unwrap()?;
            let names = (told.sender_name().unwrap(), told.receiver_name().unwrap());
            Some((names.0.to_owned(), names.1.to_owned(), told.message().unwrap().to_owned()))
        });
        assert_eq!(told.await, ("ann".to_owned(), "ben".to_owned(), "psst".to_owned()));
    }
    let nobody = ann.request(Command::user_message("nobody", "psst")).await;
    let Err(RequestError::Refused(nobody)) = nobody else { panic!("{nobody:?}") };
    assert_eq!(nobody.code, Some(ResponseCode::RespNameNotFound));
    accepted(&ann, Command::room_say(0, "aloud")).await;
    let first = event(&mut of_eve, |message| {
        let private = message
            .session_event()
            .unwrap()
            .is_some_and(|event| event.get::<UserMessage<'_>>().unwrap().is_some());
        if private { Some(None) } else { said(message).map(Some) }
    });
    assert_eq!(first.await, Some(("ann".to_owned(), "aloud".to_owned())));
    // Chat counts, in private too.
    server.inject(Fault::Flood { commands: 1, window: SOON });
    accepted(&ann, Command::user_message("ben", "once")).await;
    let twice = ann.send(Command::user_message("ben", "twice")).await.unwrap();
    assert_eq!(twice.response.code(), Some(ResponseCode::RespChatFlood));
}

#[tokio::test]
async fn accounts_need_their_password() {
    let server = Server::builder().account("ann", "secret").start().await.unwrap();
    let (client, _events) = connect(&server.tcp).await;
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
    assert_eq!(before.response.code(), Some(ResponseCode::RespNotInRoom));
    // A second login ends the first.
    let (second, _events) = connect(&server.websocket).await;
    second.login(&account("ann", "secret")).await.unwrap();
    assert!(matches!(client.ended().await, End::Kicked(_)), "{:?}", client.ended().await);
    assert_eq!(server.users(), ["ann"]);
}

#[tokio::test]
async fn faults_are_injected_and_removed() {
    let server = Server::start().await.unwrap();
    let (client, _events) = connect(&server.tcp).await;
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
    server.inject(Fault::Flood { commands: 2, window });
    let mut codes = Vec::new();
    for _ in 0..3 {
        codes.extend(client.send(Command::room_say(0, "hi")).await.unwrap().response.code());
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
    assert!(settings().connect(&server.tcp).await.is_err());
    assert!(settings().connect(&server.websocket).await.is_err());
    server.recover();
    connect(&server.websocket).await;
}

#[tokio::test]
async fn a_silent_server_answers_nothing() {
    let server = Server::start().await.unwrap();
    server.inject(Fault::Silence);
    let mut impatient = settings();
    impatient.call_timeout = Duration::from_millis(50);
    let (client, _events) = impatient.connect(&server.tcp).await.unwrap();
    let error = client.send(Command::join_room(0)).await.unwrap_err();
    assert!(matches!(error, CallError::Timeout { .. }), "{error}");
}

/// The server reports the commands it received, in order and without pings; messages that the schema
/// does not have are sent unchanged.
#[tokio::test]
async fn commands_are_reported_and_any_message_can_be_sent() {
    let server = Server::start().await.unwrap();
    let (client, mut events) = logged_in(&server.tcp, &Credentials::guest("ann")).await;
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
    assert_eq!(answer.response.code(), Some(ResponseCode::RespFunctionNotAllowed));
}

/// As by Servatrice: the last one first, and a refusal ends nothing.
#[tokio::test]
async fn a_container_is_carried_out_from_its_last_command() {
    let server = Server::start().await.unwrap();
    let (client, mut events) = logged_in(&server.tcp, &Credentials::guest("ann")).await;
    let both = |commands: [Command; 2]| {
        // Repeated fields of messages one after the other are merged.
        let bytes = commands.map(|command| command.container().to_vec()).concat();
        Command::from_container(&CommandContainer::parse(&bytes).unwrap())
    };
    let says = both([Command::room_say(0, "first"), Command::room_say(0, "last")]);
    accepted(&client, says).await;
    assert_eq!(event(&mut events, said).await.1, "last");
    assert_eq!(event(&mut events, said).await.1, "first");
    // What is said after leaving is refused; the room is left nevertheless, and the answer says so.
    let leaves = both([Command::room_say(0, "bye"), Command::leave_room(0)]);
    let answer = client.send(leaves).await.unwrap();
    assert_eq!(answer.response.code(), Some(ResponseCode::RespNotInRoom));
    let again = client.send(Command::room_say(0, "again")).await.unwrap();
    assert_eq!(again.response.code(), Some(ResponseCode::RespNotInRoom));
    // The one that is refused comes first.
    let nowhere = both([Command::join_room(0), Command::join_room(99)]);
    let answer = client.send(nowhere).await.unwrap();
    assert_eq!(answer.response.code(), Some(ResponseCode::RespNameNotFound));
    accepted(&client, Command::room_say(0, "here")).await;
    assert_eq!(event(&mut events, said).await.1, "here");
}

/// As a bot in another language that begins with a command: a real server ignores that.
#[tokio::test]
async fn a_session_begins_with_a_container_without_an_id() {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    let server = Server::start().await.unwrap();
    let address = (server.tcp.host(), server.tcp.port());
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    // The greeting.
    let mut greeting = [0; 60];
    stream.read_exact(&mut greeting).await.unwrap();
    // With `cmd_id` 1.
    stream.write_all(&[0, 0, 0, 2, 8, 1]).await.unwrap();
    let mut byte = [0];
    let early = tokio::time::timeout(Duration::from_millis(100), stream.read(&mut byte)).await;
    assert!(early.is_err(), "{early:?}");
    stream.write_all(&[0; 4]).await.unwrap();
    let identified = tokio::time::timeout(SOON, stream.read(&mut byte)).await;
    assert_eq!(identified.unwrap().unwrap(), 1);
}
