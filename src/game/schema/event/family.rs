use super::{
    AddToList, AttachCard, ChangeZoneProperties, ConnectionClosed, CreateArrow, CreateCastCount,
    CreateCounter, CreateToken, DelCounter, DeleteArrow, DeleteCastCount, DestroyCard, DrawCards,
    DumpZone, FlipCard, GameClosed, GameHostChanged, GameJoined, GameLogNotice, GameSay,
    GameStateChanged, Join, JoinRoom, Kicked, Leave, LeaveRoom, ListGames, ListRooms, MoveCard,
    NotifyUser, PlayerPropertiesChanged, RemoveFromList, RemoveMessages, ReplayAdded, RevealCards,
    ReverseTurn, RollDie, RoomSay, ServerCompleteList, ServerIdentification, ServerMessage,
    ServerShutdown, SetActivePhase, SetActivePlayer, SetCardAttr, SetCardCounter, SetCastCount,
    SetCounter, Shuffle, UserJoined, UserLeft, UserMessage,
};
use crate::game::runtime::extension::family;

family! {
    /// What happened to the session.
    pub enum SessionEventKind;
    /// What happened to the session, with its particulars.
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
    /// What happened in a room.
    pub enum RoomEventKind;
    /// What happened in a room, with its particulars.
    pub enum RoomEventPayload;

    LeaveRoom = 1000 "LEAVE_ROOM" "[Event_LeaveRoom.ext]";
    JoinRoom = 1001 "JOIN_ROOM" "[Event_JoinRoom.ext]";
    RoomSay = 1002 "ROOM_SAY" "[Event_RoomSay.ext]";
    ListGames = 1003 "LIST_GAMES" "[Event_ListGames.ext]";
    RemoveMessages = 1004 "REMOVE_MESSAGES" "[Event_RemoveMessages.ext]";
}

family! {
    /// What happened in a game.
    pub enum GameEventKind;
    /// What happened in a game, with its particulars.
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
    ///
    /// Newer than the recorded server.
    CreateCastCount = 2024 "CREATE_CAST_COUNT" "[Event_CreateCastCount.ext]";
    ///
    /// Newer than the recorded server.
    DeleteCastCount = 2025 "DELETE_CAST_COUNT" "[Event_DeleteCastCount.ext]";
    ///
    /// Newer than the recorded server.
    SetCastCount = 2026 "SET_CAST_COUNT" "[Event_SetCastCount.ext]";
}
