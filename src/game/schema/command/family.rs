use super::{
    AccountEdit, AccountImage, AccountPassword, Activate, AddCardArtRule, AddToList, AdjustMod,
    AttachCard, BanFromServer, ChangeZoneProperties, Concede, CreateArrow, CreateCastCount,
    CreateCounter, CreateGame, CreateToken, DeckDel, DeckDelDir, DeckDownload, DeckDownloadPublic,
    DeckList, DeckListOtherUser, DeckNewDir, DeckSelect, DeckSetVisibility, DeckShareCreate,
    DeckShareDownload, DeckShareList, DeckShareListMine, DeckShareRemove, DeckUpload, DelCounter,
    DeleteArrow, DrawCards, DumpZone, FlipCard, ForceActivateUser, ForgotPasswordChallenge,
    ForgotPasswordRequest, ForgotPasswordReset, GameSay, GetAdminNotes, GetBanHistory,
    GetGamesOfUser, GetLogHistory, GetModeratorLastLogins, GetServerStats, GetUserAlts,
    GetUserInfo, GetUserSessions, GetWarnHistory, GetWarnList, GrantReplayAccess, IncCardCounter,
    IncCounter, JoinGame, JoinRoom, Judge, KickFromGame, LeaveGame, LeaveRoom, ListCardArtRules,
    ListRooms, ListUsers, Login, MoveCard, Mulligan, NextTurn, Ping, ReadyStart, Register,
    ReloadConfig, RemoveCardArtRule, RemoveFromList, RemoveUserAvatar, ReplayDeleteMatch,
    ReplayDownload, ReplayDownloadByGameId, ReplayGetCode, ReplayList, ReplayModifyMatch,
    ReplaySubmitCode, Report, ReportAddComment, ReportAssign, ReportDetails, ReportList,
    ReportMyList, ReportReopen, ReportResolve, ReportStats, ReportUserInfo, RequestPasswordSalt,
    ResetUserPassword, RevealCards, ReverseTurn, RollDie, RoomSay, SetActivePhase,
    SetCardArtParams, SetCardAttr, SetCardCounter, SetCounter, SetPlayerOrder, SetPlaymat,
    SetSideboardLock, SetSideboardPlan, Shuffle, ShutdownServer, Unconcede, UndoDraw,
    UpdateAdminNotes, UpdateServerMessage, UserMessage, ViewLogHistory, WarnUser,
};
use crate::game::runtime::extension::family;

family! {
    /// Which command about the session it is.
    pub enum SessionCommandKind;
    /// A command about the session, of any kind.
    pub enum SessionCommandPayload;

    Ping = 1000 "PING" "[Command_Ping.ext]";
    Login = 1001 "LOGIN" "[Command_Login.ext]";
    UserMessage = 1002 "MESSAGE" "[Command_Message.ext]";
    ListUsers = 1003 "LIST_USERS" "[Command_ListUsers.ext]";
    GetGamesOfUser = 1004 "GET_GAMES_OF_USER" "[Command_GetGamesOfUser.ext]";
    GetUserInfo = 1005 "GET_USER_INFO" "[Command_GetUserInfo.ext]";
    AddToList = 1006 "ADD_TO_LIST" "[Command_AddToList.ext]";
    RemoveFromList = 1007 "REMOVE_FROM_LIST" "[Command_RemoveFromList.ext]";
    DeckList = 1008 "DECK_LIST" "[Command_DeckList.ext]";
    DeckNewDir = 1009 "DECK_NEW_DIR" "[Command_DeckNewDir.ext]";
    DeckDelDir = 1010 "DECK_DEL_DIR" "[Command_DeckDelDir.ext]";
    DeckDel = 1011 "DECK_DEL" "[Command_DeckDel.ext]";
    DeckDownload = 1012 "DECK_DOWNLOAD" "[Command_DeckDownload.ext]";
    DeckUpload = 1013 "DECK_UPLOAD" "[Command_DeckUpload.ext]";
    ListRooms = 1014 "LIST_ROOMS" "[Command_ListRooms.ext]";
    JoinRoom = 1015 "JOIN_ROOM" "[Command_JoinRoom.ext]";
    Register = 1016 "REGISTER" "[Command_Register.ext]";
    Activate = 1017 "ACTIVATE" "[Command_Activate.ext]";
    AccountEdit = 1018 "ACCOUNT_EDIT" "[Command_AccountEdit.ext]";
    AccountImage = 1019 "ACCOUNT_IMAGE" "[Command_AccountImage.ext]";
    AccountPassword = 1020 "ACCOUNT_PASSWORD" "[Command_AccountPassword.ext]";
    ForgotPasswordRequest = 1021 "FORGOT_PASSWORD_REQUEST" "[Command_ForgotPasswordRequest.ext]";
    ForgotPasswordReset = 1022 "FORGOT_PASSWORD_RESET" "[Command_ForgotPasswordReset.ext]";
    ForgotPasswordChallenge = 1023 "FORGOT_PASSWORD_CHALLENGE" "[Command_ForgotPasswordChallenge.ext]";
    RequestPasswordSalt = 1024 "REQUEST_PASSWORD_SALT" "[Command_RequestPasswordSalt.ext]";
    SetCardArtParams = 1025 "SET_CARD_ART_PARAMS" "[Command_SetCardArtParams.ext]";
    ///
    /// Newer than the recorded server.
    DeckShareCreate = 1026 "DECK_SHARE_CREATE" "[Command_DeckShareCreate.ext]";
    ///
    /// Newer than the recorded server.
    DeckShareList = 1027 "DECK_SHARE_LIST" "[Command_DeckShareList.ext]";
    ///
    /// Newer than the recorded server.
    DeckShareDownload = 1028 "DECK_SHARE_DOWNLOAD" "[Command_DeckShareDownload.ext]";
    ///
    /// Newer than the recorded server.
    DeckListOtherUser = 1029 "DECK_LIST_OTHER_USER" "[Command_DeckListOtherUser.ext]";
    ///
    /// Newer than the recorded server.
    DeckSetVisibility = 1030 "DECK_SET_VISIBILITY" "[Command_DeckSetVisibility.ext]";
    ///
    /// Newer than the recorded server.
    DeckDownloadPublic = 1031 "DECK_DOWNLOAD_PUBLIC" "[Command_DeckDownloadPublic.ext]";
    ///
    /// Newer than the recorded server.
    DeckShareListMine = 1032 "DECK_SHARE_LIST_MINE" "[Command_DeckShareListMine.ext]";
    ///
    /// Newer than the recorded server.
    DeckShareRemove = 1033 "DECK_SHARE_REMOVE" "[Command_DeckShareRemove.ext]";
    ReplayList = 1100 "REPLAY_LIST" "[Command_ReplayList.ext]";
    ReplayDownload = 1101 "REPLAY_DOWNLOAD" "[Command_ReplayDownload.ext]";
    ReplayModifyMatch = 1102 "REPLAY_MODIFY_MATCH" "[Command_ReplayModifyMatch.ext]";
    ReplayDeleteMatch = 1103 "REPLAY_DELETE_MATCH" "[Command_ReplayDeleteMatch.ext]";
    ReplayGetCode = 1104 "REPLAY_GET_CODE" "[Command_ReplayGetCode.ext]";
    ReplaySubmitCode = 1105 "REPLAY_SUBMIT_CODE" "[Command_ReplaySubmitCode.ext]";
    Report = 1200 "REPORT" "[Command_Report.ext]";
    ReportMyList = 1204 "REPORT_MY_LIST" "[Command_ReportMyList.ext]";
    ReportAddComment = 1205 "REPORT_ADD_COMMENT" "[Command_ReportAddComment.ext]";
    ReportDetails = 1206 "REPORT_DETAILS" "[Command_ReportDetails.ext]";
}

family! {
    /// Which command in a room it is.
    pub enum RoomCommandKind;
    /// A command in a room, of any kind.
    pub enum RoomCommandPayload;

    LeaveRoom = 1000 "LEAVE_ROOM" "[Command_LeaveRoom.ext]";
    RoomSay = 1001 "ROOM_SAY" "[Command_RoomSay.ext]";
    CreateGame = 1002 "CREATE_GAME" "[Command_CreateGame.ext]";
    JoinGame = 1003 "JOIN_GAME" "[Command_JoinGame.ext]";
}

family! {
    /// Which command in a game it is.
    pub enum GameCommandKind;
    /// A command in a game, of any kind.
    pub enum GameCommandPayload;

    KickFromGame = 1000 "KICK_FROM_GAME" "[Command_KickFromGame.ext]";
    LeaveGame = 1001 "LEAVE_GAME" "[Command_LeaveGame.ext]";
    GameSay = 1002 "GAME_SAY" "[Command_GameSay.ext]";
    Shuffle = 1003 "SHUFFLE" "[Command_Shuffle.ext]";
    Mulligan = 1004 "MULLIGAN" "[Command_Mulligan.ext]";
    RollDie = 1005 "ROLL_DIE" "[Command_RollDie.ext]";
    DrawCards = 1006 "DRAW_CARDS" "[Command_DrawCards.ext]";
    UndoDraw = 1007 "UNDO_DRAW" "[Command_UndoDraw.ext]";
    FlipCard = 1008 "FLIP_CARD" "[Command_FlipCard.ext]";
    AttachCard = 1009 "ATTACH_CARD" "[Command_AttachCard.ext]";
    CreateToken = 1010 "CREATE_TOKEN" "[Command_CreateToken.ext]";
    CreateArrow = 1011 "CREATE_ARROW" "[Command_CreateArrow.ext]";
    DeleteArrow = 1012 "DELETE_ARROW" "[Command_DeleteArrow.ext]";
    SetCardAttr = 1013 "SET_CARD_ATTR" "[Command_SetCardAttr.ext]";
    SetCardCounter = 1014 "SET_CARD_COUNTER" "[Command_SetCardCounter.ext]";
    IncCardCounter = 1015 "INC_CARD_COUNTER" "[Command_IncCardCounter.ext]";
    ReadyStart = 1016 "READY_START" "[Command_ReadyStart.ext]";
    Concede = 1017 "CONCEDE" "[Command_Concede.ext]";
    IncCounter = 1018 "INC_COUNTER" "[Command_IncCounter.ext]";
    CreateCounter = 1019 "CREATE_COUNTER" "[Command_CreateCounter.ext]";
    SetCounter = 1020 "SET_COUNTER" "[Command_SetCounter.ext]";
    DelCounter = 1021 "DEL_COUNTER" "[Command_DelCounter.ext]";
    NextTurn = 1022 "NEXT_TURN" "[Command_NextTurn.ext]";
    SetActivePhase = 1023 "SET_ACTIVE_PHASE" "[Command_SetActivePhase.ext]";
    DumpZone = 1024 "DUMP_ZONE" "[Command_DumpZone.ext]";
    RevealCards = 1026 "REVEAL_CARDS" "[Command_RevealCards.ext]";
    MoveCard = 1027 "MOVE_CARD" "[Command_MoveCard.ext]";
    SetSideboardPlan = 1028 "SET_SIDEBOARD_PLAN" "[Command_SetSideboardPlan.ext]";
    DeckSelect = 1029 "DECK_SELECT" "[Command_DeckSelect.ext]";
    SetSideboardLock = 1030 "SET_SIDEBOARD_LOCK" "[Command_SetSideboardLock.ext]";
    ChangeZoneProperties = 1031 "CHANGE_ZONE_PROPERTIES" "[Command_ChangeZoneProperties.ext]";
    Unconcede = 1032 "UNCONCEDE" "[Command_Unconcede.ext]";
    Judge = 1033 "JUDGE" "[Command_Judge.ext]";
    ReverseTurn = 1034 "REVERSE_TURN" "[Command_ReverseTurn.ext]";
    SetPlaymat = 1035 "SET_PLAYMAT" "[Command_SetPlaymat.ext]";
    ///
    /// Newer than the recorded server.
    CreateCastCount = 1036 "CREATE_CAST_COUNT" "[Command_CreateCastCount.ext]";
    ///
    /// Newer than the recorded server.
    SetPlayerOrder = 1206 "SET_PLAYER_ORDER" "[Command_SetPlayerOrder.ext]";
}

family! {
    /// Which command for moderators it is.
    pub enum ModeratorCommandKind;
    /// A command for moderators, of any kind.
    pub enum ModeratorCommandPayload;

    BanFromServer = 1000 "BAN_FROM_SERVER" "[Command_BanFromServer.ext]";
    GetBanHistory = 1001 "BAN_HISTORY" "[Command_GetBanHistory.ext]";
    WarnUser = 1002 "WARN_USER" "[Command_WarnUser.ext]";
    GetWarnHistory = 1003 "WARN_HISTORY" "[Command_GetWarnHistory.ext]";
    GetWarnList = 1004 "WARN_LIST" "[Command_GetWarnList.ext]";
    ViewLogHistory = 1005 "VIEWLOG_HISTORY" "[Command_ViewLogHistory.ext]";
    GrantReplayAccess = 1006 "GRANT_REPLAY_ACCESS" "[Command_GrantReplayAccess.ext]";
    ForceActivateUser = 1007 "FORCE_ACTIVATE_USER" "[Command_ForceActivateUser.ext]";
    GetAdminNotes = 1008 "GET_ADMIN_NOTES" "[Command_GetAdminNotes.ext]";
    UpdateAdminNotes = 1009 "UPDATE_ADMIN_NOTES" "[Command_UpdateAdminNotes.ext]";
    AddCardArtRule = 1010 "ADD_CARD_ART_RULE" "[Command_AddCardArtRule.ext]";
    RemoveCardArtRule = 1011 "REMOVE_CARD_ART_RULE" "[Command_RemoveCardArtRule.ext]";
    ListCardArtRules = 1012 "LIST_CARD_ART_RULES" "[Command_ListCardArtRules.ext]";
    GetUserSessions = 1013 "GET_USER_SESSIONS" "[Command_GetUserSessions.ext]";
    GetUserAlts = 1014 "GET_USER_ALTS" "[Command_GetUserAlts.ext]";
    GetModeratorLastLogins = 1015 "GET_MODERATOR_LAST_LOGINS" "[Command_GetModeratorLastLogins.ext]";
    RemoveUserAvatar = 1017 "REMOVE_USER_AVATAR" "[Command_RemoveUserAvatar.ext]";
    ReportList = 1200 "REPORT_LIST" "[Command_ReportList.ext]";
    ReportAssign = 1201 "REPORT_ASSIGN" "[Command_ReportAssign.ext]";
    ReportResolve = 1202 "REPORT_RESOLVE" "[Command_ReportResolve.ext]";
    ReplayDownloadByGameId = 1203 "REPLAY_DOWNLOAD_BY_GAME_ID" "[Command_ReplayDownloadByGameId.ext]";
    ReportUserInfo = 1204 "REPORT_USER_INFO" "[Command_ReportUserInfo.ext]";
    ReportStats = 1205 "REPORT_STATS" "[Command_ReportStats.ext]";
    ///
    /// Newer than the recorded server.
    ReportReopen = 1206 "REPORT_REOPEN" "[Command_ReportReopen.ext]";
}

family! {
    /// Which command for administrators it is.
    pub enum AdminCommandKind;
    /// A command for administrators, of any kind.
    pub enum AdminCommandPayload;

    UpdateServerMessage = 1000 "UPDATE_SERVER_MESSAGE" "[Command_UpdateServerMessage.ext]";
    ShutdownServer = 1001 "SHUTDOWN_SERVER" "[Command_ShutdownServer.ext]";
    ReloadConfig = 1002 "RELOAD_CONFIG" "[Command_ReloadConfig.ext]";
    AdjustMod = 1003 "ADJUST_MOD" "[Command_AdjustMod.ext]";
    ResetUserPassword = 1016 "RESET_USER_PASSWORD" "[Command_ResetUserPassword.ext]";
}

family! {
    /// Which command for developers it is.
    pub enum DeveloperCommandKind;
    /// A command for developers, of any kind.
    pub enum DeveloperCommandPayload;

    ///
    /// Newer than the recorded server.
    GetServerStats = 1000 "GET_SERVER_STATS" "[Command_GetServerStats.ext]";
    ///
    /// Newer than the recorded server.
    GetLogHistory = 1001 "GET_LOG_HISTORY" "[Command_GetLogHistory.ext]";
}
