// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::context::GameEventContext;
use crate::game::schema::generated::info::Arrow;
use crate::game::schema::generated::info::Card;
use crate::game::schema::generated::info::CardAttribute;
use crate::game::schema::generated::info::Counter;
use crate::game::schema::generated::info::Game;
use crate::game::schema::generated::info::GameType;
use crate::game::schema::generated::info::Player;
use crate::game::schema::generated::info::PlayerProperties;
use crate::game::schema::generated::info::ReplayMatch;
use crate::game::schema::generated::info::Room;
use crate::game::schema::generated::info::User;

message! {
    /// An event of the session.
    pub struct SessionEvent = "SessionEvent" {
        100 to max: SessionEventPayload;
    }

    /// An event in a room.
    pub struct RoomEvent = "RoomEvent" {
        /// Number of the room.
        room_id: optional sint32 = 1;
        100 to max: RoomEventPayload;
    }

    /// An event in a game, usually an action of a player.
    pub struct GameEvent = "GameEvent" {
        /// Number of the player; -1 if no player caused it.
        player_id: optional sint32 = 1, default -1;
        100 to max: GameEventPayload;
    }

    /// Events in a game, in order.
    pub struct GameEventContainer = "GameEventContainer" {
        /// Number of the game.
        game_id: optional uint32 = 1;
        /// Description.
        event_list: repeated message GameEvent = 2;
        /// The action that they belong to.
        context: optional message GameEventContext = 3;
        /// Seconds since the game began. Only in recorded games.
        seconds_elapsed: optional uint32 = 4;
        /// Number of the judge who caused them.
        forced_by_judge: optional uint32 = 5;
    }

    /// An arrow was drawn.
    pub struct CreateArrow = "Event_CreateArrow" {
        /// The arrow.
        arrow_info: optional message Arrow = 1;
    }

    /// An arrow was deleted.
    pub struct DeleteArrow = "Event_DeleteArrow" {
        /// Number of the arrow.
        arrow_id: optional sint32 = 1;
    }

    /// The player drew cards.
    pub struct DrawCards = "Event_DrawCards" {
        /// Number of cards.
        number: optional sint32 = 1;
        /// The cards, as far as they are visible to the receiver.
        cards: repeated message Card = 2;
    }

    /// The player revealed cards.
    pub struct RevealCards = "Event_RevealCards" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Numbers of the cards.
        card_id: repeated sint32 = 2;
        /// Number of the player to whom they are revealed; -1 for all.
        other_player_id: optional sint32 = 3, default -1;
        /// The cards, as far as they are visible to the receiver.
        cards: repeated message Card = 4;
        /// Whether the others may move them.
        grant_write_access: optional bool = 5;
        /// Number of cards.
        number_of_cards: optional uint32 = 6;
    }

    /// The player shuffled a zone.
    pub struct Shuffle = "Event_Shuffle" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// The first position.
        start: optional sint32 = 2;
        /// The last position; -1 for the end of the zone.
        end: optional sint32 = 3, default -1;
    }

    /// The player moved a card.
    pub struct MoveCard = "Event_MoveCard" {
        /// Number of the card.
        card_id: optional sint32 = 1, default -1;
        /// Name of the card.
        card_name: optional string = 2;
        /// Number of the source player.
        start_player_id: optional sint32 = 3, default -1;
        /// Source zone.
        start_zone: optional string = 4;
        /// Position in the zone that it comes from.
        position: optional sint32 = 5, default -1;
        /// Number of the target player.
        target_player_id: optional sint32 = 6, default -1;
        /// Target zone.
        target_zone: optional string = 7;
        /// Column, or position in the zone.
        x: optional sint32 = 8, default -1;
        /// Row on the table.
        y: optional sint32 = 9, default -1;
        /// Its new number.
        new_card_id: optional sint32 = 10, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 11;
        /// The printing of the card.
        new_card_provider_id: optional string = 12;
    }

    /// The player turned a card over.
    pub struct FlipCard = "Event_FlipCard" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Name of the card.
        card_name: optional string = 3;
        /// Whether it lies face down.
        face_down: optional bool = 4;
        /// Printing of the card.
        card_provider_id: optional string = 5;
    }

    /// A card was destroyed.
    pub struct DestroyCard = "Event_DestroyCard" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional uint32 = 2;
    }

    /// A card was attached to another one; without a target, detached.
    pub struct AttachCard = "Event_AttachCard" {
        /// Source zone.
        start_zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Number of the target player.
        target_player_id: optional sint32 = 3;
        /// Target zone.
        target_zone: optional string = 4;
        /// Number of the target card.
        target_card_id: optional sint32 = 5;
    }

    /// The player created a token.
    pub struct CreateToken = "Event_CreateToken" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Its name.
        card_name: optional string = 3;
        /// Colour.
        color: optional string = 4;
        /// Power and toughness.
        pt: optional string = 5;
        /// Note on it.
        annotation: optional string = 6;
        /// Whether it ceases to exist when it leaves the table.
        destroy_on_zone_change: optional bool = 7;
        /// Column, or position in the zone.
        x: optional sint32 = 8;
        /// Row on the table.
        y: optional sint32 = 9;
        /// Printing of the card.
        card_provider_id: optional string = 10;
        /// Whether it lies face down.
        face_down: optional bool = 11;
    }

    /// An attribute of a card changed; without a card, of all cards in the zone.
    pub struct SetCardAttr = "Event_SetCardAttr" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// The attribute.
        attribute: optional enum CardAttribute = 3;
        /// Its new value; `1` or `0` for booleans.
        attr_value: optional string = 4;
    }

    /// A counter on a card changed.
    pub struct SetCardCounter = "Event_SetCardCounter" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Number of the counter.
        counter_id: optional sint32 = 3;
        /// Its new value.
        counter_value: optional sint32 = 4;
    }

    /// The player looks at a zone.
    pub struct DumpZone = "Event_DumpZone" {
        /// Number of the player whose zone it is.
        zone_owner_id: optional sint32 = 1;
        /// Name of the zone.
        zone_name: optional string = 2;
        /// Number of cards from the top; -1 for all.
        number_cards: optional sint32 = 3;
        /// Whether positions are counted from the bottom.
        is_reversed: optional bool = 4;
    }

    /// The visibility of a zone's top card changed.
    pub struct ChangeZoneProperties = "Event_ChangeZoneProperties" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Whether its top card is revealed to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }

    /// A player or spectator joined the game.
    pub struct Join = "Event_Join" {
        /// The player.
        player_properties: optional message PlayerProperties = 1;
    }

    /// A player or spectator left the game.
    pub struct Leave = "Event_Leave" {
        /// Reason.
        reason: optional enum LeaveReason = 1;
    }

    /// The game was closed.
    pub struct GameClosed = "Event_GameClosed" {}

    /// The player is the new host.
    pub struct GameHostChanged = "Event_GameHostChanged" {}

    /// The client was kicked from the game.
    pub struct Kicked = "Event_Kicked" {}

    /// The complete state of the game.
    pub struct GameStateChanged = "Event_GameStateChanged" {
        /// The players.
        player_list: repeated message Player = 1;
        /// Whether the game is being played.
        game_started: optional bool = 2;
        /// Number of the player whose turn it is; -1 before the start.
        active_player_id: optional sint32 = 3;
        /// Number of the phase; -1 before the start.
        active_phase: optional sint32 = 4;
        /// Seconds since the game began.
        seconds_elapsed: optional uint32 = 5;
        /// Number of the client's own player. Newer than the recorded server.
        local_player_id: optional sint32 = 6;
    }

    /// Properties of a player that changed, to be merged.
    pub struct PlayerPropertiesChanged = "Event_PlayerPropertiesChanged" {
        /// The player.
        player_properties: optional message PlayerProperties = 1;
    }

    /// The player sent a chat message.
    pub struct GameSay = "Event_GameSay" {
        /// The text.
        message: optional string = 1;
    }

    /// The player rolled dice.
    pub struct RollDie = "Event_RollDie" {
        /// Number of sides of a die.
        sides: optional uint32 = 1;
        /// The first result.
        value: optional uint32 = 2;
        /// All results.
        values: repeated uint32 = 3;
    }

    /// The turn passed to another player.
    pub struct SetActivePlayer = "Event_SetActivePlayer" {
        /// Number of the player whose turn it is; -1 before the start.
        active_player_id: optional sint32 = 1;
    }

    /// The phase of the turn changed.
    pub struct SetActivePhase = "Event_SetActivePhase" {
        /// Number of the phase.
        phase: optional sint32 = 1;
    }

    /// The order of turns was reversed.
    pub struct ReverseTurn = "Event_ReverseTurn" {
        /// Whether the order is now reversed.
        reversed: optional bool = 1;
    }

    /// A line for the log of the game.
    pub struct GameLogNotice = "Event_GameLogNotice" {
        /// The type of the line.
        notice_type: optional enum Notice = 1;
    }

    /// A counter of the player was created.
    pub struct CreateCounter = "Event_CreateCounter" {
        /// The counter.
        counter_info: optional message Counter = 1;
    }

    /// A counter of the player changed.
    pub struct SetCounter = "Event_SetCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1;
        /// Its new value.
        value: optional sint32 = 2;
    }

    /// A counter of the player was deleted.
    pub struct DelCounter = "Event_DelCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1;
    }

    /// A counter of casts was created.
    ///
    /// Newer than the recorded server.
    pub struct CreateCastCount = "Event_CreateCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }

    /// A counter of casts was deleted.
    ///
    /// Newer than the recorded server.
    pub struct DeleteCastCount = "Event_DeleteCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }

    /// A counter of casts changed.
    ///
    /// Newer than the recorded server.
    pub struct SetCastCount = "Event_SetCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
        /// Its new value.
        value: optional sint32 = 2;
    }

    /// A user left the room.
    pub struct LeaveRoom = "Event_LeaveRoom" {
        /// Name of the user.
        name: optional string = 1;
    }

    /// A user joined the room.
    pub struct JoinRoom = "Event_JoinRoom" {
        /// The user.
        user_info: optional message User = 1;
    }

    /// A chat message in the room.
    pub struct RoomSay = "Event_RoomSay" {
        /// Name of the sender; empty for history and welcome.
        name: optional string = 1;
        /// The text.
        message: optional string = 2;
        /// Its origin.
        message_type: optional enum RoomMessageType = 3;
        /// Time, in milliseconds since 1970.
        time_of: optional uint64 = 4;
    }

    /// Games that are new or changed, to be merged; a closed one is to be removed.
    pub struct ListGames = "Event_ListGames" {
        /// The games.
        game_list: repeated message Game = 1;
    }

    /// The last messages of a user are to be removed.
    pub struct RemoveMessages = "Event_RemoveMessages" {
        /// Name of the user.
        name: optional string = 1;
        /// Number of messages.
        amount: optional uint32 = 2;
    }

    /// The identification of the server, its first message.
    pub struct ServerIdentification = "Event_ServerIdentification" {
        /// Name of the server.
        server_name: optional string = 1;
        /// Its version.
        server_version: optional string = 2;
        /// Protocol version, 14 at the time of writing; a client must disconnect if it does not support it.
        protocol_version: optional uint32 = 3;
        /// Its features.
        server_options: optional enum ServerOptions = 4;
    }

    /// All users and rooms of a server. Between servers only.
    pub struct ServerCompleteList = "Event_ServerCompleteList" {
        /// Number of the server.
        server_id: optional uint32 = 1;
        /// The users.
        user_list: repeated message User = 2;
        /// The rooms.
        room_list: repeated message Room = 3;
    }

    /// The message of the day, as HTML.
    pub struct ServerMessage = "Event_ServerMessage" {
        /// The text.
        message: optional string = 1;
    }

    /// The server will shut down.
    pub struct ServerShutdown = "Event_ServerShutdown" {
        /// Reason given by the administrator.
        reason: optional string = 1;
        /// Delay in minutes.
        minutes: optional uint32 = 2;
    }

    /// Why a server closes the connection.
    pub struct ConnectionClosed = "Event_ConnectionClosed" {
        /// The reason.
        reason: optional enum CloseReason = 1;
        /// The reason as text.
        reason_str: optional string = 2;
        /// When the ban ends, in seconds since 1970.
        end_time: optional uint32 = 3;
    }

    /// A private message.
    pub struct UserMessage = "Event_UserMessage" {
        /// Name of the sender.
        sender_name: optional string = 1;
        /// Name of the receiver.
        receiver_name: optional string = 2;
        /// The text.
        message: optional string = 3;
    }

    /// The rooms; later ones contain only changes, to be merged.
    pub struct ListRooms = "Event_ListRooms" {
        /// The rooms.
        room_list: repeated message Room = 1;
    }

    /// A user was added to a list of the caller.
    pub struct AddToList = "Event_AddToList" {
        /// Name of the list: `buddy` or `ignore`.
        list_name: optional string = 1;
        /// The user.
        user_info: optional message User = 2;
    }

    /// A user was removed from a list of the caller.
    pub struct RemoveFromList = "Event_RemoveFromList" {
        /// Name of the list: `buddy` or `ignore`.
        list_name: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// A user logged in or changed.
    pub struct UserJoined = "Event_UserJoined" {
        /// The user.
        user_info: optional message User = 1;
    }

    /// A user logged out.
    pub struct UserLeft = "Event_UserLeft" {
        /// Name of the user.
        name: optional string = 1;
    }

    /// The client joined or rejoined a game.
    pub struct GameJoined = "Event_GameJoined" {
        /// The game.
        game_info: optional message Game = 1;
        /// The game types of the room.
        game_types: repeated message GameType = 2;
        /// Number of the host.
        host_id: optional sint32 = 3;
        /// Number of the player.
        player_id: optional sint32 = 4;
        /// Whether the client is a spectator.
        spectator: optional bool = 5;
        /// Whether the client rejoined it.
        resuming: optional bool = 6;
        /// Whether the client is a judge.
        judge: optional bool = 7;
    }

    /// A notification for the user.
    pub struct NotifyUser = "Event_NotifyUser" {
        /// Its type.
        r#type: optional enum Notification = 1, json "type";
        /// Reason of a warning.
        warning_reason: optional string = 2;
        /// A title.
        custom_title: optional string = 3;
        /// A text.
        custom_content: optional string = 4;
    }

    /// A recorded match was added.
    pub struct ReplayAdded = "Event_ReplayAdded" {
        /// The match.
        match_info: optional message ReplayMatch = 1;
    }
}

enumeration! {
    /// Why a participant left a game.
    pub enum LeaveReason {
        /// Another reason.
        Other = 1 ("OTHER"),
        /// Kicked.
        UserKicked = 2 ("USER_KICKED"),
        /// By choice.
        UserLeft = 3 ("USER_LEFT"),
        /// Disconnected.
        UserDisconnected = 4 ("USER_DISCONNECTED"),
    }

    /// A line for the log of a game.
    pub enum Notice {
        /// There was no drawn card to put back.
        UndoDrawFailed = 1 ("UNDO_DRAW_FAILED"),
    }

    /// The origin of a chat message in a room.
    pub enum RoomMessageType {
        /// A user sent it just now.
        UserMessage = 0,
        /// The welcome message of the room.
        Welcome = 1,
        /// From the history, before the client joined.
        ChatHistory = 2,
    }

    /// The features of a server.
    pub enum ServerOptions {
        /// None.
        NoOptions = 0,
        /// It accepts hashed passwords.
        SupportsPasswordHash = 1,
    }

    /// Why a server closes the connection.
    pub enum CloseReason {
        /// Another reason, given as text.
        Other = 1 ("OTHER"),
        /// The server is shutting down.
        ServerShutdown = 2 ("SERVER_SHUTDOWN"),
        /// Too many connections from this address.
        TooManyConnections = 3 ("TOO_MANY_CONNECTIONS"),
        /// The user is banned.
        Banned = 4 ("BANNED"),
        /// The server does not accept the user name.
        UsernameInvalid = 5 ("USERNAMEINVALID"),
        /// Too many users.
        UserLimitReached = 6 ("USER_LIMIT_REACHED"),
        /// The user lost their rights and must log in again.
        Demoted = 7 ("DEMOTED"),
        /// The user logged in elsewhere.
        LoggedInElsewhere = 8 ("LOGGEDINELSEWERE"),
    }

    /// The type of a notification.
    pub enum Notification {
        /// Unknown.
        Unknown = 0 ("UNKNOWN"),
        /// The user was promoted.
        Promoted = 1 ("PROMOTED"),
        /// The user was warned.
        Warning = 2 ("WARNING"),
        /// The user will be disconnected for inactivity.
        IdleWarning = 3 ("IDLEWARNING"),
        /// As title and text say.
        Custom = 4 ("CUSTOM"),
        /// A report of the user was closed.
        ReportResolved = 5 ("REPORT_RESOLVED"),
        /// A report of the user received a comment.
        ReportComment = 6 ("REPORT_COMMENT"),
    }
}

family! {
    /// The kinds of payloads of `SessionEvent`.
    pub enum SessionEventKind;
    /// A payload of `SessionEvent`.
    pub enum SessionEventPayload;

    ServerIdentification = 500 "SERVER_IDENTIFICATION" "[Event_ServerIdentification.ext]";
    ServerCompleteList = 600 "SERVER_COMPLETE_LIST" "[Event_ServerCompleteList.ext]";
    ServerMessage = 1000 "SERVER_MESSAGE" "[Event_ServerMessage.ext]";
    ServerShutdown = 1001 "SERVER_SHUTDOWN" "[Event_ServerShutdown.ext]";
    ConnectionClosed = 1002 "CONNECTION_CLOSED" "[Event_ConnectionClosed.ext]";
    UserMessage = 1003 "USER_MESSAGE" "[Event_UserMessage.ext]";
    ListRooms = 1004 "LIST_ROOMS" "[Event_ListRooms.ext]";
    AddToList = 1005 "ADD_TO_LIST" "[Event_AddToList.ext]";
    RemoveFromList = 1006 "REMOVE_FROM_LIST" "[Event_RemoveFromList.ext]";
    UserJoined = 1007 "USER_JOINED" "[Event_UserJoined.ext]";
    UserLeft = 1008 "USER_LEFT" "[Event_UserLeft.ext]";
    GameJoined = 1009 "GAME_JOINED" "[Event_GameJoined.ext]";
    NotifyUser = 1010 "NOTIFY_USER" "[Event_NotifyUser.ext]";
    ReplayAdded = 1100 "REPLAY_ADDED" "[Event_ReplayAdded.ext]";
}

family! {
    /// The kinds of payloads of `RoomEvent`.
    pub enum RoomEventKind;
    /// A payload of `RoomEvent`.
    pub enum RoomEventPayload;

    LeaveRoom = 1000 "LEAVE_ROOM" "[Event_LeaveRoom.ext]";
    JoinRoom = 1001 "JOIN_ROOM" "[Event_JoinRoom.ext]";
    RoomSay = 1002 "ROOM_SAY" "[Event_RoomSay.ext]";
    ListGames = 1003 "LIST_GAMES" "[Event_ListGames.ext]";
    RemoveMessages = 1004 "REMOVE_MESSAGES" "[Event_RemoveMessages.ext]";
}

family! {
    /// The kinds of payloads of `GameEvent`.
    pub enum GameEventKind;
    /// A payload of `GameEvent`.
    pub enum GameEventPayload;

    Join = 1000 "JOIN" "[Event_Join.ext]";
    Leave = 1001 "LEAVE" "[Event_Leave.ext]";
    GameClosed = 1002 "GAME_CLOSED" "[Event_GameClosed.ext]";
    GameHostChanged = 1003 "GAME_HOST_CHANGED" "[Event_GameHostChanged.ext]";
    Kicked = 1004 "KICKED" "[Event_Kicked.ext]";
    GameStateChanged = 1005 "GAME_STATE_CHANGED" "[Event_GameStateChanged.ext]";
    PlayerPropertiesChanged = 1007 "PLAYER_PROPERTIES_CHANGED" "[Event_PlayerPropertiesChanged.ext]";
    GameSay = 1009 "GAME_SAY" "[Event_GameSay.ext]";
    CreateArrow = 2000 "CREATE_ARROW" "[Event_CreateArrow.ext]";
    DeleteArrow = 2001 "DELETE_ARROW" "[Event_DeleteArrow.ext]";
    CreateCounter = 2002 "CREATE_COUNTER" "[Event_CreateCounter.ext]";
    SetCounter = 2003 "SET_COUNTER" "[Event_SetCounter.ext]";
    DelCounter = 2004 "DEL_COUNTER" "[Event_DelCounter.ext]";
    DrawCards = 2005 "DRAW_CARDS" "[Event_DrawCards.ext]";
    RevealCards = 2006 "REVEAL_CARDS" "[Event_RevealCards.ext]";
    Shuffle = 2007 "SHUFFLE" "[Event_Shuffle.ext]";
    RollDie = 2008 "ROLL_DIE" "[Event_RollDie.ext]";
    MoveCard = 2009 "MOVE_CARD" "[Event_MoveCard.ext]";
    FlipCard = 2010 "FLIP_CARD" "[Event_FlipCard.ext]";
    DestroyCard = 2011 "DESTROY_CARD" "[Event_DestroyCard.ext]";
    AttachCard = 2012 "ATTACH_CARD" "[Event_AttachCard.ext]";
    CreateToken = 2013 "CREATE_TOKEN" "[Event_CreateToken.ext]";
    SetCardAttr = 2014 "SET_CARD_ATTR" "[Event_SetCardAttr.ext]";
    SetCardCounter = 2015 "SET_CARD_COUNTER" "[Event_SetCardCounter.ext]";
    SetActivePlayer = 2016 "SET_ACTIVE_PLAYER" "[Event_SetActivePlayer.ext]";
    SetActivePhase = 2017 "SET_ACTIVE_PHASE" "[Event_SetActivePhase.ext]";
    DumpZone = 2018 "DUMP_ZONE" "[Event_DumpZone.ext]";
    ChangeZoneProperties = 2020 "CHANGE_ZONE_PROPERTIES" "[Event_ChangeZoneProperties.ext]";
    ReverseTurn = 2021 "REVERSE_TURN" "[Event_ReverseTurn.ext]";
    GameLogNotice = 2022 "GAME_LOG_NOTICE" "[Event_GameLogNotice.ext]";
    CreateCastCount = 2024 "CREATE_CAST_COUNT" "[Event_CreateCastCount.ext]";
    DeleteCastCount = 2025 "DELETE_CAST_COUNT" "[Event_DeleteCastCount.ext]";
    SetCastCount = 2026 "SET_CAST_COUNT" "[Event_SetCastCount.ext]";
}
