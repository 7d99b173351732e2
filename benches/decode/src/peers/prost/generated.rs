// Written by benches/decode/generate, which leaves out what only encodes; do not edit.

#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerMessage {
    #[prost(enumeration = "MessageType", optional, tag = "1")]
    pub message_type: ::core::option::Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub response: ::core::option::Option<Response>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct Response {
    #[prost(uint64, required, tag = "1")]
    pub cmd_id: u64,
    #[prost(enumeration = "ResponseCode", optional, tag = "2")]
    pub response_code: ::core::option::Option<i32>,
    #[prost(message, optional, tag = "1000")]
    pub join_room: ::core::option::Option<ResponseJoinRoom>,
    #[prost(message, optional, tag = "1001")]
    pub list_users: ::core::option::Option<ResponseListUsers>,
    #[prost(message, optional, tag = "1002")]
    pub get_games_of_user: ::core::option::Option<ResponseGetGamesOfUser>,
    #[prost(message, optional, tag = "1003")]
    pub get_user_info: ::core::option::Option<ResponseGetUserInfo>,
    #[prost(message, optional, tag = "1004")]
    pub dump_zone: ::core::option::Option<ResponseDumpZone>,
    #[prost(message, optional, tag = "1005")]
    pub login: ::core::option::Option<ResponseLogin>,
    #[prost(message, optional, tag = "1006")]
    pub deck_list: ::core::option::Option<ResponseDeckList>,
    #[prost(message, optional, tag = "1007")]
    pub deck_download: ::core::option::Option<ResponseDeckDownload>,
    #[prost(message, optional, tag = "1008")]
    pub deck_upload: ::core::option::Option<ResponseDeckUpload>,
    #[prost(message, optional, tag = "1009")]
    pub register: ::core::option::Option<ResponseRegister>,
    #[prost(message, optional, tag = "1010")]
    pub activate: ::core::option::Option<ResponseActivate>,
    #[prost(message, optional, tag = "1011")]
    pub adjust_mod: ::core::option::Option<ResponseAdjustMod>,
    #[prost(message, optional, tag = "1012")]
    pub ban_history: ::core::option::Option<ResponseBanHistory>,
    #[prost(message, optional, tag = "1013")]
    pub warn_history: ::core::option::Option<ResponseWarnHistory>,
    #[prost(message, optional, tag = "1014")]
    pub warn_list: ::core::option::Option<ResponseWarnList>,
    #[prost(message, optional, tag = "1015")]
    pub view_log_history: ::core::option::Option<ResponseViewLogHistory>,
    #[prost(message, optional, tag = "1016")]
    pub forgot_password_request: ::core::option::Option<ResponseForgotPasswordRequest>,
    #[prost(message, optional, tag = "1017")]
    pub password_salt: ::core::option::Option<ResponsePasswordSalt>,
    #[prost(message, optional, tag = "1018")]
    pub get_admin_notes: ::core::option::Option<ResponseGetAdminNotes>,
    #[prost(message, optional, tag = "1100")]
    pub replay_list: ::core::option::Option<ResponseReplayList>,
    #[prost(message, optional, tag = "1101")]
    pub replay_download: ::core::option::Option<ResponseReplayDownload>,
    #[prost(message, optional, tag = "1102")]
    pub replay_get_code: ::core::option::Option<ResponseReplayGetCode>,
    #[prost(message, optional, tag = "1200")]
    pub list_card_art_rules: ::core::option::Option<ResponseListCardArtRules>,
    #[prost(message, optional, tag = "1203")]
    pub replay_download_by_game_id: ::core::option::Option<ResponseReplayDownloadByGameId>,
    #[prost(message, optional, tag = "1210")]
    pub report_list: ::core::option::Option<ResponseReportList>,
    #[prost(message, optional, tag = "1211")]
    pub report_user_info: ::core::option::Option<ResponseReportUserInfo>,
    #[prost(message, optional, tag = "1212")]
    pub report_stats: ::core::option::Option<ResponseReportStats>,
    #[prost(message, optional, tag = "1213")]
    pub report_my_list: ::core::option::Option<ResponseReportMyList>,
    #[prost(message, optional, tag = "1214")]
    pub report_details: ::core::option::Option<ResponseReportDetails>,
    #[prost(message, optional, tag = "1215")]
    pub user_sessions: ::core::option::Option<ResponseUserSessions>,
    #[prost(message, optional, tag = "1216")]
    pub user_alts: ::core::option::Option<ResponseUserAlts>,
    #[prost(message, optional, tag = "1217")]
    pub moderator_last_logins: ::core::option::Option<ResponseModeratorLastLogins>,
    #[prost(message, optional, tag = "1218")]
    pub reset_user_password: ::core::option::Option<ResponseResetUserPassword>,
    #[prost(message, optional, tag = "1219")]
    pub remove_user_avatar: ::core::option::Option<ResponseRemoveUserAvatar>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseJoinRoom {
    #[prost(message, optional, tag = "1")]
    pub room_info: ::core::option::Option<ServerInfoRoom>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoRoom {
    #[prost(sint32, optional, tag = "1")]
    pub room_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub description: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint32, optional, tag = "4")]
    pub game_count: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub player_count: ::core::option::Option<u32>,
    #[prost(bool, optional, tag = "6")]
    pub auto_join: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "7")]
    pub game_list: ::prost::alloc::vec::Vec<ServerInfoGame>,
    #[prost(message, repeated, tag = "8")]
    pub user_list: ::prost::alloc::vec::Vec<ServerInfoUser>,
    #[prost(message, repeated, tag = "9")]
    pub gametype_list: ::prost::alloc::vec::Vec<ServerInfoGameType>,
    #[prost(string, optional, tag = "10")]
    pub permissionlevel: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "11")]
    pub privilegelevel: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoGame {
    #[prost(sint32, optional, tag = "1")]
    pub server_id: ::core::option::Option<i32>,
    #[prost(sint32, optional, tag = "2")]
    pub room_id: ::core::option::Option<i32>,
    #[prost(sint32, optional, tag = "3")]
    pub game_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "4")]
    pub description: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "5")]
    pub with_password: ::core::option::Option<bool>,
    #[prost(uint32, optional, tag = "6")]
    pub max_players: ::core::option::Option<u32>,
    #[prost(sint32, repeated, packed = "false", tag = "7")]
    pub game_types: ::prost::alloc::vec::Vec<i32>,
    #[prost(message, optional, tag = "8")]
    pub creator_info: ::core::option::Option<ServerInfoUser>,
    #[prost(bool, optional, tag = "9")]
    pub only_buddies: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "10")]
    pub only_registered: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "11")]
    pub spectators_allowed: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "12")]
    pub spectators_need_password: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "13")]
    pub spectators_can_chat: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "14")]
    pub spectators_omniscient: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "15")]
    pub share_decklists_on_load: ::core::option::Option<bool>,
    #[prost(uint32, optional, tag = "30")]
    pub player_count: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "31")]
    pub spectators_count: ::core::option::Option<u32>,
    #[prost(bool, optional, tag = "50")]
    pub started: ::core::option::Option<bool>,
    #[prost(uint32, optional, tag = "51")]
    pub start_time: ::core::option::Option<u32>,
    #[prost(bool, optional, tag = "52")]
    pub closed: ::core::option::Option<bool>,
    #[prost(message, optional, tag = "53")]
    pub host_info: ::core::option::Option<ServerInfoUser>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoUser {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint32, optional, tag = "2")]
    pub user_level: ::core::option::Option<u32>,
    #[prost(string, optional, tag = "3")]
    pub address: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub real_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub country: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bytes = "vec", optional, tag = "7")]
    pub avatar_bmp: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(sint32, optional, tag = "8")]
    pub id: ::core::option::Option<i32>,
    #[prost(sint32, optional, tag = "9")]
    pub server_id: ::core::option::Option<i32>,
    #[prost(uint64, optional, tag = "10")]
    pub session_id: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub accountage_secs: ::core::option::Option<u64>,
    #[prost(string, optional, tag = "12")]
    pub email: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "13")]
    pub clientid: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "14")]
    pub privlevel: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "15")]
    pub pawn_colors: ::core::option::Option<ServerInfoUserPawnColorsOverride>,
    #[prost(message, optional, tag = "16")]
    pub card_art_params: ::core::option::Option<ServerInfoUserCardArtParams>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoUserPawnColorsOverride {
    #[prost(string, optional, tag = "1")]
    pub left_side: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub right_side: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoUserCardArtParams {
    #[prost(string, optional, tag = "1")]
    pub card_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub card_provider_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(double, optional, tag = "3")]
    pub margin_pct_l: ::core::option::Option<f64>,
    #[prost(double, optional, tag = "4")]
    pub margin_pct_r: ::core::option::Option<f64>,
    #[prost(double, optional, tag = "5")]
    pub vertical_offset: ::core::option::Option<f64>,
    #[prost(double, optional, tag = "6")]
    pub zoom: ::core::option::Option<f64>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoGameType {
    #[prost(sint32, optional, tag = "1")]
    pub game_type_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub description: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseListUsers {
    #[prost(message, repeated, tag = "1")]
    pub user_list: ::prost::alloc::vec::Vec<ServerInfoUser>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseGetGamesOfUser {
    #[prost(message, repeated, tag = "1")]
    pub room_list: ::prost::alloc::vec::Vec<ServerInfoRoom>,
    #[prost(message, repeated, tag = "2")]
    pub game_list: ::prost::alloc::vec::Vec<ServerInfoGame>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseGetUserInfo {
    #[prost(message, optional, tag = "1")]
    pub user_info: ::core::option::Option<ServerInfoUser>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseDumpZone {
    #[prost(message, optional, tag = "1")]
    pub zone_info: ::core::option::Option<ServerInfoZone>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoZone {
    #[prost(string, optional, tag = "1")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(enumeration = "ServerInfoZoneZoneType", optional, tag = "2")]
    pub kind: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "3")]
    pub with_coords: ::core::option::Option<bool>,
    #[prost(sint32, optional, tag = "4")]
    pub card_count: ::core::option::Option<i32>,
    #[prost(message, repeated, tag = "5")]
    pub card_list: ::prost::alloc::vec::Vec<ServerInfoCard>,
    #[prost(bool, optional, tag = "10")]
    pub always_reveal_top_card: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "11")]
    pub always_look_at_top_card: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoCard {
    #[prost(sint32, optional, tag = "1")]
    pub id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(sint32, optional, tag = "3")]
    pub x: ::core::option::Option<i32>,
    #[prost(sint32, optional, tag = "4")]
    pub y: ::core::option::Option<i32>,
    #[prost(bool, optional, tag = "5")]
    pub face_down: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "6")]
    pub tapped: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "7")]
    pub attacking: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "8")]
    pub color: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "9")]
    pub pt: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "10")]
    pub annotation: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "11")]
    pub destroy_on_zone_change: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "12")]
    pub doesnt_untap: ::core::option::Option<bool>,
    #[prost(message, repeated, tag = "13")]
    pub counter_list: ::prost::alloc::vec::Vec<ServerInfoCardCounter>,
    #[prost(sint32, optional, tag = "14")]
    pub attach_player_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "15")]
    pub attach_zone: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(sint32, optional, tag = "16")]
    pub attach_card_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "17")]
    pub provider_id: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoCardCounter {
    #[prost(sint32, optional, tag = "1")]
    pub id: ::core::option::Option<i32>,
    #[prost(sint32, optional, tag = "2")]
    pub value: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseLogin {
    #[prost(message, optional, tag = "1")]
    pub user_info: ::core::option::Option<ServerInfoUser>,
    #[prost(message, repeated, tag = "2")]
    pub buddy_list: ::prost::alloc::vec::Vec<ServerInfoUser>,
    #[prost(message, repeated, tag = "3")]
    pub ignore_list: ::prost::alloc::vec::Vec<ServerInfoUser>,
    #[prost(string, optional, tag = "4")]
    pub denied_reason_str: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint64, optional, tag = "5")]
    pub denied_end_time: ::core::option::Option<u64>,
    #[prost(string, repeated, tag = "6")]
    pub missing_features: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseDeckList {
    #[prost(message, optional, tag = "1")]
    pub root: ::core::option::Option<ServerInfoDeckStorageFolder>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoDeckStorageFolder {
    #[prost(message, repeated, tag = "1")]
    pub items: ::prost::alloc::vec::Vec<ServerInfoDeckStorageTreeItem>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoDeckStorageTreeItem {
    #[prost(uint32, optional, tag = "1")]
    pub id: ::core::option::Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, optional, tag = "10")]
    pub file: ::core::option::Option<ServerInfoDeckStorageFile>,
    #[prost(message, optional, tag = "11")]
    pub folder: ::core::option::Option<ServerInfoDeckStorageFolder>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoDeckStorageFile {
    #[prost(uint32, optional, tag = "1")]
    pub creation_time: ::core::option::Option<u32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseDeckDownload {
    #[prost(string, optional, tag = "1")]
    pub deck: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseDeckUpload {
    #[prost(message, optional, tag = "1")]
    pub new_file: ::core::option::Option<ServerInfoDeckStorageTreeItem>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseRegister {
    #[prost(string, optional, tag = "1")]
    pub denied_reason_str: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint64, optional, tag = "2")]
    pub denied_end_time: ::core::option::Option<u64>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseActivate {}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseAdjustMod {}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseBanHistory {
    #[prost(message, repeated, tag = "1")]
    pub ban_list: ::prost::alloc::vec::Vec<ServerInfoBan>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoBan {
    #[prost(string, required, tag = "1")]
    pub admin_id: ::prost::alloc::string::String,
    #[prost(string, required, tag = "2")]
    pub admin_name: ::prost::alloc::string::String,
    #[prost(string, required, tag = "3")]
    pub ban_time: ::prost::alloc::string::String,
    #[prost(string, required, tag = "4")]
    pub ban_length: ::prost::alloc::string::String,
    #[prost(string, optional, tag = "5")]
    pub ban_reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub visible_reason: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseWarnHistory {
    #[prost(message, repeated, tag = "1")]
    pub warn_list: ::prost::alloc::vec::Vec<ServerInfoWarning>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoWarning {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub admin_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub time_of: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseWarnList {
    #[prost(string, repeated, tag = "1")]
    pub warning: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub user_clientid: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint32, repeated, packed = "false", tag = "4")]
    pub warning_il: ::prost::alloc::vec::Vec<u32>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseViewLogHistory {
    #[prost(message, repeated, tag = "1")]
    pub log_message: ::prost::alloc::vec::Vec<ServerInfoChatMessage>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoChatMessage {
    #[prost(string, optional, tag = "1")]
    pub time: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub sender_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub sender_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub sender_ip: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "5")]
    pub message: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "6")]
    pub target_type: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "7")]
    pub target_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "8")]
    pub target_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, Copy, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseForgotPasswordRequest {
    #[prost(bool, optional, tag = "1")]
    pub challenge_email: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponsePasswordSalt {
    #[prost(string, optional, tag = "1")]
    pub password_salt: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseGetAdminNotes {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub notes: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReplayList {
    #[prost(message, repeated, tag = "1")]
    pub match_list: ::prost::alloc::vec::Vec<ServerInfoReplayMatch>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoReplayMatch {
    #[prost(message, repeated, tag = "1")]
    pub replay_list: ::prost::alloc::vec::Vec<ServerInfoReplay>,
    #[prost(sint32, optional, tag = "2")]
    pub game_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "3")]
    pub room_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint32, optional, tag = "4")]
    pub time_started: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "5")]
    pub length: ::core::option::Option<u32>,
    #[prost(string, optional, tag = "6")]
    pub game_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, repeated, tag = "7")]
    pub player_names: ::prost::alloc::vec::Vec<::prost::alloc::string::String>,
    #[prost(bool, optional, tag = "8")]
    pub do_not_hide: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoReplay {
    #[prost(sint32, optional, tag = "1")]
    pub replay_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub replay_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint32, optional, tag = "3")]
    pub duration: ::core::option::Option<u32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseReplayDownload {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub replay_data: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseReplayGetCode {
    #[prost(string, optional, tag = "1")]
    pub replay_code: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseListCardArtRules {
    #[prost(message, repeated, tag = "1")]
    pub entries: ::prost::alloc::vec::Vec<ResponseCardArtRuleEntry>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseCardArtRuleEntry {
    #[prost(string, optional, tag = "1")]
    pub card_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub card_provider_id: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub mode: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "4")]
    pub reason: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseReplayDownloadByGameId {
    #[prost(bytes = "vec", optional, tag = "1")]
    pub replay_data: ::core::option::Option<::prost::alloc::vec::Vec<u8>>,
    #[prost(sint32, optional, tag = "2")]
    pub replay_id: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReportList {
    #[prost(message, repeated, tag = "1")]
    pub reports: ::prost::alloc::vec::Vec<ServerInfoReport>,
    #[prost(uint32, optional, tag = "2")]
    pub total_count: ::core::option::Option<u32>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ServerInfoReport {
    #[prost(int32, optional, tag = "1")]
    pub report_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "2")]
    pub reporter_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub reported_user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "4")]
    pub game_id: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub replay_id: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub room_id: ::core::option::Option<i32>,
    #[prost(string, optional, tag = "7")]
    pub category: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "8")]
    pub status: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "9")]
    pub description: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "10")]
    pub report_time: ::core::option::Option<i64>,
    #[prost(string, optional, tag = "11")]
    pub assigned_mod_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "12")]
    pub resolution_time: ::core::option::Option<i64>,
    #[prost(message, repeated, tag = "13")]
    pub comments: ::prost::alloc::vec::Vec<ServerInfoReportComment>,
    #[prost(string, optional, tag = "14")]
    pub chat_log: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "15")]
    pub resolution_note: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoReportComment {
    #[prost(string, optional, tag = "1")]
    pub author_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub comment_text: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int64, optional, tag = "3")]
    pub comment_time: ::core::option::Option<i64>,
    #[prost(bool, optional, tag = "4")]
    pub is_moderator: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReportUserInfo {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub total_reports: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub total_bans: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub total_warns: ::core::option::Option<i32>,
    #[prost(int64, optional, tag = "5")]
    pub registration_time: ::core::option::Option<i64>,
    #[prost(bool, optional, tag = "6")]
    pub is_admin: ::core::option::Option<bool>,
    #[prost(bool, optional, tag = "7")]
    pub is_active: ::core::option::Option<bool>,
    #[prost(string, optional, tag = "8")]
    pub admin_notes: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(message, repeated, tag = "9")]
    pub recent_reports: ::prost::alloc::vec::Vec<ServerInfoReport>,
    #[prost(int64, optional, tag = "10")]
    pub last_login: ::core::option::Option<i64>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReportStats {
    #[prost(int32, optional, tag = "1")]
    pub total_reports: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub total_pending: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub total_assigned: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub total_resolved: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub reports_last_24h: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub reports_last_7d: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub reports_last_30d: ::core::option::Option<i32>,
    #[prost(double, optional, tag = "8")]
    pub avg_resolution_hours: ::core::option::Option<f64>,
    #[prost(int32, optional, tag = "9")]
    pub reports_this_week: ::core::option::Option<i32>,
    #[prost(int32, optional, tag = "10")]
    pub reports_last_week: ::core::option::Option<i32>,
    #[prost(message, repeated, tag = "11")]
    pub category_counts: ::prost::alloc::vec::Vec<ReportCategoryCount>,
    #[prost(message, repeated, tag = "12")]
    pub top_reported_users: ::prost::alloc::vec::Vec<ReportTopUser>,
    #[prost(message, repeated, tag = "13")]
    pub top_reporters: ::prost::alloc::vec::Vec<ReportTopUser>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ReportCategoryCount {
    #[prost(string, optional, tag = "1")]
    pub category: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub count: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ReportTopUser {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(int32, optional, tag = "2")]
    pub count: ::core::option::Option<i32>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReportMyList {
    #[prost(message, repeated, tag = "1")]
    pub reports: ::prost::alloc::vec::Vec<ServerInfoReport>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseReportDetails {
    #[prost(message, optional, tag = "1")]
    pub report: ::core::option::Option<ServerInfoReport>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseUserSessions {
    #[prost(message, repeated, tag = "1")]
    pub sessions: ::prost::alloc::vec::Vec<ServerInfoUserSession>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoUserSession {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub ip_address: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub clientid: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint64, optional, tag = "4")]
    pub start_time: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    pub end_time: ::core::option::Option<u64>,
    #[prost(string, optional, tag = "6")]
    pub connection_type: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseUserAlts {
    #[prost(message, repeated, tag = "1")]
    pub alts: ::prost::alloc::vec::Vec<ServerInfoUserAlt>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoUserAlt {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub email: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "3")]
    pub clientid: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint64, optional, tag = "4")]
    pub registration_time: ::core::option::Option<u64>,
    #[prost(uint64, optional, tag = "5")]
    pub last_login: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "6")]
    pub warn_count: ::core::option::Option<u32>,
    #[prost(uint32, optional, tag = "7")]
    pub ban_count: ::core::option::Option<u32>,
    #[prost(bool, optional, tag = "8")]
    pub is_active: ::core::option::Option<bool>,
}
#[derive(Clone, PartialEq, ::prost::Message)]
pub struct ResponseModeratorLastLogins {
    #[prost(message, repeated, tag = "1")]
    pub logins: ::prost::alloc::vec::Vec<ServerInfoModeratorLogin>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerInfoModeratorLogin {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(uint64, optional, tag = "2")]
    pub last_login: ::core::option::Option<u64>,
    #[prost(uint32, optional, tag = "3")]
    pub user_level: ::core::option::Option<u32>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseResetUserPassword {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
    #[prost(string, optional, tag = "2")]
    pub temporary_password: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseRemoveUserAvatar {
    #[prost(string, optional, tag = "1")]
    pub user_name: ::core::option::Option<::prost::alloc::string::String>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ServerMessageHead {
    #[prost(enumeration = "MessageType", optional, tag = "1")]
    pub message_type: ::core::option::Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "2")]
    pub response: ::core::option::Option<::prost::bytes::Bytes>,
}
#[derive(Clone, PartialEq, Eq, Hash, ::prost::Message)]
pub struct ResponseHead {
    #[prost(uint64, required, tag = "1")]
    pub cmd_id: u64,
    #[prost(enumeration = "ResponseCode", optional, tag = "2")]
    pub response_code: ::core::option::Option<i32>,
    #[prost(bytes = "bytes", optional, tag = "1000")]
    pub join_room: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1001")]
    pub list_users: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1002")]
    pub get_games_of_user: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1003")]
    pub get_user_info: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1004")]
    pub dump_zone: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1005")]
    pub login: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1006")]
    pub deck_list: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1007")]
    pub deck_download: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1008")]
    pub deck_upload: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1009")]
    pub register: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1010")]
    pub activate: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1011")]
    pub adjust_mod: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1012")]
    pub ban_history: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1013")]
    pub warn_history: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1014")]
    pub warn_list: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1015")]
    pub view_log_history: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1016")]
    pub forgot_password_request: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1017")]
    pub password_salt: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1018")]
    pub get_admin_notes: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1100")]
    pub replay_list: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1101")]
    pub replay_download: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1102")]
    pub replay_get_code: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1200")]
    pub list_card_art_rules: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1203")]
    pub replay_download_by_game_id: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1210")]
    pub report_list: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1211")]
    pub report_user_info: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1212")]
    pub report_stats: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1213")]
    pub report_my_list: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1214")]
    pub report_details: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1215")]
    pub user_sessions: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1216")]
    pub user_alts: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1217")]
    pub moderator_last_logins: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1218")]
    pub reset_user_password: ::core::option::Option<::prost::bytes::Bytes>,
    #[prost(bytes = "bytes", optional, tag = "1219")]
    pub remove_user_avatar: ::core::option::Option<::prost::bytes::Bytes>,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum MessageType {
    Response = 0,
    SessionEvent = 1,
    GameEventContainer = 2,
    RoomEvent = 3,
}
impl MessageType {
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::Response => "RESPONSE",
            Self::SessionEvent => "SESSION_EVENT",
            Self::GameEventContainer => "GAME_EVENT_CONTAINER",
            Self::RoomEvent => "ROOM_EVENT",
        }
    }
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "RESPONSE" => Some(Self::Response),
            "SESSION_EVENT" => Some(Self::SessionEvent),
            "GAME_EVENT_CONTAINER" => Some(Self::GameEventContainer),
            "ROOM_EVENT" => Some(Self::RoomEvent),
            _ => None,
        }
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
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
impl ResponseCode {
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::RespNotConnected => "RespNotConnected",
            Self::RespNothing => "RespNothing",
            Self::RespOk => "RespOk",
            Self::RespNotInRoom => "RespNotInRoom",
            Self::RespInternalError => "RespInternalError",
            Self::RespInvalidCommand => "RespInvalidCommand",
            Self::RespInvalidData => "RespInvalidData",
            Self::RespNameNotFound => "RespNameNotFound",
            Self::RespLoginNeeded => "RespLoginNeeded",
            Self::RespFunctionNotAllowed => "RespFunctionNotAllowed",
            Self::RespGameNotStarted => "RespGameNotStarted",
            Self::RespGameFull => "RespGameFull",
            Self::RespContextError => "RespContextError",
            Self::RespWrongPassword => "RespWrongPassword",
            Self::RespSpectatorsNotAllowed => "RespSpectatorsNotAllowed",
            Self::RespOnlyBuddies => "RespOnlyBuddies",
            Self::RespUserLevelTooLow => "RespUserLevelTooLow",
            Self::RespInIgnoreList => "RespInIgnoreList",
            Self::RespWouldOverwriteOldSession => "RespWouldOverwriteOldSession",
            Self::RespChatFlood => "RespChatFlood",
            Self::RespUserIsBanned => "RespUserIsBanned",
            Self::RespAccessDenied => "RespAccessDenied",
            Self::RespUsernameInvalid => "RespUsernameInvalid",
            Self::RespRegistrationRequired => "RespRegistrationRequired",
            Self::RespRegistrationAccepted => "RespRegistrationAccepted",
            Self::RespUserAlreadyExists => "RespUserAlreadyExists",
            Self::RespEmailRequiredToRegister => "RespEmailRequiredToRegister",
            Self::RespTooManyRequests => "RespTooManyRequests",
            Self::RespPasswordTooShort => "RespPasswordTooShort",
            Self::RespAccountNotActivated => "RespAccountNotActivated",
            Self::RespRegistrationDisabled => "RespRegistrationDisabled",
            Self::RespRegistrationFailed => "RespRegistrationFailed",
            Self::RespActivationAccepted => "RespActivationAccepted",
            Self::RespActivationFailed => "RespActivationFailed",
            Self::RespRegistrationAcceptedNeedsActivation => {
                "RespRegistrationAcceptedNeedsActivation"
            }
            Self::RespClientIdRequired => "RespClientIdRequired",
            Self::RespClientUpdateRequired => "RespClientUpdateRequired",
            Self::RespServerFull => "RespServerFull",
            Self::RespEmailBlackListed => "RespEmailBlackListed",
            Self::RespPasswordChangeRequired => "RespPasswordChangeRequired",
        }
    }
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "RespNotConnected" => Some(Self::RespNotConnected),
            "RespNothing" => Some(Self::RespNothing),
            "RespOk" => Some(Self::RespOk),
            "RespNotInRoom" => Some(Self::RespNotInRoom),
            "RespInternalError" => Some(Self::RespInternalError),
            "RespInvalidCommand" => Some(Self::RespInvalidCommand),
            "RespInvalidData" => Some(Self::RespInvalidData),
            "RespNameNotFound" => Some(Self::RespNameNotFound),
            "RespLoginNeeded" => Some(Self::RespLoginNeeded),
            "RespFunctionNotAllowed" => Some(Self::RespFunctionNotAllowed),
            "RespGameNotStarted" => Some(Self::RespGameNotStarted),
            "RespGameFull" => Some(Self::RespGameFull),
            "RespContextError" => Some(Self::RespContextError),
            "RespWrongPassword" => Some(Self::RespWrongPassword),
            "RespSpectatorsNotAllowed" => Some(Self::RespSpectatorsNotAllowed),
            "RespOnlyBuddies" => Some(Self::RespOnlyBuddies),
            "RespUserLevelTooLow" => Some(Self::RespUserLevelTooLow),
            "RespInIgnoreList" => Some(Self::RespInIgnoreList),
            "RespWouldOverwriteOldSession" => Some(Self::RespWouldOverwriteOldSession),
            "RespChatFlood" => Some(Self::RespChatFlood),
            "RespUserIsBanned" => Some(Self::RespUserIsBanned),
            "RespAccessDenied" => Some(Self::RespAccessDenied),
            "RespUsernameInvalid" => Some(Self::RespUsernameInvalid),
            "RespRegistrationRequired" => Some(Self::RespRegistrationRequired),
            "RespRegistrationAccepted" => Some(Self::RespRegistrationAccepted),
            "RespUserAlreadyExists" => Some(Self::RespUserAlreadyExists),
            "RespEmailRequiredToRegister" => Some(Self::RespEmailRequiredToRegister),
            "RespTooManyRequests" => Some(Self::RespTooManyRequests),
            "RespPasswordTooShort" => Some(Self::RespPasswordTooShort),
            "RespAccountNotActivated" => Some(Self::RespAccountNotActivated),
            "RespRegistrationDisabled" => Some(Self::RespRegistrationDisabled),
            "RespRegistrationFailed" => Some(Self::RespRegistrationFailed),
            "RespActivationAccepted" => Some(Self::RespActivationAccepted),
            "RespActivationFailed" => Some(Self::RespActivationFailed),
            "RespRegistrationAcceptedNeedsActivation" => {
                Some(Self::RespRegistrationAcceptedNeedsActivation)
            }
            "RespClientIdRequired" => Some(Self::RespClientIdRequired),
            "RespClientUpdateRequired" => Some(Self::RespClientUpdateRequired),
            "RespServerFull" => Some(Self::RespServerFull),
            "RespEmailBlackListed" => Some(Self::RespEmailBlackListed),
            "RespPasswordChangeRequired" => Some(Self::RespPasswordChangeRequired),
            _ => None,
        }
    }
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::prost::Enumeration)]
#[repr(i32)]
pub enum ServerInfoZoneZoneType {
    PrivateZone = 0,
    PublicZone = 1,
    HiddenZone = 2,
}
impl ServerInfoZoneZoneType {
    pub fn as_str_name(&self) -> &'static str {
        match self {
            Self::PrivateZone => "PrivateZone",
            Self::PublicZone => "PublicZone",
            Self::HiddenZone => "HiddenZone",
        }
    }
    pub fn from_str_name(value: &str) -> ::core::option::Option<Self> {
        match value {
            "PrivateZone" => Some(Self::PrivateZone),
            "PublicZone" => Some(Self::PublicZone),
            "HiddenZone" => Some(Self::HiddenZone),
            _ => None,
        }
    }
}
