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
    SessionEvent = "SessionEvent", "An event of the session." { 100 to max: SessionEventPayload; }

    RoomEvent = "RoomEvent", "An event in a room." { room_id: optional sint32 = 1, "Number of the room."; 100 to max: RoomEventPayload; }

    GameEvent = "GameEvent", "An event in a game, usually an action of a player." { player_id: optional sint32 = 1, default -1, "Number of the player; -1 if no player caused it."; 100 to max: GameEventPayload; }

    GameEventContainer = "GameEventContainer", "Events in a game, in order." {
        game_id: optional id = 1, "Number of the game.";
        event_list: repeated message GameEvent = 2, "Description.";
        context: optional message GameEventContext = 3, "The action that they belong to.";
        seconds_elapsed: optional uint32 = 4, "Seconds since the game began. Only in recorded games.";
        forced_by_judge: optional id = 5, "Number of the judge who caused them.";
    }

    CreateArrow = "Event_CreateArrow", "An arrow was drawn." { arrow_info: optional message Arrow = 1, "The arrow."; }

    DeleteArrow = "Event_DeleteArrow", "An arrow was deleted." { arrow_id: optional sint32 = 1, "Number of the arrow."; }

    DrawCards = "Event_DrawCards", "The player drew cards." { number: optional sint32 = 1, "Number of cards."; cards: repeated message Card = 2, "The cards, as far as they are visible to the receiver."; }

    RevealCards = "Event_RevealCards", "The player revealed cards." {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: repeated sint32 = 2, "Numbers of the cards.";
        other_player_id: optional sint32 = 3, default -1, "Number of the player to whom they are revealed; -1 for all.";
        cards: repeated message Card = 4, "The cards, as far as they are visible to the receiver.";
        grant_write_access: optional bool = 5, "Whether the others may move them.";
        number_of_cards: optional uint32 = 6, "Number of cards.";
    }

    Shuffle = "Event_Shuffle", "The player shuffled a zone." {
        zone_name: optional string = 1, "Name of the zone.";
        start: optional sint32 = 2, "The first position.";
        end: optional sint32 = 3, default -1, "The last position; -1 for the end of the zone.";
    }

    MoveCard = "Event_MoveCard", "The player moved a card." {
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

    FlipCard = "Event_FlipCard", "The player turned a card over." {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        card_name: optional string = 3, "Name of the card.";
        face_down: optional bool = 4, "Whether it lies face down.";
        card_provider_id: optional string = 5, "Printing of the card.";
    }

    DestroyCard = "Event_DestroyCard", "A card was destroyed." { zone_name: optional string = 1, "Name of the zone."; card_id: optional id = 2, "Number of the card."; }

    AttachCard = "Event_AttachCard", "A card was attached to another one; without a target, detached." {
        start_zone: optional string = 1, "Source zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        target_player_id: optional sint32 = 3, "Number of the target player.";
        target_zone: optional string = 4, "Target zone.";
        target_card_id: optional sint32 = 5, "Number of the target card.";
    }

    CreateToken = "Event_CreateToken", "The player created a token." {
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

    SetCardAttr = "Event_SetCardAttr", "An attribute of a card changed; without a card, of all cards in the zone." {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        attribute: optional enum CardAttribute = 3, "The attribute.";
        attr_value: optional string = 4, "Its new value; `1` or `0` for booleans.";
    }

    SetCardCounter = "Event_SetCardCounter", "A counter on a card changed." {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, "Number of the card.";
        counter_id: optional sint32 = 3, "Number of the counter.";
        counter_value: optional sint32 = 4, "Its new value.";
    }

    DumpZone = "Event_DumpZone", "The player looks at a zone." {
        zone_owner_id: optional sint32 = 1, "Number of the player whose zone it is.";
        zone_name: optional string = 2, "Name of the zone.";
        number_cards: optional sint32 = 3, "Number of cards from the top; -1 for all.";
        is_reversed: optional bool = 4, "Whether positions are counted from the bottom.";
    }

    ChangeZoneProperties = "Event_ChangeZoneProperties", "The visibility of a zone's top card changed." {
        zone_name: optional string = 1, "Name of the zone.";
        always_reveal_top_card: optional bool = 10, "Whether its top card is revealed to all.";
        always_look_at_top_card: optional bool = 11, "Whether its owner sees its top card.";
    }

    Join = "Event_Join", "A player or spectator joined the game." { player_properties: optional message PlayerProperties = 1, "The player."; }

    Leave = "Event_Leave", "A player or spectator left the game." { reason: optional enum LeaveReason = 1, "Reason."; }

    GameClosed = "Event_GameClosed", "The game was closed." {}

    GameHostChanged = "Event_GameHostChanged", "The player is the new host." {}

    Kicked = "Event_Kicked", "The client was kicked from the game." {}

    GameStateChanged = "Event_GameStateChanged", "The complete state of the game." {
        player_list: repeated message Player = 1, "The players.";
        game_started: optional bool = 2, "Whether the game is being played.";
        active_player_id: optional sint32 = 3, "Number of the player whose turn it is; -1 before the start.";
        active_phase: optional sint32 = 4, "Number of the phase; -1 before the start.";
        seconds_elapsed: optional uint32 = 5, "Seconds since the game began.";
        local_player_id: optional sint32 = 6, "Number of the client's own player. Newer than the recorded server.";
    }

    PlayerPropertiesChanged = "Event_PlayerPropertiesChanged", "Properties of a player that changed, to be merged." { player_properties: optional message PlayerProperties = 1, "The player."; }

    GameSay = "Event_GameSay", "The player sent a chat message." { message: optional string = 1, "The text."; }

    RollDie = "Event_RollDie", "The player rolled dice." { sides: optional uint32 = 1, "Number of sides of a die."; value: optional uint32 = 2, "The first result."; values: repeated uint32 = 3, "All results."; }

    SetActivePlayer = "Event_SetActivePlayer", "The turn passed to another player." { active_player_id: optional sint32 = 1, "Number of the player whose turn it is; -1 before the start."; }

    SetActivePhase = "Event_SetActivePhase", "The phase of the turn changed." { phase: optional sint32 = 1, "Number of the phase."; }

    ReverseTurn = "Event_ReverseTurn", "The order of turns was reversed." { reversed: optional bool = 1, "Whether the order is now reversed."; }

    GameLogNotice = "Event_GameLogNotice", "A line for the log of the game." { notice_type: optional enum Notice = 1, "The type of the line."; }

    CreateCounter = "Event_CreateCounter", "A counter of the player was created." { counter_info: optional message Counter = 1, "The counter."; }

    SetCounter = "Event_SetCounter", "A counter of the player changed." { counter_id: optional sint32 = 1, "Number of the counter."; value: optional sint32 = 2, "Its new value."; }

    DelCounter = "Event_DelCounter", "A counter of the player was deleted." { counter_id: optional sint32 = 1, "Number of the counter."; }

    CreateCastCount = "Event_CreateCastCount", "A counter of casts was created. Newer than the recorded server." { index: optional sint32 = 1, default 1, "Number of the counter."; }

    DeleteCastCount = "Event_DeleteCastCount", "A counter of casts was deleted. Newer than the recorded server." { index: optional sint32 = 1, default 1, "Number of the counter."; }

    SetCastCount = "Event_SetCastCount", "A counter of casts changed. Newer than the recorded server." { index: optional sint32 = 1, default 1, "Number of the counter."; value: optional sint32 = 2, "Its new value."; }

    LeaveRoom = "Event_LeaveRoom", "A user left the room." { name: optional string = 1, "Name of the user."; }

    JoinRoom = "Event_JoinRoom", "A user joined the room." { user_info: optional message User = 1, "The user."; }

    RoomSay = "Event_RoomSay", "A chat message in the room." {
        name: optional string = 1, "Name of the sender; empty for history and welcome.";
        message: optional string = 2, "The text.";
        message_type: optional enum RoomMessageType = 3, "Its origin.";
        time_of: optional uint64 = 4, "Time, in milliseconds since 1970.";
    }

    ListGames = "Event_ListGames", "Games that are new or changed, to be merged; a closed one is to be removed." { game_list: repeated message Game = 1, "The games."; }

    RemoveMessages = "Event_RemoveMessages", "The last messages of a user are to be removed." { name: optional string = 1, "Name of the user."; amount: optional uint32 = 2, "Number of messages."; }

    ServerIdentification = "Event_ServerIdentification", "The identification of the server, its first message." {
        server_name: optional string = 1, "Name of the server.";
        server_version: optional string = 2, "Its version.";
        protocol_version: optional uint32 = 3, "Protocol version, 14 at the time of writing; a client must disconnect if it does not support it.";
        server_options: optional enum ServerOptions = 4, "Its features.";
    }

    ServerCompleteList = "Event_ServerCompleteList", "All users and rooms of a server. Between servers only." {
        server_id: optional uint32 = 1, "Number of the server.";
        user_list: repeated message User = 2, "The users.";
        room_list: repeated message Room = 3, "The rooms.";
    }

    ServerMessage = "Event_ServerMessage", "The message of the day, as HTML." { message: optional string = 1, "The text."; }

    ServerShutdown = "Event_ServerShutdown", "The server will shut down." { reason: optional string = 1, "Reason given by the administrator."; minutes: optional uint32 = 2, "Delay in minutes."; }

    ConnectionClosed = "Event_ConnectionClosed", "Why a server closes the connection." {
        reason: optional enum CloseReason = 1, "The reason.";
        reason_str: optional string = 2, "The reason as text.";
        end_time: optional uint32 = 3, "When the ban ends, in seconds since 1970.";
    }

    UserMessage = "Event_UserMessage", "A private message." { sender_name: optional string = 1, "Name of the sender."; receiver_name: optional string = 2, "Name of the receiver."; message: optional string = 3, "The text."; }

    ListRooms = "Event_ListRooms", "The rooms; later ones contain only changes, to be merged." { room_list: repeated message Room = 1, "The rooms."; }

    AddToList = "Event_AddToList", "A user was added to a list of the caller." { list_name: optional string = 1, "Name of the list: `buddy` or `ignore`."; user_info: optional message User = 2, "The user."; }

    RemoveFromList = "Event_RemoveFromList", "A user was removed from a list of the caller." { list_name: optional string = 1, "Name of the list: `buddy` or `ignore`."; user_name: optional string = 2, "Name of the user."; }

    UserJoined = "Event_UserJoined", "A user logged in or changed." { user_info: optional message User = 1, "The user."; }

    UserLeft = "Event_UserLeft", "A user logged out." { name: optional string = 1, "Name of the user."; }

    GameJoined = "Event_GameJoined", "The client joined or rejoined a game." {
        game_info: optional message Game = 1, "The game.";
        game_types: repeated message GameType = 2, "The game types of the room.";
        host_id: optional sint32 = 3, "Number of the host.";
        player_id: optional sint32 = 4, "Number of the player.";
        spectator: optional bool = 5, "Whether the client is a spectator.";
        resuming: optional bool = 6, "Whether the client rejoined it.";
        judge: optional bool = 7, "Whether the client is a judge.";
    }

    NotifyUser = "Event_NotifyUser", "A notification for the user." {
        r#type: optional enum Notification = 1, json "type", "Its type.";
        warning_reason: optional string = 2, "Reason of a warning.";
        custom_title: optional string = 3, "A title.";
        custom_content: optional string = 4, "A text.";
    }

    ReplayAdded = "Event_ReplayAdded", "A recorded match was added." { match_info: optional message ReplayMatch = 1, "The match."; }
}

enumeration! {
    LeaveReason, "Why a participant left a game." { Other = 1 ("OTHER"), "Another reason."; UserKicked = 2 ("USER_KICKED"), "Kicked."; UserLeft = 3 ("USER_LEFT"), "By choice."; UserDisconnected = 4 ("USER_DISCONNECTED"), "Disconnected."; }

    Notice, "A line for the log of a game." { UndoDrawFailed = 1 ("UNDO_DRAW_FAILED"), "There was no drawn card to put back."; }

    RoomMessageType, "The origin of a chat message in a room." { UserMessage = 0, "A user sent it just now."; Welcome = 1, "The welcome message of the room."; ChatHistory = 2, "From the history, before the client joined."; }

    ServerOptions, "The features of a server." { NoOptions = 0, "None."; SupportsPasswordHash = 1, "It accepts hashed passwords."; }

    CloseReason, "Why a server closes the connection." {
        Other = 1 ("OTHER"), "Another reason, given as text.";
        ServerShutdown = 2 ("SERVER_SHUTDOWN"), "The server is shutting down.";
        TooManyConnections = 3 ("TOO_MANY_CONNECTIONS"), "Too many connections from this address.";
        Banned = 4 ("BANNED"), "The user is banned.";
        UsernameInvalid = 5 ("USERNAMEINVALID"), "The server does not accept the user name.";
        UserLimitReached = 6 ("USER_LIMIT_REACHED"), "Too many users.";
        Demoted = 7 ("DEMOTED"), "The user lost their rights and must log in again.";
        LoggedInElsewhere = 8 ("LOGGEDINELSEWERE"), "The user logged in elsewhere.";
    }

    Notification, "The type of a notification." {
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
    SessionEventKind, SessionEventPayload of "SessionEvent", "Event_":
        ServerIdentification 500 SERVER_IDENTIFICATION, ServerCompleteList 600 SERVER_COMPLETE_LIST, ServerMessage 1000 SERVER_MESSAGE,
        ServerShutdown 1001 SERVER_SHUTDOWN, ConnectionClosed 1002 CONNECTION_CLOSED, UserMessage 1003 USER_MESSAGE, ListRooms 1004 LIST_ROOMS,
        AddToList 1005 ADD_TO_LIST, RemoveFromList 1006 REMOVE_FROM_LIST, UserJoined 1007 USER_JOINED, UserLeft 1008 USER_LEFT, GameJoined 1009 GAME_JOINED,
        NotifyUser 1010 NOTIFY_USER, ReplayAdded 1100 REPLAY_ADDED,
}

family! {
    RoomEventKind, RoomEventPayload of "RoomEvent", "Event_":
        LeaveRoom 1000 LEAVE_ROOM, JoinRoom 1001 JOIN_ROOM, RoomSay 1002 ROOM_SAY, ListGames 1003 LIST_GAMES, RemoveMessages 1004 REMOVE_MESSAGES,
}

family! {
    GameEventKind, GameEventPayload of "GameEvent", "Event_":
        Join 1000 JOIN, Leave 1001 LEAVE, GameClosed 1002 GAME_CLOSED, GameHostChanged 1003 GAME_HOST_CHANGED, Kicked 1004 KICKED,
        GameStateChanged 1005 GAME_STATE_CHANGED, PlayerPropertiesChanged 1007 PLAYER_PROPERTIES_CHANGED, GameSay 1009 GAME_SAY,
        CreateArrow 2000 CREATE_ARROW, DeleteArrow 2001 DELETE_ARROW, CreateCounter 2002 CREATE_COUNTER, SetCounter 2003 SET_COUNTER,
        DelCounter 2004 DEL_COUNTER, DrawCards 2005 DRAW_CARDS, RevealCards 2006 REVEAL_CARDS, Shuffle 2007 SHUFFLE, RollDie 2008 ROLL_DIE,
        MoveCard 2009 MOVE_CARD, FlipCard 2010 FLIP_CARD, DestroyCard 2011 DESTROY_CARD, AttachCard 2012 ATTACH_CARD, CreateToken 2013 CREATE_TOKEN,
        SetCardAttr 2014 SET_CARD_ATTR, SetCardCounter 2015 SET_CARD_COUNTER, SetActivePlayer 2016 SET_ACTIVE_PLAYER, SetActivePhase 2017 SET_ACTIVE_PHASE,
        DumpZone 2018 DUMP_ZONE, ChangeZoneProperties 2020 CHANGE_ZONE_PROPERTIES, ReverseTurn 2021 REVERSE_TURN, GameLogNotice 2022 GAME_LOG_NOTICE,
        CreateCastCount 2024 CREATE_CAST_COUNT, DeleteCastCount 2025 DELETE_CAST_COUNT, SetCastCount 2026 SET_CAST_COUNT,
}
