// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::context::GameEventContext;
use crate::game::schema::generated::info::{
    Arrow, Card, CardAttribute, Counter, Game, GameType, Player, PlayerProperties, ReplayMatch,
    Room, User,
};

message! {
    /// An event of the session.
    pub struct SessionEvent = "SessionEvent" {
        100 to max: SessionEventPayload;
    }

    /// An event in a room.
    pub struct RoomEvent = "RoomEvent" {
        room_id: optional sint32 = 1, "Number of the room.";
        100 to max: RoomEventPayload;
    }

    /// An event in a game, usually an action of a player.
    pub struct GameEvent = "GameEvent" {
        player_id: optional sint32 = 1, default -1, "Number of the player; -1 if no player caused it.";
        100 to max: GameEventPayload;
    }

    /// Events in a game, in order.
    pub struct GameEventContainer = "GameEventContainer" {
        game_id: optional uint32 = 1, "Number of the game.";
        event_list: repeated message GameEvent = 2, "Description.";
        context: optional message GameEventContext = 3, "The action that they belong to.";
        seconds_elapsed: optional uint32 = 4, "Seconds since the game began. Only in recorded games.";
        forced_by_judge: optional uint32 = 5, "Number of the judge who caused them.";
    }

    /// An arrow was drawn.
    pub struct CreateArrow = "Event_CreateArrow" {
        arrow_info: optional message Arrow = 1, "The arrow.";
    }

    /// An arrow was deleted.
    pub struct DeleteArrow = "Event_DeleteArrow" {
        arrow_id: optional sint32 = 1, "Number of the arrow.";
    }

    /// The player drew cards.
    pub struct DrawCards = "Event_DrawCards" {
        number: optional sint32 = 1, "Number of cards.";
        cards: repeated message Card = 2, "The cards, as far as they are visible to the receiver.";
    }

    /// The player revealed cards.
    pub struct RevealCards = "Event_RevealCards" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: repeated sint32 = 2, "Numbers of the cards.";
        other_player_id: optional sint32 = 3, default -1, "Number of the player to whom they are revealed; -1 for all.";
        cards: repeated message Card = 4, "The cards, as far as they are visible to the receiver.";
        grant_write_access: optional bool = 5, "Whether the others may move them.";
        number_of_cards: optional uint32 = 6, "Number of cards.";
    }

    /// The player shuffled a zone.
    pub struct Shuffle = "Event_Shuffle" {
        zone_name: optional string = 1, "Name of the zone.";
        start: optional sint32 = 2, "The first position.";
        end: optional sint32 = 3, default -1, "The last position; -1 for the end of the zone.";
    }

    /// The player moved a card.
    pub struct MoveCard = "Event_MoveCard" {
        card_id: optional sint32 = 1, default -1, "Number of the card.";
        card_name: optional string = 2, "Name of the card.";
        start_player_id: optional sint32 = 3, default -1, "Number of the source player.";
        start_zone: optional string = 4, "Source zone.";
        position: optional sint32 = 5, default -1, "Position in the zone that it comes from.";
        target_player_id: optional sint32 = 6, default -1, "Number of the target player.";
        target_zone: optional string = 7, "Target zone.";
        x: optional sint32 = 8, default -1, "Column, or position in the zone.";
        y: optional sint32 = 9, default -1, "Row on the table.";
        new_card_id: optional sint32 = 10, default -1, "Its new number.";
        face_down: optional bool = 11, "Whether it lies face down.";
        new_card_provider_id: optional string = 12, "The printing of the card.";
    }

    /// The player turned a card over.
    pub struct FlipCard = "Event_FlipCard" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        card_name: optional string = 3, "Name of the card.";
        face_down: optional bool = 4, "Whether it lies face down.";
        card_provider_id: optional string = 5, "Printing of the card.";
    }

    /// A card was destroyed.
    pub struct DestroyCard = "Event_DestroyCard" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional uint32 = 2, "Number of the card.";
    }

    /// A card was attached to another one; without a target, detached.
    pub struct AttachCard = "Event_AttachCard" {
        start_zone: optional string = 1, "Source zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        target_player_id: optional sint32 = 3, "Number of the target player.";
        target_zone: optional string = 4, "Target zone.";
        target_card_id: optional sint32 = 5, "Number of the target card.";
    }

    /// The player created a token.
    pub struct CreateToken = "Event_CreateToken" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        card_name: optional string = 3, "Its name.";
        color: optional string = 4, "Colour.";
        pt: optional string = 5, "Power and toughness.";
        annotation: optional string = 6, "Note on it.";
        destroy_on_zone_change: optional bool = 7, "Whether it ceases to exist when it leaves the table.";
        x: optional sint32 = 8, "Column, or position in the zone.";
        y: optional sint32 = 9, "Row on the table.";
        card_provider_id: optional string = 10, "Printing of the card.";
        face_down: optional bool = 11, "Whether it lies face down.";
    }

    /// An attribute of a card changed; without a card, of all cards in the zone.
    pub struct SetCardAttr = "Event_SetCardAttr" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        attribute: optional enum CardAttribute = 3, "The attribute.";
        attr_value: optional string = 4, "Its new value; `1` or `0` for booleans.";
    }

    /// A counter on a card changed.
    pub struct SetCardCounter = "Event_SetCardCounter" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        counter_id: optional sint32 = 3, "Number of the counter.";
        counter_value: optional sint32 = 4, "Its new value.";
    }

    /// The player looks at a zone.
    pub struct DumpZone = "Event_DumpZone" {
        zone_owner_id: optional sint32 = 1, "Number of the player whose zone it is.";
        zone_name: optional string = 2, "Name of the zone.";
        number_cards: optional sint32 = 3, "Number of cards from the top; -1 for all.";
        is_reversed: optional bool = 4, "Whether positions are counted from the bottom.";
    }

    /// The visibility of a zone's top card changed.
    pub struct ChangeZoneProperties = "Event_ChangeZoneProperties" {
        zone_name: optional string = 1, "Name of the zone.";
        always_reveal_top_card: optional bool = 10, "Whether its top card is revealed to all.";
        always_look_at_top_card: optional bool = 11, "Whether its owner sees its top card.";
    }

    /// A player or spectator joined the game.
    pub struct Join = "Event_Join" {
        player_properties: optional message PlayerProperties = 1, "The player.";
    }

    /// A player or spectator left the game.
    pub struct Leave = "Event_Leave" {
        reason: optional enum LeaveReason = 1, "Reason.";
    }

    /// The game was closed.
    pub struct GameClosed = "Event_GameClosed" {}

    /// The player is the new host.
    pub struct GameHostChanged = "Event_GameHostChanged" {}

    /// The client was kicked from the game.
    pub struct Kicked = "Event_Kicked" {}

    /// The complete state of the game.
    pub struct GameStateChanged = "Event_GameStateChanged" {
        player_list: repeated message Player = 1, "The players.";
        game_started: optional bool = 2, "Whether the game is being played.";
        active_player_id: optional sint32 = 3, "Number of the player whose turn it is; -1 before the start.";
        active_phase: optional sint32 = 4, "Number of the phase; -1 before the start.";
        seconds_elapsed: optional uint32 = 5, "Seconds since the game began.";
        local_player_id: optional sint32 = 6, "Number of the client's own player. Newer than the recorded server.";
    }

    /// Properties of a player that changed, to be merged.
    pub struct PlayerPropertiesChanged = "Event_PlayerPropertiesChanged" {
        player_properties: optional message PlayerProperties = 1, "The player.";
    }

    /// The player sent a chat message.
    pub struct GameSay = "Event_GameSay" {
        message: optional string = 1, "The text.";
    }

    /// The player rolled dice.
    pub struct RollDie = "Event_RollDie" {
        sides: optional uint32 = 1, "Number of sides of a die.";
        value: optional uint32 = 2, "The first result.";
        values: repeated uint32 = 3, "All results.";
    }

    /// The turn passed to another player.
    pub struct SetActivePlayer = "Event_SetActivePlayer" {
        active_player_id: optional sint32 = 1, "Number of the player whose turn it is; -1 before the start.";
    }

    /// The phase of the turn changed.
    pub struct SetActivePhase = "Event_SetActivePhase" {
        phase: optional sint32 = 1, "Number of the phase.";
    }

    /// The order of turns was reversed.
    pub struct ReverseTurn = "Event_ReverseTurn" {
        reversed: optional bool = 1, "Whether the order is now reversed.";
    }

    /// A line for the log of the game.
    pub struct GameLogNotice = "Event_GameLogNotice" {
        notice_type: optional enum Notice = 1, "The type of the line.";
    }

    /// A counter of the player was created.
    pub struct CreateCounter = "Event_CreateCounter" {
        counter_info: optional message Counter = 1, "The counter.";
    }

    /// A counter of the player changed.
    pub struct SetCounter = "Event_SetCounter" {
        counter_id: optional sint32 = 1, "Number of the counter.";
        value: optional sint32 = 2, "Its new value.";
    }

    /// A counter of the player was deleted.
    pub struct DelCounter = "Event_DelCounter" {
        counter_id: optional sint32 = 1, "Number of the counter.";
    }

    /// A counter of casts was created. Newer than the recorded server.
    pub struct CreateCastCount = "Event_CreateCastCount" {
        index: optional sint32 = 1, default 1, "Number of the counter.";
    }

    /// A counter of casts was deleted. Newer than the recorded server.
    pub struct DeleteCastCount = "Event_DeleteCastCount" {
        index: optional sint32 = 1, default 1, "Number of the counter.";
    }

    /// A counter of casts changed. Newer than the recorded server.
    pub struct SetCastCount = "Event_SetCastCount" {
        index: optional sint32 = 1, default 1, "Number of the counter.";
        value: optional sint32 = 2, "Its new value.";
    }

    /// A user left the room.
    pub struct LeaveRoom = "Event_LeaveRoom" {
        name: optional string = 1, "Name of the user.";
    }

    /// A user joined the room.
    pub struct JoinRoom = "Event_JoinRoom" {
        user_info: optional message User = 1, "The user.";
    }

    /// A chat message in the room.
    pub struct RoomSay = "Event_RoomSay" {
        name: optional string = 1, "Name of the sender; empty for history and welcome.";
        message: optional string = 2, "The text.";
        message_type: optional enum RoomMessageType = 3, "Its origin.";
        time_of: optional uint64 = 4, "Time, in milliseconds since 1970.";
    }

    /// Games that are new or changed, to be merged; a closed one is to be removed.
    pub struct ListGames = "Event_ListGames" {
        game_list: repeated message Game = 1, "The games.";
    }

    /// The last messages of a user are to be removed.
    pub struct RemoveMessages = "Event_RemoveMessages" {
        name: optional string = 1, "Name of the user.";
        amount: optional uint32 = 2, "Number of messages.";
    }

    /// The identification of the server, its first message.
    pub struct ServerIdentification = "Event_ServerIdentification" {
        server_name: optional string = 1, "Name of the server.";
        server_version: optional string = 2, "Its version.";
        protocol_version: optional uint32 = 3, "Protocol version, 14 at the time of writing; a client must disconnect if it does not support it.";
        server_options: optional enum ServerOptions = 4, "Its features.";
    }

    /// All users and rooms of a server. Between servers only.
    pub struct ServerCompleteList = "Event_ServerCompleteList" {
        server_id: optional uint32 = 1, "Number of the server.";
        user_list: repeated message User = 2, "The users.";
        room_list: repeated message Room = 3, "The rooms.";
    }

    /// The message of the day, as HTML.
    pub struct ServerMessage = "Event_ServerMessage" {
        message: optional string = 1, "The text.";
    }

    /// The server will shut down.
    pub struct ServerShutdown = "Event_ServerShutdown" {
        reason: optional string = 1, "Reason given by the administrator.";
        minutes: optional uint32 = 2, "Delay in minutes.";
    }

    /// Why a server closes the connection.
    pub struct ConnectionClosed = "Event_ConnectionClosed" {
        reason: optional enum CloseReason = 1, "The reason.";
        reason_str: optional string = 2, "The reason as text.";
        end_time: optional uint32 = 3, "When the ban ends, in seconds since 1970.";
    }

    /// A private message.
    pub struct UserMessage = "Event_UserMessage" {
        sender_name: optional string = 1, "Name of the sender.";
        receiver_name: optional string = 2, "Name of the receiver.";
        message: optional string = 3, "The text.";
    }

    /// The rooms; later ones contain only changes, to be merged.
    pub struct ListRooms = "Event_ListRooms" {
        room_list: repeated message Room = 1, "The rooms.";
    }

    /// A user was added to a list of the caller.
    pub struct AddToList = "Event_AddToList" {
        list_name: optional string = 1, "Name of the list: `buddy` or `ignore`.";
        user_info: optional message User = 2, "The user.";
    }

    /// A user was removed from a list of the caller.
    pub struct RemoveFromList = "Event_RemoveFromList" {
        list_name: optional string = 1, "Name of the list: `buddy` or `ignore`.";
        user_name: optional string = 2, "Name of the user.";
    }

    /// A user logged in or changed.
    pub struct UserJoined = "Event_UserJoined" {
        user_info: optional message User = 1, "The user.";
    }

    /// A user logged out.
    pub struct UserLeft = "Event_UserLeft" {
        name: optional string = 1, "Name of the user.";
    }

    /// The client joined or rejoined a game.
    pub struct GameJoined = "Event_GameJoined" {
        game_info: optional message Game = 1, "The game.";
        game_types: repeated message GameType = 2, "The game types of the room.";
        host_id: optional sint32 = 3, "Number of the host.";
        player_id: optional sint32 = 4, "Number of the player.";
        spectator: optional bool = 5, "Whether the client is a spectator.";
        resuming: optional bool = 6, "Whether the client rejoined it.";
        judge: optional bool = 7, "Whether the client is a judge.";
    }

    /// A notification for the user.
    pub struct NotifyUser = "Event_NotifyUser" {
        r#type: optional enum Notification = 1, json "type", "Its type.";
        warning_reason: optional string = 2, "Reason of a warning.";
        custom_title: optional string = 3, "A title.";
        custom_content: optional string = 4, "A text.";
    }

    /// A recorded match was added.
    pub struct ReplayAdded = "Event_ReplayAdded" {
        match_info: optional message ReplayMatch = 1, "The match.";
    }
}

enumeration! {
    /// Why a participant left a game.
    pub enum LeaveReason {
        Other = 1 ("OTHER"), "Another reason.";
        UserKicked = 2 ("USER_KICKED"), "Kicked.";
        UserLeft = 3 ("USER_LEFT"), "By choice.";
        UserDisconnected = 4 ("USER_DISCONNECTED"), "Disconnected.";
    }

    /// A line for the log of a game.
    pub enum Notice {
        UndoDrawFailed = 1 ("UNDO_DRAW_FAILED"), "There was no drawn card to put back.";
    }

    /// The origin of a chat message in a room.
    pub enum RoomMessageType {
        UserMessage = 0, "A user sent it just now.";
        Welcome = 1, "The welcome message of the room.";
        ChatHistory = 2, "From the history, before the client joined.";
    }

    /// The features of a server.
    pub enum ServerOptions {
        NoOptions = 0, "None.";
        SupportsPasswordHash = 1, "It accepts hashed passwords.";
    }

    /// Why a server closes the connection.
    pub enum CloseReason {
        Other = 1 ("OTHER"), "Another reason, given as text.";
        ServerShutdown = 2 ("SERVER_SHUTDOWN"), "The server is shutting down.";
        TooManyConnections = 3 ("TOO_MANY_CONNECTIONS"), "Too many connections from this address.";
        Banned = 4 ("BANNED"), "The user is banned.";
        UsernameInvalid = 5 ("USERNAMEINVALID"), "The server does not accept the user name.";
        UserLimitReached = 6 ("USER_LIMIT_REACHED"), "Too many users.";
        Demoted = 7 ("DEMOTED"), "The user lost their rights and must log in again.";
        LoggedInElsewhere = 8 ("LOGGEDINELSEWERE"), "The user logged in elsewhere.";
    }

    /// The type of a notification.
    pub enum Notification {
        Unknown = 0 ("UNKNOWN"), "Unknown.";
        Promoted = 1 ("PROMOTED"), "The user was promoted.";
        Warning = 2 ("WARNING"), "The user was warned.";
        IdleWarning = 3 ("IDLEWARNING"), "The user will be disconnected for inactivity.";
        Custom = 4 ("CUSTOM"), "As title and text say.";
        ReportResolved = 5 ("REPORT_RESOLVED"), "A report of the user was closed.";
        ReportComment = 6 ("REPORT_COMMENT"), "A report of the user received a comment.";
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
