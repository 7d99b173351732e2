// Written by benches/decode/generate, which leaves out what only encodes; do not edit.

use super::*;
use quick_protobuf::sizeofs::*;
use quick_protobuf::{
    BytesReader, MessageInfo, MessageRead, MessageWrite, Result, Writer, WriterBackend,
};
use std::borrow::Cow;
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum MessageType {
    RESPONSE = 0,
    SESSION_EVENT = 1,
    GAME_EVENT_CONTAINER = 2,
    ROOM_EVENT = 3,
}
impl Default for MessageType {
    fn default() -> Self {
        MessageType::RESPONSE
    }
}
impl From<i32> for MessageType {
    fn from(i: i32) -> Self {
        match i {
            0 => MessageType::RESPONSE,
            1 => MessageType::SESSION_EVENT,
            2 => MessageType::GAME_EVENT_CONTAINER,
            3 => MessageType::ROOM_EVENT,
            _ => Self::default(),
        }
    }
}
impl<'a> From<&'a str> for MessageType {
    fn from(s: &'a str) -> Self {
        match s {
            "RESPONSE" => MessageType::RESPONSE,
            "SESSION_EVENT" => MessageType::SESSION_EVENT,
            "GAME_EVENT_CONTAINER" => MessageType::GAME_EVENT_CONTAINER,
            "ROOM_EVENT" => MessageType::ROOM_EVENT,
            _ => Self::default(),
        }
    }
}
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum ResponseCode {
    RespNotConnected = -1,
    RespNothing = 0,
    RespOk = 1,
    RespNotInRoom = 2,
    RespInternalError = 3,
    RespInvalidCommand = 4,
    RespInvalidData = 5,
    RespNameNotFound = 6,
    RespLoginNeeded = 7,
    RespFunctionNotAllowed = 8,
    RespGameNotStarted = 9,
    RespGameFull = 10,
    RespContextError = 11,
    RespWrongPassword = 12,
    RespSpectatorsNotAllowed = 13,
    RespOnlyBuddies = 14,
    RespUserLevelTooLow = 15,
    RespInIgnoreList = 16,
    RespWouldOverwriteOldSession = 17,
    RespChatFlood = 18,
    RespUserIsBanned = 19,
    RespAccessDenied = 20,
    RespUsernameInvalid = 21,
    RespRegistrationRequired = 22,
    RespRegistrationAccepted = 23,
    RespUserAlreadyExists = 24,
    RespEmailRequiredToRegister = 25,
    RespTooManyRequests = 26,
    RespPasswordTooShort = 27,
    RespAccountNotActivated = 28,
    RespRegistrationDisabled = 29,
    RespRegistrationFailed = 30,
    RespActivationAccepted = 31,
    RespActivationFailed = 32,
    RespRegistrationAcceptedNeedsActivation = 33,
    RespClientIdRequired = 34,
    RespClientUpdateRequired = 35,
    RespServerFull = 36,
    RespEmailBlackListed = 37,
    RespPasswordChangeRequired = 38,
}
impl Default for ResponseCode {
    fn default() -> Self {
        ResponseCode::RespNotConnected
    }
}
impl From<i32> for ResponseCode {
    fn from(i: i32) -> Self {
        match i {
            -1 => ResponseCode::RespNotConnected,
            0 => ResponseCode::RespNothing,
            1 => ResponseCode::RespOk,
            2 => ResponseCode::RespNotInRoom,
            3 => ResponseCode::RespInternalError,
            4 => ResponseCode::RespInvalidCommand,
            5 => ResponseCode::RespInvalidData,
            6 => ResponseCode::RespNameNotFound,
            7 => ResponseCode::RespLoginNeeded,
            8 => ResponseCode::RespFunctionNotAllowed,
            9 => ResponseCode::RespGameNotStarted,
            10 => ResponseCode::RespGameFull,
            11 => ResponseCode::RespContextError,
            12 => ResponseCode::RespWrongPassword,
            13 => ResponseCode::RespSpectatorsNotAllowed,
            14 => ResponseCode::RespOnlyBuddies,
            15 => ResponseCode::RespUserLevelTooLow,
            16 => ResponseCode::RespInIgnoreList,
            17 => ResponseCode::RespWouldOverwriteOldSession,
            18 => ResponseCode::RespChatFlood,
            19 => ResponseCode::RespUserIsBanned,
            20 => ResponseCode::RespAccessDenied,
            21 => ResponseCode::RespUsernameInvalid,
            22 => ResponseCode::RespRegistrationRequired,
            23 => ResponseCode::RespRegistrationAccepted,
            24 => ResponseCode::RespUserAlreadyExists,
            25 => ResponseCode::RespEmailRequiredToRegister,
            26 => ResponseCode::RespTooManyRequests,
            27 => ResponseCode::RespPasswordTooShort,
            28 => ResponseCode::RespAccountNotActivated,
            29 => ResponseCode::RespRegistrationDisabled,
            30 => ResponseCode::RespRegistrationFailed,
            31 => ResponseCode::RespActivationAccepted,
            32 => ResponseCode::RespActivationFailed,
            33 => ResponseCode::RespRegistrationAcceptedNeedsActivation,
            34 => ResponseCode::RespClientIdRequired,
            35 => ResponseCode::RespClientUpdateRequired,
            36 => ResponseCode::RespServerFull,
            37 => ResponseCode::RespEmailBlackListed,
            38 => ResponseCode::RespPasswordChangeRequired,
            _ => Self::default(),
        }
    }
}
impl<'a> From<&'a str> for ResponseCode {
    fn from(s: &'a str) -> Self {
        match s {
            "RespNotConnected" => ResponseCode::RespNotConnected,
            "RespNothing" => ResponseCode::RespNothing,
            "RespOk" => ResponseCode::RespOk,
            "RespNotInRoom" => ResponseCode::RespNotInRoom,
            "RespInternalError" => ResponseCode::RespInternalError,
            "RespInvalidCommand" => ResponseCode::RespInvalidCommand,
            "RespInvalidData" => ResponseCode::RespInvalidData,
            "RespNameNotFound" => ResponseCode::RespNameNotFound,
            "RespLoginNeeded" => ResponseCode::RespLoginNeeded,
            "RespFunctionNotAllowed" => ResponseCode::RespFunctionNotAllowed,
            "RespGameNotStarted" => ResponseCode::RespGameNotStarted,
            "RespGameFull" => ResponseCode::RespGameFull,
            "RespContextError" => ResponseCode::RespContextError,
            "RespWrongPassword" => ResponseCode::RespWrongPassword,
            "RespSpectatorsNotAllowed" => ResponseCode::RespSpectatorsNotAllowed,
            "RespOnlyBuddies" => ResponseCode::RespOnlyBuddies,
            "RespUserLevelTooLow" => ResponseCode::RespUserLevelTooLow,
            "RespInIgnoreList" => ResponseCode::RespInIgnoreList,
            "RespWouldOverwriteOldSession" => ResponseCode::RespWouldOverwriteOldSession,
            "RespChatFlood" => ResponseCode::RespChatFlood,
            "RespUserIsBanned" => ResponseCode::RespUserIsBanned,
            "RespAccessDenied" => ResponseCode::RespAccessDenied,
            "RespUsernameInvalid" => ResponseCode::RespUsernameInvalid,
            "RespRegistrationRequired" => ResponseCode::RespRegistrationRequired,
            "RespRegistrationAccepted" => ResponseCode::RespRegistrationAccepted,
            "RespUserAlreadyExists" => ResponseCode::RespUserAlreadyExists,
            "RespEmailRequiredToRegister" => ResponseCode::RespEmailRequiredToRegister,
            "RespTooManyRequests" => ResponseCode::RespTooManyRequests,
            "RespPasswordTooShort" => ResponseCode::RespPasswordTooShort,
            "RespAccountNotActivated" => ResponseCode::RespAccountNotActivated,
            "RespRegistrationDisabled" => ResponseCode::RespRegistrationDisabled,
            "RespRegistrationFailed" => ResponseCode::RespRegistrationFailed,
            "RespActivationAccepted" => ResponseCode::RespActivationAccepted,
            "RespActivationFailed" => ResponseCode::RespActivationFailed,
            "RespRegistrationAcceptedNeedsActivation" => {
                ResponseCode::RespRegistrationAcceptedNeedsActivation
            }
            "RespClientIdRequired" => ResponseCode::RespClientIdRequired,
            "RespClientUpdateRequired" => ResponseCode::RespClientUpdateRequired,
            "RespServerFull" => ResponseCode::RespServerFull,
            "RespEmailBlackListed" => ResponseCode::RespEmailBlackListed,
            "RespPasswordChangeRequired" => ResponseCode::RespPasswordChangeRequired,
            _ => Self::default(),
        }
    }
}
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum ServerInfoZoneZoneType {
    PrivateZone = 0,
    PublicZone = 1,
    HiddenZone = 2,
}
impl Default for ServerInfoZoneZoneType {
    fn default() -> Self {
        ServerInfoZoneZoneType::PrivateZone
    }
}
impl From<i32> for ServerInfoZoneZoneType {
    fn from(i: i32) -> Self {
        match i {
            0 => ServerInfoZoneZoneType::PrivateZone,
            1 => ServerInfoZoneZoneType::PublicZone,
            2 => ServerInfoZoneZoneType::HiddenZone,
            _ => Self::default(),
        }
    }
}
impl<'a> From<&'a str> for ServerInfoZoneZoneType {
    fn from(s: &'a str) -> Self {
        match s {
            "PrivateZone" => ServerInfoZoneZoneType::PrivateZone,
            "PublicZone" => ServerInfoZoneZoneType::PublicZone,
            "HiddenZone" => ServerInfoZoneZoneType::HiddenZone,
            _ => Self::default(),
        }
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerMessage<'a> {
    pub message_type: Option<MessageType>,
    pub response: Option<Response<'a>>,
}
impl<'a> MessageRead<'a> for ServerMessage<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.message_type = Some(r.read_enum(bytes)?),
                Ok(18) => msg.response = Some(r.read_message::<Response>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerMessage<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct Response<'a> {
    pub cmd_id: u64,
    pub response_code: Option<ResponseCode>,
    pub join_room: Option<ResponseJoinRoom<'a>>,
    pub list_users: Option<ResponseListUsers<'a>>,
    pub get_games_of_user: Option<ResponseGetGamesOfUser<'a>>,
    pub get_user_info: Option<ResponseGetUserInfo<'a>>,
    pub dump_zone: Option<ResponseDumpZone<'a>>,
    pub login: Option<ResponseLogin<'a>>,
    pub deck_list: Option<ResponseDeckList<'a>>,
    pub deck_download: Option<ResponseDeckDownload<'a>>,
    pub deck_upload: Option<ResponseDeckUpload<'a>>,
    pub register: Option<ResponseRegister<'a>>,
    pub activate: Option<ResponseActivate>,
    pub adjust_mod: Option<ResponseAdjustMod>,
    pub ban_history: Option<ResponseBanHistory<'a>>,
    pub warn_history: Option<ResponseWarnHistory<'a>>,
    pub warn_list: Option<ResponseWarnList<'a>>,
    pub view_log_history: Option<ResponseViewLogHistory<'a>>,
    pub forgot_password_request: Option<ResponseForgotPasswordRequest>,
    pub password_salt: Option<ResponsePasswordSalt<'a>>,
    pub get_admin_notes: Option<ResponseGetAdminNotes<'a>>,
    pub replay_list: Option<ResponseReplayList<'a>>,
    pub replay_download: Option<ResponseReplayDownload<'a>>,
    pub replay_get_code: Option<ResponseReplayGetCode<'a>>,
    pub list_card_art_rules: Option<ResponseListCardArtRules<'a>>,
    pub replay_download_by_game_id: Option<ResponseReplayDownloadByGameId<'a>>,
    pub report_list: Option<ResponseReportList<'a>>,
    pub report_user_info: Option<ResponseReportUserInfo<'a>>,
    pub report_stats: Option<ResponseReportStats<'a>>,
    pub report_my_list: Option<ResponseReportMyList<'a>>,
    pub report_details: Option<ResponseReportDetails<'a>>,
    pub user_sessions: Option<ResponseUserSessions<'a>>,
    pub user_alts: Option<ResponseUserAlts<'a>>,
    pub moderator_last_logins: Option<ResponseModeratorLastLogins<'a>>,
    pub reset_user_password: Option<ResponseResetUserPassword<'a>>,
    pub remove_user_avatar: Option<ResponseRemoveUserAvatar<'a>>,
}
impl<'a> MessageRead<'a> for Response<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.cmd_id = r.read_uint64(bytes)?,
                Ok(16) => msg.response_code = Some(r.read_enum(bytes)?),
                Ok(8002) => {
                    msg.join_room = Some(r.read_message::<ResponseJoinRoom>(bytes)?);
                }
                Ok(8010) => {
                    msg.list_users = Some(r.read_message::<ResponseListUsers>(bytes)?);
                }
                Ok(8018) => {
                    msg.get_games_of_user = Some(r.read_message::<ResponseGetGamesOfUser>(bytes)?);
                }
                Ok(8026) => {
                    msg.get_user_info = Some(r.read_message::<ResponseGetUserInfo>(bytes)?);
                }
                Ok(8034) => {
                    msg.dump_zone = Some(r.read_message::<ResponseDumpZone>(bytes)?);
                }
                Ok(8042) => msg.login = Some(r.read_message::<ResponseLogin>(bytes)?),
                Ok(8050) => {
                    msg.deck_list = Some(r.read_message::<ResponseDeckList>(bytes)?);
                }
                Ok(8058) => {
                    msg.deck_download = Some(r.read_message::<ResponseDeckDownload>(bytes)?);
                }
                Ok(8066) => {
                    msg.deck_upload = Some(r.read_message::<ResponseDeckUpload>(bytes)?);
                }
                Ok(8074) => {
                    msg.register = Some(r.read_message::<ResponseRegister>(bytes)?);
                }
                Ok(8082) => {
                    msg.activate = Some(r.read_message::<ResponseActivate>(bytes)?);
                }
                Ok(8090) => {
                    msg.adjust_mod = Some(r.read_message::<ResponseAdjustMod>(bytes)?);
                }
                Ok(8098) => {
                    msg.ban_history = Some(r.read_message::<ResponseBanHistory>(bytes)?);
                }
                Ok(8106) => {
                    msg.warn_history = Some(r.read_message::<ResponseWarnHistory>(bytes)?);
                }
                Ok(8114) => {
                    msg.warn_list = Some(r.read_message::<ResponseWarnList>(bytes)?);
                }
                Ok(8122) => {
                    msg.view_log_history = Some(r.read_message::<ResponseViewLogHistory>(bytes)?);
                }
                Ok(8130) => {
                    msg.forgot_password_request =
                        Some(r.read_message::<ResponseForgotPasswordRequest>(bytes)?);
                }
                Ok(8138) => {
                    msg.password_salt = Some(r.read_message::<ResponsePasswordSalt>(bytes)?);
                }
                Ok(8146) => {
                    msg.get_admin_notes = Some(r.read_message::<ResponseGetAdminNotes>(bytes)?);
                }
                Ok(8802) => {
                    msg.replay_list = Some(r.read_message::<ResponseReplayList>(bytes)?);
                }
                Ok(8810) => {
                    msg.replay_download = Some(r.read_message::<ResponseReplayDownload>(bytes)?);
                }
                Ok(8818) => {
                    msg.replay_get_code = Some(r.read_message::<ResponseReplayGetCode>(bytes)?);
                }
                Ok(9602) => {
                    msg.list_card_art_rules =
                        Some(r.read_message::<ResponseListCardArtRules>(bytes)?);
                }
                Ok(9626) => {
                    msg.replay_download_by_game_id =
                        Some(r.read_message::<ResponseReplayDownloadByGameId>(bytes)?);
                }
                Ok(9682) => {
                    msg.report_list = Some(r.read_message::<ResponseReportList>(bytes)?);
                }
                Ok(9690) => {
                    msg.report_user_info = Some(r.read_message::<ResponseReportUserInfo>(bytes)?);
                }
                Ok(9698) => {
                    msg.report_stats = Some(r.read_message::<ResponseReportStats>(bytes)?);
                }
                Ok(9706) => {
                    msg.report_my_list = Some(r.read_message::<ResponseReportMyList>(bytes)?);
                }
                Ok(9714) => {
                    msg.report_details = Some(r.read_message::<ResponseReportDetails>(bytes)?);
                }
                Ok(9722) => {
                    msg.user_sessions = Some(r.read_message::<ResponseUserSessions>(bytes)?);
                }
                Ok(9730) => {
                    msg.user_alts = Some(r.read_message::<ResponseUserAlts>(bytes)?);
                }
                Ok(9738) => {
                    msg.moderator_last_logins =
                        Some(r.read_message::<ResponseModeratorLastLogins>(bytes)?);
                }
                Ok(9746) => {
                    msg.reset_user_password =
                        Some(r.read_message::<ResponseResetUserPassword>(bytes)?);
                }
                Ok(9754) => {
                    msg.remove_user_avatar =
                        Some(r.read_message::<ResponseRemoveUserAvatar>(bytes)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for Response<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseJoinRoom<'a> {
    pub room_info: Option<ServerInfoRoom<'a>>,
}
impl<'a> MessageRead<'a> for ResponseJoinRoom<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.room_info = Some(r.read_message::<ServerInfoRoom>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseJoinRoom<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoRoom<'a> {
    pub room_id: Option<i32>,
    pub name: Option<Cow<'a, str>>,
    pub description: Option<Cow<'a, str>>,
    pub game_count: Option<u32>,
    pub player_count: Option<u32>,
    pub auto_join: Option<bool>,
    pub game_list: Vec<ServerInfoGame<'a>>,
    pub user_list: Vec<ServerInfoUser<'a>>,
    pub gametype_list: Vec<ServerInfoGameType<'a>>,
    pub permissionlevel: Option<Cow<'a, str>>,
    pub privilegelevel: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoRoom<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.room_id = Some(r.read_sint32(bytes)?),
                Ok(18) => msg.name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => {
                    msg.description = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(32) => msg.game_count = Some(r.read_uint32(bytes)?),
                Ok(40) => msg.player_count = Some(r.read_uint32(bytes)?),
                Ok(48) => msg.auto_join = Some(r.read_bool(bytes)?),
                Ok(58) => msg.game_list.push(r.read_message::<ServerInfoGame>(bytes)?),
                Ok(66) => msg.user_list.push(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(74) => msg
                    .gametype_list
                    .push(r.read_message::<ServerInfoGameType>(bytes)?),
                Ok(82) => {
                    msg.permissionlevel = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(90) => {
                    msg.privilegelevel = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoRoom<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoGame<'a> {
    pub server_id: Option<i32>,
    pub room_id: Option<i32>,
    pub game_id: Option<i32>,
    pub description: Option<Cow<'a, str>>,
    pub with_password: Option<bool>,
    pub max_players: Option<u32>,
    pub game_types: Vec<i32>,
    pub creator_info: Option<ServerInfoUser<'a>>,
    pub only_buddies: Option<bool>,
    pub only_registered: Option<bool>,
    pub spectators_allowed: Option<bool>,
    pub spectators_need_password: Option<bool>,
    pub spectators_can_chat: Option<bool>,
    pub spectators_omniscient: Option<bool>,
    pub share_decklists_on_load: Option<bool>,
    pub player_count: Option<u32>,
    pub spectators_count: Option<u32>,
    pub started: Option<bool>,
    pub start_time: Option<u32>,
    pub closed: Option<bool>,
    pub host_info: Option<ServerInfoUser<'a>>,
}
impl<'a> MessageRead<'a> for ServerInfoGame<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.server_id = Some(r.read_sint32(bytes)?),
                Ok(16) => msg.room_id = Some(r.read_sint32(bytes)?),
                Ok(24) => msg.game_id = Some(r.read_sint32(bytes)?),
                Ok(34) => {
                    msg.description = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(40) => msg.with_password = Some(r.read_bool(bytes)?),
                Ok(48) => msg.max_players = Some(r.read_uint32(bytes)?),
                Ok(56) => msg.game_types.push(r.read_sint32(bytes)?),
                Ok(66) => {
                    msg.creator_info = Some(r.read_message::<ServerInfoUser>(bytes)?);
                }
                Ok(72) => msg.only_buddies = Some(r.read_bool(bytes)?),
                Ok(80) => msg.only_registered = Some(r.read_bool(bytes)?),
                Ok(88) => msg.spectators_allowed = Some(r.read_bool(bytes)?),
                Ok(96) => msg.spectators_need_password = Some(r.read_bool(bytes)?),
                Ok(104) => msg.spectators_can_chat = Some(r.read_bool(bytes)?),
                Ok(112) => msg.spectators_omniscient = Some(r.read_bool(bytes)?),
                Ok(120) => msg.share_decklists_on_load = Some(r.read_bool(bytes)?),
                Ok(240) => msg.player_count = Some(r.read_uint32(bytes)?),
                Ok(248) => msg.spectators_count = Some(r.read_uint32(bytes)?),
                Ok(400) => msg.started = Some(r.read_bool(bytes)?),
                Ok(408) => msg.start_time = Some(r.read_uint32(bytes)?),
                Ok(416) => msg.closed = Some(r.read_bool(bytes)?),
                Ok(426) => msg.host_info = Some(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoGame<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoUser<'a> {
    pub name: Option<Cow<'a, str>>,
    pub user_level: Option<u32>,
    pub address: Option<Cow<'a, str>>,
    pub real_name: Option<Cow<'a, str>>,
    pub country: Option<Cow<'a, str>>,
    pub avatar_bmp: Option<Cow<'a, [u8]>>,
    pub id: Option<i32>,
    pub server_id: Option<i32>,
    pub session_id: Option<u64>,
    pub accountage_secs: Option<u64>,
    pub email: Option<Cow<'a, str>>,
    pub clientid: Option<Cow<'a, str>>,
    pub privlevel: Option<Cow<'a, str>>,
    pub pawn_colors: Option<ServerInfoUserPawnColorsOverride<'a>>,
    pub card_art_params: Option<ServerInfoUserCardArtParams<'a>>,
}
impl<'a> MessageRead<'a> for ServerInfoUser<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.user_level = Some(r.read_uint32(bytes)?),
                Ok(26) => msg.address = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(34) => msg.real_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(50) => msg.country = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(58) => msg.avatar_bmp = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(64) => msg.id = Some(r.read_sint32(bytes)?),
                Ok(72) => msg.server_id = Some(r.read_sint32(bytes)?),
                Ok(80) => msg.session_id = Some(r.read_uint64(bytes)?),
                Ok(88) => msg.accountage_secs = Some(r.read_uint64(bytes)?),
                Ok(98) => msg.email = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(106) => msg.clientid = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(114) => msg.privlevel = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(122) => {
                    msg.pawn_colors =
                        Some(r.read_message::<ServerInfoUserPawnColorsOverride>(bytes)?);
                }
                Ok(130) => {
                    msg.card_art_params =
                        Some(r.read_message::<ServerInfoUserCardArtParams>(bytes)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoUser<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoUserPawnColorsOverride<'a> {
    pub left_side: Option<Cow<'a, str>>,
    pub right_side: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoUserPawnColorsOverride<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.left_side = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.right_side = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoUserPawnColorsOverride<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoUserCardArtParams<'a> {
    pub card_name: Option<Cow<'a, str>>,
    pub card_provider_id: Option<Cow<'a, str>>,
    pub margin_pct_l: Option<f64>,
    pub margin_pct_r: Option<f64>,
    pub vertical_offset: Option<f64>,
    pub zoom: Option<f64>,
}
impl<'a> MessageRead<'a> for ServerInfoUserCardArtParams<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.card_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => {
                    msg.card_provider_id = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(25) => msg.margin_pct_l = Some(r.read_double(bytes)?),
                Ok(33) => msg.margin_pct_r = Some(r.read_double(bytes)?),
                Ok(41) => msg.vertical_offset = Some(r.read_double(bytes)?),
                Ok(49) => msg.zoom = Some(r.read_double(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoUserCardArtParams<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoGameType<'a> {
    pub game_type_id: Option<i32>,
    pub description: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoGameType<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.game_type_id = Some(r.read_sint32(bytes)?),
                Ok(18) => {
                    msg.description = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoGameType<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseListUsers<'a> {
    pub user_list: Vec<ServerInfoUser<'a>>,
}
impl<'a> MessageRead<'a> for ResponseListUsers<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_list.push(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseListUsers<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseGetGamesOfUser<'a> {
    pub room_list: Vec<ServerInfoRoom<'a>>,
    pub game_list: Vec<ServerInfoGame<'a>>,
}
impl<'a> MessageRead<'a> for ResponseGetGamesOfUser<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.room_list.push(r.read_message::<ServerInfoRoom>(bytes)?),
                Ok(18) => msg.game_list.push(r.read_message::<ServerInfoGame>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseGetGamesOfUser<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseGetUserInfo<'a> {
    pub user_info: Option<ServerInfoUser<'a>>,
}
impl<'a> MessageRead<'a> for ResponseGetUserInfo<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_info = Some(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseGetUserInfo<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseDumpZone<'a> {
    pub zone_info: Option<ServerInfoZone<'a>>,
}
impl<'a> MessageRead<'a> for ResponseDumpZone<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.zone_info = Some(r.read_message::<ServerInfoZone>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseDumpZone<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoZone<'a> {
    pub name: Option<Cow<'a, str>>,
    pub kind: Option<ServerInfoZoneZoneType>,
    pub with_coords: Option<bool>,
    pub card_count: Option<i32>,
    pub card_list: Vec<ServerInfoCard<'a>>,
    pub always_reveal_top_card: Option<bool>,
    pub always_look_at_top_card: Option<bool>,
}
impl<'a> MessageRead<'a> for ServerInfoZone<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.kind = Some(r.read_enum(bytes)?),
                Ok(24) => msg.with_coords = Some(r.read_bool(bytes)?),
                Ok(32) => msg.card_count = Some(r.read_sint32(bytes)?),
                Ok(42) => msg.card_list.push(r.read_message::<ServerInfoCard>(bytes)?),
                Ok(80) => msg.always_reveal_top_card = Some(r.read_bool(bytes)?),
                Ok(88) => msg.always_look_at_top_card = Some(r.read_bool(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoZone<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoCard<'a> {
    pub id: Option<i32>,
    pub name: Option<Cow<'a, str>>,
    pub x: Option<i32>,
    pub y: Option<i32>,
    pub face_down: Option<bool>,
    pub tapped: Option<bool>,
    pub attacking: Option<bool>,
    pub color: Option<Cow<'a, str>>,
    pub pt: Option<Cow<'a, str>>,
    pub annotation: Option<Cow<'a, str>>,
    pub destroy_on_zone_change: Option<bool>,
    pub doesnt_untap: Option<bool>,
    pub counter_list: Vec<ServerInfoCardCounter>,
    pub attach_player_id: Option<i32>,
    pub attach_zone: Option<Cow<'a, str>>,
    pub attach_card_id: Option<i32>,
    pub provider_id: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoCard<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.id = Some(r.read_sint32(bytes)?),
                Ok(18) => msg.name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(24) => msg.x = Some(r.read_sint32(bytes)?),
                Ok(32) => msg.y = Some(r.read_sint32(bytes)?),
                Ok(40) => msg.face_down = Some(r.read_bool(bytes)?),
                Ok(48) => msg.tapped = Some(r.read_bool(bytes)?),
                Ok(56) => msg.attacking = Some(r.read_bool(bytes)?),
                Ok(66) => msg.color = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(74) => msg.pt = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(82) => msg.annotation = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(88) => msg.destroy_on_zone_change = Some(r.read_bool(bytes)?),
                Ok(96) => msg.doesnt_untap = Some(r.read_bool(bytes)?),
                Ok(106) => msg
                    .counter_list
                    .push(r.read_message::<ServerInfoCardCounter>(bytes)?),
                Ok(112) => msg.attach_player_id = Some(r.read_sint32(bytes)?),
                Ok(122) => {
                    msg.attach_zone = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(128) => msg.attach_card_id = Some(r.read_sint32(bytes)?),
                Ok(138) => {
                    msg.provider_id = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoCard<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoCardCounter {
    pub id: Option<i32>,
    pub value: Option<i32>,
}
impl<'a> MessageRead<'a> for ServerInfoCardCounter {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.id = Some(r.read_sint32(bytes)?),
                Ok(16) => msg.value = Some(r.read_sint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl MessageWrite for ServerInfoCardCounter {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseLogin<'a> {
    pub user_info: Option<ServerInfoUser<'a>>,
    pub buddy_list: Vec<ServerInfoUser<'a>>,
    pub ignore_list: Vec<ServerInfoUser<'a>>,
    pub denied_reason_str: Option<Cow<'a, str>>,
    pub denied_end_time: Option<u64>,
    pub missing_features: Vec<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseLogin<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_info = Some(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(18) => msg
                    .buddy_list
                    .push(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(26) => msg
                    .ignore_list
                    .push(r.read_message::<ServerInfoUser>(bytes)?),
                Ok(34) => {
                    msg.denied_reason_str = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(40) => msg.denied_end_time = Some(r.read_uint64(bytes)?),
                Ok(50) => msg
                    .missing_features
                    .push(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseLogin<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseDeckList<'a> {
    pub root: Option<ServerInfoDeckStorageFolder<'a>>,
}
impl<'a> MessageRead<'a> for ResponseDeckList<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.root = Some(r.read_message::<ServerInfoDeckStorageFolder>(bytes)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseDeckList<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoDeckStorageFolder<'a> {
    pub items: Vec<ServerInfoDeckStorageTreeItem<'a>>,
}
impl<'a> MessageRead<'a> for ServerInfoDeckStorageFolder<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .items
                    .push(r.read_message::<ServerInfoDeckStorageTreeItem>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoDeckStorageFolder<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoDeckStorageTreeItem<'a> {
    pub id: Option<u32>,
    pub name: Option<Cow<'a, str>>,
    pub file: Option<ServerInfoDeckStorageFile>,
    pub folder: Option<ServerInfoDeckStorageFolder<'a>>,
}
impl<'a> MessageRead<'a> for ServerInfoDeckStorageTreeItem<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.id = Some(r.read_uint32(bytes)?),
                Ok(18) => msg.name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(82) => {
                    msg.file = Some(r.read_message::<ServerInfoDeckStorageFile>(bytes)?);
                }
                Ok(90) => {
                    msg.folder = Some(r.read_message::<ServerInfoDeckStorageFolder>(bytes)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoDeckStorageTreeItem<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoDeckStorageFile {
    pub creation_time: Option<u32>,
}
impl<'a> MessageRead<'a> for ServerInfoDeckStorageFile {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.creation_time = Some(r.read_uint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl MessageWrite for ServerInfoDeckStorageFile {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseDeckDownload<'a> {
    pub deck: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseDeckDownload<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.deck = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseDeckDownload<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseDeckUpload<'a> {
    pub new_file: Option<ServerInfoDeckStorageTreeItem<'a>>,
}
impl<'a> MessageRead<'a> for ResponseDeckUpload<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.new_file = Some(r.read_message::<ServerInfoDeckStorageTreeItem>(bytes)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseDeckUpload<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseRegister<'a> {
    pub denied_reason_str: Option<Cow<'a, str>>,
    pub denied_end_time: Option<u64>,
}
impl<'a> MessageRead<'a> for ResponseRegister<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.denied_reason_str = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(16) => msg.denied_end_time = Some(r.read_uint64(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseRegister<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseActivate {}
impl<'a> MessageRead<'a> for ResponseActivate {
    fn from_reader(r: &mut BytesReader, _: &[u8]) -> Result<Self> {
        r.read_to_end();
        Ok(Self::default())
    }
}
impl MessageWrite for ResponseActivate {}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseAdjustMod {}
impl<'a> MessageRead<'a> for ResponseAdjustMod {
    fn from_reader(r: &mut BytesReader, _: &[u8]) -> Result<Self> {
        r.read_to_end();
        Ok(Self::default())
    }
}
impl MessageWrite for ResponseAdjustMod {}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseBanHistory<'a> {
    pub ban_list: Vec<ServerInfoBan<'a>>,
}
impl<'a> MessageRead<'a> for ResponseBanHistory<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.ban_list.push(r.read_message::<ServerInfoBan>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseBanHistory<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoBan<'a> {
    pub admin_id: Cow<'a, str>,
    pub admin_name: Cow<'a, str>,
    pub ban_time: Cow<'a, str>,
    pub ban_length: Cow<'a, str>,
    pub ban_reason: Option<Cow<'a, str>>,
    pub visible_reason: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoBan<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.admin_id = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(18) => msg.admin_name = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(26) => msg.ban_time = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(34) => msg.ban_length = r.read_string(bytes).map(Cow::Borrowed)?,
                Ok(42) => msg.ban_reason = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(50) => {
                    msg.visible_reason = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoBan<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseWarnHistory<'a> {
    pub warn_list: Vec<ServerInfoWarning<'a>>,
}
impl<'a> MessageRead<'a> for ResponseWarnHistory<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .warn_list
                    .push(r.read_message::<ServerInfoWarning>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseWarnHistory<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoWarning<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub admin_name: Option<Cow<'a, str>>,
    pub reason: Option<Cow<'a, str>>,
    pub time_of: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoWarning<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.admin_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => msg.reason = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(34) => msg.time_of = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoWarning<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseWarnList<'a> {
    pub warning: Vec<Cow<'a, str>>,
    pub user_name: Option<Cow<'a, str>>,
    pub user_clientid: Option<Cow<'a, str>>,
    pub warning_il: Vec<u32>,
}
impl<'a> MessageRead<'a> for ResponseWarnList<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.warning.push(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => {
                    msg.user_clientid = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(32) => msg.warning_il.push(r.read_uint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseWarnList<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseViewLogHistory<'a> {
    pub log_message: Vec<ServerInfoChatMessage<'a>>,
}
impl<'a> MessageRead<'a> for ResponseViewLogHistory<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .log_message
                    .push(r.read_message::<ServerInfoChatMessage>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseViewLogHistory<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoChatMessage<'a> {
    pub time: Option<Cow<'a, str>>,
    pub sender_id: Option<Cow<'a, str>>,
    pub sender_name: Option<Cow<'a, str>>,
    pub sender_ip: Option<Cow<'a, str>>,
    pub message: Option<Cow<'a, str>>,
    pub target_type: Option<Cow<'a, str>>,
    pub target_id: Option<Cow<'a, str>>,
    pub target_name: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoChatMessage<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.time = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.sender_id = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => {
                    msg.sender_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(34) => msg.sender_ip = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(42) => msg.message = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(50) => {
                    msg.target_type = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(58) => msg.target_id = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(66) => {
                    msg.target_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoChatMessage<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseForgotPasswordRequest {
    pub challenge_email: Option<bool>,
}
impl<'a> MessageRead<'a> for ResponseForgotPasswordRequest {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.challenge_email = Some(r.read_bool(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl MessageWrite for ResponseForgotPasswordRequest {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponsePasswordSalt<'a> {
    pub password_salt: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponsePasswordSalt<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.password_salt = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponsePasswordSalt<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseGetAdminNotes<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub notes: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseGetAdminNotes<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.notes = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseGetAdminNotes<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReplayList<'a> {
    pub match_list: Vec<ServerInfoReplayMatch<'a>>,
}
impl<'a> MessageRead<'a> for ResponseReplayList<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .match_list
                    .push(r.read_message::<ServerInfoReplayMatch>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReplayList<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoReplayMatch<'a> {
    pub replay_list: Vec<ServerInfoReplay<'a>>,
    pub game_id: Option<i32>,
    pub room_name: Option<Cow<'a, str>>,
    pub time_started: Option<u32>,
    pub length: Option<u32>,
    pub game_name: Option<Cow<'a, str>>,
    pub player_names: Vec<Cow<'a, str>>,
    pub do_not_hide: Option<bool>,
}
impl<'a> MessageRead<'a> for ServerInfoReplayMatch<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .replay_list
                    .push(r.read_message::<ServerInfoReplay>(bytes)?),
                Ok(16) => msg.game_id = Some(r.read_sint32(bytes)?),
                Ok(26) => msg.room_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(32) => msg.time_started = Some(r.read_uint32(bytes)?),
                Ok(40) => msg.length = Some(r.read_uint32(bytes)?),
                Ok(50) => msg.game_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(58) => msg
                    .player_names
                    .push(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(64) => msg.do_not_hide = Some(r.read_bool(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoReplayMatch<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoReplay<'a> {
    pub replay_id: Option<i32>,
    pub replay_name: Option<Cow<'a, str>>,
    pub duration: Option<u32>,
}
impl<'a> MessageRead<'a> for ServerInfoReplay<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.replay_id = Some(r.read_sint32(bytes)?),
                Ok(18) => {
                    msg.replay_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(24) => msg.duration = Some(r.read_uint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoReplay<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReplayDownload<'a> {
    pub replay_data: Option<Cow<'a, [u8]>>,
}
impl<'a> MessageRead<'a> for ResponseReplayDownload<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.replay_data = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReplayDownload<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReplayGetCode<'a> {
    pub replay_code: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseReplayGetCode<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.replay_code = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReplayGetCode<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseListCardArtRules<'a> {
    pub entries: Vec<ResponseCardArtRuleEntry<'a>>,
}
impl<'a> MessageRead<'a> for ResponseListCardArtRules<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .entries
                    .push(r.read_message::<ResponseCardArtRuleEntry>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseListCardArtRules<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseCardArtRuleEntry<'a> {
    pub card_name: Option<Cow<'a, str>>,
    pub card_provider_id: Option<Cow<'a, str>>,
    pub mode: Option<Cow<'a, str>>,
    pub reason: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseCardArtRuleEntry<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.card_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => {
                    msg.card_provider_id = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(26) => msg.mode = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(34) => msg.reason = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseCardArtRuleEntry<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReplayDownloadByGameId<'a> {
    pub replay_data: Option<Cow<'a, [u8]>>,
    pub replay_id: Option<i32>,
}
impl<'a> MessageRead<'a> for ResponseReplayDownloadByGameId<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.replay_data = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.replay_id = Some(r.read_sint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReplayDownloadByGameId<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReportList<'a> {
    pub reports: Vec<ServerInfoReport<'a>>,
    pub total_count: Option<u32>,
}
impl<'a> MessageRead<'a> for ResponseReportList<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.reports.push(r.read_message::<ServerInfoReport>(bytes)?),
                Ok(16) => msg.total_count = Some(r.read_uint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReportList<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoReport<'a> {
    pub report_id: Option<i32>,
    pub reporter_name: Option<Cow<'a, str>>,
    pub reported_user_name: Option<Cow<'a, str>>,
    pub game_id: Option<i32>,
    pub replay_id: Option<i32>,
    pub room_id: Option<i32>,
    pub category: Option<Cow<'a, str>>,
    pub status: Option<Cow<'a, str>>,
    pub description: Option<Cow<'a, str>>,
    pub report_time: Option<i64>,
    pub assigned_mod_name: Option<Cow<'a, str>>,
    pub resolution_time: Option<i64>,
    pub comments: Vec<ServerInfoReportComment<'a>>,
    pub chat_log: Option<Cow<'a, str>>,
    pub resolution_note: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoReport<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.report_id = Some(r.read_int32(bytes)?),
                Ok(18) => {
                    msg.reporter_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(26) => {
                    msg.reported_user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(32) => msg.game_id = Some(r.read_int32(bytes)?),
                Ok(40) => msg.replay_id = Some(r.read_int32(bytes)?),
                Ok(48) => msg.room_id = Some(r.read_int32(bytes)?),
                Ok(58) => msg.category = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(66) => msg.status = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(74) => {
                    msg.description = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(80) => msg.report_time = Some(r.read_int64(bytes)?),
                Ok(90) => {
                    msg.assigned_mod_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(96) => msg.resolution_time = Some(r.read_int64(bytes)?),
                Ok(106) => msg
                    .comments
                    .push(r.read_message::<ServerInfoReportComment>(bytes)?),
                Ok(114) => msg.chat_log = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(122) => {
                    msg.resolution_note = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoReport<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoReportComment<'a> {
    pub author_name: Option<Cow<'a, str>>,
    pub comment_text: Option<Cow<'a, str>>,
    pub comment_time: Option<i64>,
    pub is_moderator: Option<bool>,
}
impl<'a> MessageRead<'a> for ServerInfoReportComment<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => {
                    msg.author_name = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(18) => {
                    msg.comment_text = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(24) => msg.comment_time = Some(r.read_int64(bytes)?),
                Ok(32) => msg.is_moderator = Some(r.read_bool(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoReportComment<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReportUserInfo<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub total_reports: Option<i32>,
    pub total_bans: Option<i32>,
    pub total_warns: Option<i32>,
    pub registration_time: Option<i64>,
    pub is_admin: Option<bool>,
    pub is_active: Option<bool>,
    pub admin_notes: Option<Cow<'a, str>>,
    pub recent_reports: Vec<ServerInfoReport<'a>>,
    pub last_login: Option<i64>,
}
impl<'a> MessageRead<'a> for ResponseReportUserInfo<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.total_reports = Some(r.read_int32(bytes)?),
                Ok(24) => msg.total_bans = Some(r.read_int32(bytes)?),
                Ok(32) => msg.total_warns = Some(r.read_int32(bytes)?),
                Ok(40) => msg.registration_time = Some(r.read_int64(bytes)?),
                Ok(48) => msg.is_admin = Some(r.read_bool(bytes)?),
                Ok(56) => msg.is_active = Some(r.read_bool(bytes)?),
                Ok(66) => {
                    msg.admin_notes = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(74) => msg
                    .recent_reports
                    .push(r.read_message::<ServerInfoReport>(bytes)?),
                Ok(80) => msg.last_login = Some(r.read_int64(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReportUserInfo<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReportStats<'a> {
    pub total_reports: Option<i32>,
    pub total_pending: Option<i32>,
    pub total_assigned: Option<i32>,
    pub total_resolved: Option<i32>,
    pub reports_last_24h: Option<i32>,
    pub reports_last_7d: Option<i32>,
    pub reports_last_30d: Option<i32>,
    pub avg_resolution_hours: Option<f64>,
    pub reports_this_week: Option<i32>,
    pub reports_last_week: Option<i32>,
    pub category_counts: Vec<ReportCategoryCount<'a>>,
    pub top_reported_users: Vec<ReportTopUser<'a>>,
    pub top_reporters: Vec<ReportTopUser<'a>>,
}
impl<'a> MessageRead<'a> for ResponseReportStats<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.total_reports = Some(r.read_int32(bytes)?),
                Ok(16) => msg.total_pending = Some(r.read_int32(bytes)?),
                Ok(24) => msg.total_assigned = Some(r.read_int32(bytes)?),
                Ok(32) => msg.total_resolved = Some(r.read_int32(bytes)?),
                Ok(40) => msg.reports_last_24h = Some(r.read_int32(bytes)?),
                Ok(48) => msg.reports_last_7d = Some(r.read_int32(bytes)?),
                Ok(56) => msg.reports_last_30d = Some(r.read_int32(bytes)?),
                Ok(65) => msg.avg_resolution_hours = Some(r.read_double(bytes)?),
                Ok(72) => msg.reports_this_week = Some(r.read_int32(bytes)?),
                Ok(80) => msg.reports_last_week = Some(r.read_int32(bytes)?),
                Ok(90) => msg
                    .category_counts
                    .push(r.read_message::<ReportCategoryCount>(bytes)?),
                Ok(98) => msg
                    .top_reported_users
                    .push(r.read_message::<ReportTopUser>(bytes)?),
                Ok(106) => msg
                    .top_reporters
                    .push(r.read_message::<ReportTopUser>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReportStats<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ReportCategoryCount<'a> {
    pub category: Option<Cow<'a, str>>,
    pub count: Option<i32>,
}
impl<'a> MessageRead<'a> for ReportCategoryCount<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.category = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.count = Some(r.read_int32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ReportCategoryCount<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ReportTopUser<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub count: Option<i32>,
}
impl<'a> MessageRead<'a> for ReportTopUser<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.count = Some(r.read_int32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ReportTopUser<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReportMyList<'a> {
    pub reports: Vec<ServerInfoReport<'a>>,
}
impl<'a> MessageRead<'a> for ResponseReportMyList<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.reports.push(r.read_message::<ServerInfoReport>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReportMyList<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseReportDetails<'a> {
    pub report: Option<ServerInfoReport<'a>>,
}
impl<'a> MessageRead<'a> for ResponseReportDetails<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.report = Some(r.read_message::<ServerInfoReport>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseReportDetails<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseUserSessions<'a> {
    pub sessions: Vec<ServerInfoUserSession<'a>>,
}
impl<'a> MessageRead<'a> for ResponseUserSessions<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .sessions
                    .push(r.read_message::<ServerInfoUserSession>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseUserSessions<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoUserSession<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub ip_address: Option<Cow<'a, str>>,
    pub clientid: Option<Cow<'a, str>>,
    pub start_time: Option<u64>,
    pub end_time: Option<u64>,
    pub connection_type: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ServerInfoUserSession<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.ip_address = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => msg.clientid = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(32) => msg.start_time = Some(r.read_uint64(bytes)?),
                Ok(40) => msg.end_time = Some(r.read_uint64(bytes)?),
                Ok(50) => {
                    msg.connection_type = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoUserSession<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseUserAlts<'a> {
    pub alts: Vec<ServerInfoUserAlt<'a>>,
}
impl<'a> MessageRead<'a> for ResponseUserAlts<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.alts.push(r.read_message::<ServerInfoUserAlt>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseUserAlts<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoUserAlt<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub email: Option<Cow<'a, str>>,
    pub clientid: Option<Cow<'a, str>>,
    pub registration_time: Option<u64>,
    pub last_login: Option<u64>,
    pub warn_count: Option<u32>,
    pub ban_count: Option<u32>,
    pub is_active: Option<bool>,
}
impl<'a> MessageRead<'a> for ServerInfoUserAlt<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => msg.email = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(26) => msg.clientid = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(32) => msg.registration_time = Some(r.read_uint64(bytes)?),
                Ok(40) => msg.last_login = Some(r.read_uint64(bytes)?),
                Ok(48) => msg.warn_count = Some(r.read_uint32(bytes)?),
                Ok(56) => msg.ban_count = Some(r.read_uint32(bytes)?),
                Ok(64) => msg.is_active = Some(r.read_bool(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoUserAlt<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseModeratorLastLogins<'a> {
    pub logins: Vec<ServerInfoModeratorLogin<'a>>,
}
impl<'a> MessageRead<'a> for ResponseModeratorLastLogins<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg
                    .logins
                    .push(r.read_message::<ServerInfoModeratorLogin>(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseModeratorLastLogins<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerInfoModeratorLogin<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub last_login: Option<u64>,
    pub user_level: Option<u32>,
}
impl<'a> MessageRead<'a> for ServerInfoModeratorLogin<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(16) => msg.last_login = Some(r.read_uint64(bytes)?),
                Ok(24) => msg.user_level = Some(r.read_uint32(bytes)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerInfoModeratorLogin<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseResetUserPassword<'a> {
    pub user_name: Option<Cow<'a, str>>,
    pub temporary_password: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseResetUserPassword<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(18) => {
                    msg.temporary_password = Some(r.read_string(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseResetUserPassword<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseRemoveUserAvatar<'a> {
    pub user_name: Option<Cow<'a, str>>,
}
impl<'a> MessageRead<'a> for ResponseRemoveUserAvatar<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(10) => msg.user_name = Some(r.read_string(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseRemoveUserAvatar<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ServerMessageHead<'a> {
    pub message_type: Option<MessageType>,
    pub response: Option<Cow<'a, [u8]>>,
}
impl<'a> MessageRead<'a> for ServerMessageHead<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.message_type = Some(r.read_enum(bytes)?),
                Ok(18) => msg.response = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ServerMessageHead<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
#[allow(clippy::derive_partial_eq_without_eq)]
#[derive(Debug, Default, PartialEq, Clone)]
pub struct ResponseHead<'a> {
    pub cmd_id: u64,
    pub response_code: Option<ResponseCode>,
    pub join_room: Option<Cow<'a, [u8]>>,
    pub list_users: Option<Cow<'a, [u8]>>,
    pub get_games_of_user: Option<Cow<'a, [u8]>>,
    pub get_user_info: Option<Cow<'a, [u8]>>,
    pub dump_zone: Option<Cow<'a, [u8]>>,
    pub login: Option<Cow<'a, [u8]>>,
    pub deck_list: Option<Cow<'a, [u8]>>,
    pub deck_download: Option<Cow<'a, [u8]>>,
    pub deck_upload: Option<Cow<'a, [u8]>>,
    pub register: Option<Cow<'a, [u8]>>,
    pub activate: Option<Cow<'a, [u8]>>,
    pub adjust_mod: Option<Cow<'a, [u8]>>,
    pub ban_history: Option<Cow<'a, [u8]>>,
    pub warn_history: Option<Cow<'a, [u8]>>,
    pub warn_list: Option<Cow<'a, [u8]>>,
    pub view_log_history: Option<Cow<'a, [u8]>>,
    pub forgot_password_request: Option<Cow<'a, [u8]>>,
    pub password_salt: Option<Cow<'a, [u8]>>,
    pub get_admin_notes: Option<Cow<'a, [u8]>>,
    pub replay_list: Option<Cow<'a, [u8]>>,
    pub replay_download: Option<Cow<'a, [u8]>>,
    pub replay_get_code: Option<Cow<'a, [u8]>>,
    pub list_card_art_rules: Option<Cow<'a, [u8]>>,
    pub replay_download_by_game_id: Option<Cow<'a, [u8]>>,
    pub report_list: Option<Cow<'a, [u8]>>,
    pub report_user_info: Option<Cow<'a, [u8]>>,
    pub report_stats: Option<Cow<'a, [u8]>>,
    pub report_my_list: Option<Cow<'a, [u8]>>,
    pub report_details: Option<Cow<'a, [u8]>>,
    pub user_sessions: Option<Cow<'a, [u8]>>,
    pub user_alts: Option<Cow<'a, [u8]>>,
    pub moderator_last_logins: Option<Cow<'a, [u8]>>,
    pub reset_user_password: Option<Cow<'a, [u8]>>,
    pub remove_user_avatar: Option<Cow<'a, [u8]>>,
}
impl<'a> MessageRead<'a> for ResponseHead<'a> {
    fn from_reader(r: &mut BytesReader, bytes: &'a [u8]) -> Result<Self> {
        let mut msg = Self::default();
        while !r.is_eof() {
            match r.next_tag(bytes) {
                Ok(8) => msg.cmd_id = r.read_uint64(bytes)?,
                Ok(16) => msg.response_code = Some(r.read_enum(bytes)?),
                Ok(8002) => msg.join_room = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8010) => {
                    msg.list_users = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8018) => {
                    msg.get_games_of_user = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8026) => {
                    msg.get_user_info = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8034) => msg.dump_zone = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8042) => msg.login = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8050) => msg.deck_list = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8058) => {
                    msg.deck_download = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8066) => {
                    msg.deck_upload = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8074) => msg.register = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8082) => msg.activate = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8090) => {
                    msg.adjust_mod = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8098) => {
                    msg.ban_history = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8106) => {
                    msg.warn_history = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8114) => msg.warn_list = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(8122) => {
                    msg.view_log_history = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8130) => {
                    msg.forgot_password_request = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8138) => {
                    msg.password_salt = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8146) => {
                    msg.get_admin_notes = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8802) => {
                    msg.replay_list = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8810) => {
                    msg.replay_download = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(8818) => {
                    msg.replay_get_code = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9602) => {
                    msg.list_card_art_rules = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9626) => {
                    msg.replay_download_by_game_id = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9682) => {
                    msg.report_list = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9690) => {
                    msg.report_user_info = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9698) => {
                    msg.report_stats = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9706) => {
                    msg.report_my_list = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9714) => {
                    msg.report_details = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9722) => {
                    msg.user_sessions = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9730) => msg.user_alts = Some(r.read_bytes(bytes).map(Cow::Borrowed)?),
                Ok(9738) => {
                    msg.moderator_last_logins = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9746) => {
                    msg.reset_user_password = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(9754) => {
                    msg.remove_user_avatar = Some(r.read_bytes(bytes).map(Cow::Borrowed)?);
                }
                Ok(t) => {
                    r.read_unknown(bytes, t)?;
                }
                Err(e) => return Err(e),
            }
        }
        Ok(msg)
    }
}
impl<'a> MessageWrite for ResponseHead<'a> {
    fn get_size(&self) -> usize {
        unreachable!("the benchmark does not encode")
    }
    fn write_message<W: WriterBackend>(&self, _: &mut Writer<W>) -> Result<()> {
        unreachable!("the benchmark does not encode")
    }
}
