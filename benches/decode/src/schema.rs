//! Every message of `peers/flat.proto`, for macros that do something for each.
//!
//! Written by `benches/decode/generate` from the files under `proto/`; do not edit.

macro_rules! for_each_message {
    ($each:ident) => {
        $each! { ServerMessage ServerMessageView ServerMessageLazyView borrows {
            1 message_type enumeration,
            2 response (Response),
        } }
        $each! { Response ResponseView ResponseLazyView borrows {
            1 cmd_id number,
            2 response_code enumeration,
            1000 join_room (ResponseJoinRoom),
            1001 list_users (ResponseListUsers),
            1002 get_games_of_user (ResponseGetGamesOfUser),
            1003 get_user_info (ResponseGetUserInfo),
            1004 dump_zone (ResponseDumpZone),
            1005 login (ResponseLogin),
            1006 deck_list (ResponseDeckList),
            1007 deck_download (ResponseDeckDownload),
            1008 deck_upload (ResponseDeckUpload),
            1009 register (ResponseRegister),
            1010 activate (ResponseActivate),
            1011 adjust_mod (ResponseAdjustMod),
            1012 ban_history (ResponseBanHistory),
            1013 warn_history (ResponseWarnHistory),
            1014 warn_list (ResponseWarnList),
            1015 view_log_history (ResponseViewLogHistory),
            1016 forgot_password_request (ResponseForgotPasswordRequest),
            1017 password_salt (ResponsePasswordSalt),
            1018 get_admin_notes (ResponseGetAdminNotes),
            1100 replay_list (ResponseReplayList),
            1101 replay_download (ResponseReplayDownload),
            1102 replay_get_code (ResponseReplayGetCode),
            1200 list_card_art_rules (ResponseListCardArtRules),
            1203 replay_download_by_game_id (ResponseReplayDownloadByGameId),
            1210 report_list (ResponseReportList),
            1211 report_user_info (ResponseReportUserInfo),
            1212 report_stats (ResponseReportStats),
            1213 report_my_list (ResponseReportMyList),
            1214 report_details (ResponseReportDetails),
            1215 user_sessions (ResponseUserSessions),
            1216 user_alts (ResponseUserAlts),
            1217 moderator_last_logins (ResponseModeratorLastLogins),
            1218 reset_user_password (ResponseResetUserPassword),
            1219 remove_user_avatar (ResponseRemoveUserAvatar),
        } }
        $each! { ResponseJoinRoom ResponseJoinRoomView ResponseJoinRoomLazyView borrows {
            1 room_info (ServerInfoRoom),
        } }
        $each! { ServerInfoRoom ServerInfoRoomView ServerInfoRoomLazyView borrows {
            1 room_id number,
            2 name text,
            3 description text,
            4 game_count number,
            5 player_count number,
            6 auto_join number,
            7 game_list (ServerInfoGame),
            8 user_list (ServerInfoUser),
            9 gametype_list (ServerInfoGameType),
            10 permissionlevel text,
            11 privilegelevel text,
        } }
        $each! { ServerInfoGame ServerInfoGameView ServerInfoGameLazyView borrows {
            1 server_id number,
            2 room_id number,
            3 game_id number,
            4 description text,
            5 with_password number,
            6 max_players number,
            7 game_types number,
            8 creator_info (ServerInfoUser),
            9 only_buddies number,
            10 only_registered number,
            11 spectators_allowed number,
            12 spectators_need_password number,
            13 spectators_can_chat number,
            14 spectators_omniscient number,
            15 share_decklists_on_load number,
            30 player_count number,
            31 spectators_count number,
            50 started number,
            51 start_time number,
            52 closed number,
            53 host_info (ServerInfoUser),
        } }
        $each! { ServerInfoUser ServerInfoUserView ServerInfoUserLazyView borrows {
            1 name text,
            2 user_level number,
            3 address text,
            4 real_name text,
            6 country text,
            7 avatar_bmp bytes,
            8 id number,
            9 server_id number,
            10 session_id number,
            11 accountage_secs number,
            12 email text,
            13 clientid text,
            14 privlevel text,
            15 pawn_colors (ServerInfoUserPawnColorsOverride),
            16 card_art_params (ServerInfoUserCardArtParams),
        } }
        $each! { ServerInfoUserPawnColorsOverride ServerInfoUserPawnColorsOverrideView ServerInfoUserPawnColorsOverrideLazyView borrows {
            1 left_side text,
            2 right_side text,
        } }
        $each! { ServerInfoUserCardArtParams ServerInfoUserCardArtParamsView ServerInfoUserCardArtParamsLazyView borrows {
            1 card_name text,
            2 card_provider_id text,
            3 margin_pct_l number,
            4 margin_pct_r number,
            5 vertical_offset number,
            6 zoom number,
        } }
        $each! { ServerInfoGameType ServerInfoGameTypeView ServerInfoGameTypeLazyView borrows {
            1 game_type_id number,
            2 description text,
        } }
        $each! { ResponseListUsers ResponseListUsersView ResponseListUsersLazyView borrows {
            1 user_list (ServerInfoUser),
        } }
        $each! { ResponseGetGamesOfUser ResponseGetGamesOfUserView ResponseGetGamesOfUserLazyView borrows {
            1 room_list (ServerInfoRoom),
            2 game_list (ServerInfoGame),
        } }
        $each! { ResponseGetUserInfo ResponseGetUserInfoView ResponseGetUserInfoLazyView borrows {
            1 user_info (ServerInfoUser),
        } }
        $each! { ResponseDumpZone ResponseDumpZoneView ResponseDumpZoneLazyView borrows {
            1 zone_info (ServerInfoZone),
        } }
        $each! { ServerInfoZone ServerInfoZoneView ServerInfoZoneLazyView borrows {
            1 name text,
            2 kind enumeration,
            3 with_coords number,
            4 card_count number,
            5 card_list (ServerInfoCard),
            10 always_reveal_top_card number,
            11 always_look_at_top_card number,
        } }
        $each! { ServerInfoCard ServerInfoCardView ServerInfoCardLazyView borrows {
            1 id number,
            2 name text,
            3 x number,
            4 y number,
            5 face_down number,
            6 tapped number,
            7 attacking number,
            8 color text,
            9 pt text,
            10 annotation text,
            11 destroy_on_zone_change number,
            12 doesnt_untap number,
            13 counter_list (ServerInfoCardCounter),
            14 attach_player_id number,
            15 attach_zone text,
            16 attach_card_id number,
            17 provider_id text,
        } }
        $each! { ServerInfoCardCounter ServerInfoCardCounterView ServerInfoCardCounterLazyView plain {
            1 id number,
            2 value number,
        } }
        $each! { ResponseLogin ResponseLoginView ResponseLoginLazyView borrows {
            1 user_info (ServerInfoUser),
            2 buddy_list (ServerInfoUser),
            3 ignore_list (ServerInfoUser),
            4 denied_reason_str text,
            5 denied_end_time number,
            6 missing_features text,
        } }
        $each! { ResponseDeckList ResponseDeckListView ResponseDeckListLazyView borrows {
            1 root (ServerInfoDeckStorageFolder),
        } }
        $each! { ServerInfoDeckStorageFolder ServerInfoDeckStorageFolderView ServerInfoDeckStorageFolderLazyView borrows {
            1 items (ServerInfoDeckStorageTreeItem),
        } }
        $each! { ServerInfoDeckStorageTreeItem ServerInfoDeckStorageTreeItemView ServerInfoDeckStorageTreeItemLazyView borrows {
            1 id number,
            2 name text,
            10 file (ServerInfoDeckStorageFile),
            11 folder (ServerInfoDeckStorageFolder),
        } }
        $each! { ServerInfoDeckStorageFile ServerInfoDeckStorageFileView ServerInfoDeckStorageFileLazyView plain {
            1 creation_time number,
        } }
        $each! { ResponseDeckDownload ResponseDeckDownloadView ResponseDeckDownloadLazyView borrows {
            1 deck text,
        } }
        $each! { ResponseDeckUpload ResponseDeckUploadView ResponseDeckUploadLazyView borrows {
            1 new_file (ServerInfoDeckStorageTreeItem),
        } }
        $each! { ResponseRegister ResponseRegisterView ResponseRegisterLazyView borrows {
            1 denied_reason_str text,
            2 denied_end_time number,
        } }
        $each! { ResponseActivate ResponseActivateView ResponseActivateLazyView plain {
        } }
        $each! { ResponseAdjustMod ResponseAdjustModView ResponseAdjustModLazyView plain {
        } }
        $each! { ResponseBanHistory ResponseBanHistoryView ResponseBanHistoryLazyView borrows {
            1 ban_list (ServerInfoBan),
        } }
        $each! { ServerInfoBan ServerInfoBanView ServerInfoBanLazyView borrows {
            1 admin_id text,
            2 admin_name text,
            3 ban_time text,
            4 ban_length text,
            5 ban_reason text,
            6 visible_reason text,
        } }
        $each! { ResponseWarnHistory ResponseWarnHistoryView ResponseWarnHistoryLazyView borrows {
            1 warn_list (ServerInfoWarning),
        } }
        $each! { ServerInfoWarning ServerInfoWarningView ServerInfoWarningLazyView borrows {
            1 user_name text,
            2 admin_name text,
            3 reason text,
            4 time_of text,
        } }
        $each! { ResponseWarnList ResponseWarnListView ResponseWarnListLazyView borrows {
            1 warning text,
            2 user_name text,
            3 user_clientid text,
            4 warning_il number,
        } }
        $each! { ResponseViewLogHistory ResponseViewLogHistoryView ResponseViewLogHistoryLazyView borrows {
            1 log_message (ServerInfoChatMessage),
        } }
        $each! { ServerInfoChatMessage ServerInfoChatMessageView ServerInfoChatMessageLazyView borrows {
            1 time text,
            2 sender_id text,
            3 sender_name text,
            4 sender_ip text,
            5 message text,
            6 target_type text,
            7 target_id text,
            8 target_name text,
        } }
        $each! { ResponseForgotPasswordRequest ResponseForgotPasswordRequestView ResponseForgotPasswordRequestLazyView plain {
            1 challenge_email number,
        } }
        $each! { ResponsePasswordSalt ResponsePasswordSaltView ResponsePasswordSaltLazyView borrows {
            1 password_salt text,
        } }
        $each! { ResponseGetAdminNotes ResponseGetAdminNotesView ResponseGetAdminNotesLazyView borrows {
            1 user_name text,
            2 notes text,
        } }
        $each! { ResponseReplayList ResponseReplayListView ResponseReplayListLazyView borrows {
            1 match_list (ServerInfoReplayMatch),
        } }
        $each! { ServerInfoReplayMatch ServerInfoReplayMatchView ServerInfoReplayMatchLazyView borrows {
            1 replay_list (ServerInfoReplay),
            2 game_id number,
            3 room_name text,
            4 time_started number,
            5 length number,
            6 game_name text,
            7 player_names text,
            8 do_not_hide number,
        } }
        $each! { ServerInfoReplay ServerInfoReplayView ServerInfoReplayLazyView borrows {
            1 replay_id number,
            2 replay_name text,
            3 duration number,
        } }
        $each! { ResponseReplayDownload ResponseReplayDownloadView ResponseReplayDownloadLazyView borrows {
            1 replay_data bytes,
        } }
        $each! { ResponseReplayGetCode ResponseReplayGetCodeView ResponseReplayGetCodeLazyView borrows {
            1 replay_code text,
        } }
        $each! { ResponseListCardArtRules ResponseListCardArtRulesView ResponseListCardArtRulesLazyView borrows {
            1 entries (ResponseCardArtRuleEntry),
        } }
        $each! { ResponseCardArtRuleEntry ResponseCardArtRuleEntryView ResponseCardArtRuleEntryLazyView borrows {
            1 card_name text,
            2 card_provider_id text,
            3 mode text,
            4 reason text,
        } }
        $each! { ResponseReplayDownloadByGameId ResponseReplayDownloadByGameIdView ResponseReplayDownloadByGameIdLazyView borrows {
            1 replay_data bytes,
            2 replay_id number,
        } }
        $each! { ResponseReportList ResponseReportListView ResponseReportListLazyView borrows {
            1 reports (ServerInfoReport),
            2 total_count number,
        } }
        $each! { ServerInfoReport ServerInfoReportView ServerInfoReportLazyView borrows {
            1 report_id number,
            2 reporter_name text,
            3 reported_user_name text,
            4 game_id number,
            5 replay_id number,
            6 room_id number,
            7 category text,
            8 status text,
            9 description text,
            10 report_time number,
            11 assigned_mod_name text,
            12 resolution_time number,
            13 comments (ServerInfoReportComment),
            14 chat_log text,
            15 resolution_note text,
        } }
        $each! { ServerInfoReportComment ServerInfoReportCommentView ServerInfoReportCommentLazyView borrows {
            1 author_name text,
            2 comment_text text,
            3 comment_time number,
            4 is_moderator number,
        } }
        $each! { ResponseReportUserInfo ResponseReportUserInfoView ResponseReportUserInfoLazyView borrows {
            1 user_name text,
            2 total_reports number,
            3 total_bans number,
            4 total_warns number,
            5 registration_time number,
            6 is_admin number,
            7 is_active number,
            8 admin_notes text,
            9 recent_reports (ServerInfoReport),
            10 last_login number,
        } }
        $each! { ResponseReportStats ResponseReportStatsView ResponseReportStatsLazyView borrows {
            1 total_reports number,
            2 total_pending number,
            3 total_assigned number,
            4 total_resolved number,
            5 reports_last_24h number,
            6 reports_last_7d number,
            7 reports_last_30d number,
            8 avg_resolution_hours number,
            9 reports_this_week number,
            10 reports_last_week number,
            11 category_counts (ReportCategoryCount),
            12 top_reported_users (ReportTopUser),
            13 top_reporters (ReportTopUser),
        } }
        $each! { ReportCategoryCount ReportCategoryCountView ReportCategoryCountLazyView borrows {
            1 category text,
            2 count number,
        } }
        $each! { ReportTopUser ReportTopUserView ReportTopUserLazyView borrows {
            1 user_name text,
            2 count number,
        } }
        $each! { ResponseReportMyList ResponseReportMyListView ResponseReportMyListLazyView borrows {
            1 reports (ServerInfoReport),
        } }
        $each! { ResponseReportDetails ResponseReportDetailsView ResponseReportDetailsLazyView borrows {
            1 report (ServerInfoReport),
        } }
        $each! { ResponseUserSessions ResponseUserSessionsView ResponseUserSessionsLazyView borrows {
            1 sessions (ServerInfoUserSession),
        } }
        $each! { ServerInfoUserSession ServerInfoUserSessionView ServerInfoUserSessionLazyView borrows {
            1 user_name text,
            2 ip_address text,
            3 clientid text,
            4 start_time number,
            5 end_time number,
            6 connection_type text,
        } }
        $each! { ResponseUserAlts ResponseUserAltsView ResponseUserAltsLazyView borrows {
            1 alts (ServerInfoUserAlt),
        } }
        $each! { ServerInfoUserAlt ServerInfoUserAltView ServerInfoUserAltLazyView borrows {
            1 user_name text,
            2 email text,
            3 clientid text,
            4 registration_time number,
            5 last_login number,
            6 warn_count number,
            7 ban_count number,
            8 is_active number,
        } }
        $each! { ResponseModeratorLastLogins ResponseModeratorLastLoginsView ResponseModeratorLastLoginsLazyView borrows {
            1 logins (ServerInfoModeratorLogin),
        } }
        $each! { ServerInfoModeratorLogin ServerInfoModeratorLoginView ServerInfoModeratorLoginLazyView borrows {
            1 user_name text,
            2 last_login number,
            3 user_level number,
        } }
        $each! { ResponseResetUserPassword ResponseResetUserPasswordView ResponseResetUserPasswordLazyView borrows {
            1 user_name text,
            2 temporary_password text,
        } }
        $each! { ResponseRemoveUserAvatar ResponseRemoveUserAvatarView ResponseRemoveUserAvatarLazyView borrows {
            1 user_name text,
        } }
    };
}
pub(crate) use for_each_message;

/// Calls a macro with the number and the name of each payload.
macro_rules! for_payloads {
    ($each:ident $($argument:tt)*) => {
        $each! { $($argument)*
            1000 join_room,
            1001 list_users,
            1002 get_games_of_user,
            1003 get_user_info,
            1004 dump_zone,
            1005 login,
            1006 deck_list,
            1007 deck_download,
            1008 deck_upload,
            1009 register,
            1010 activate,
            1011 adjust_mod,
            1012 ban_history,
            1013 warn_history,
            1014 warn_list,
            1015 view_log_history,
            1016 forgot_password_request,
            1017 password_salt,
            1018 get_admin_notes,
            1100 replay_list,
            1101 replay_download,
            1102 replay_get_code,
            1200 list_card_art_rules,
            1203 replay_download_by_game_id,
            1210 report_list,
            1211 report_user_info,
            1212 report_stats,
            1213 report_my_list,
            1214 report_details,
            1215 user_sessions,
            1216 user_alts,
            1217 moderator_last_logins,
            1218 reset_user_password,
            1219 remove_user_avatar,
        }
    };
}
pub(crate) use for_payloads;
