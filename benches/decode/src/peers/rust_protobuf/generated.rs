// Written by benches/decode/generate, which leaves out what only encodes; do not edit.

const _PROTOBUF_VERSION_CHECK: () = ::protobuf::VERSION_3_7_2;
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerMessage {
    pub message_type: ::std::option::Option<::protobuf::EnumOrUnknown<MessageType>>,
    pub response: ::protobuf::MessageField<Response>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerMessage {
    fn default() -> &'a ServerMessage {
        <ServerMessage as ::protobuf::Message>::default_instance()
    }
}
impl ServerMessage {
    pub fn new() -> ServerMessage {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerMessage {
    const NAME: &'static str = "ServerMessage";
    fn is_initialized(&self) -> bool {
        for v in &self.response {
            if !v.is_initialized() {
                return false;
            }
        }
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.message_type = ::std::option::Option::Some(is.read_enum_or_unknown()?);
                }
                18 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.response)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerMessage {
        ServerMessage::new()
    }
    fn clear(&mut self) {
        self.message_type = ::std::option::Option::None;
        self.response.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerMessage {
        static instance: ServerMessage = ServerMessage {
            message_type: ::std::option::Option::None,
            response: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct Response {
    pub cmd_id: ::std::option::Option<u64>,
    pub response_code: ::std::option::Option<::protobuf::EnumOrUnknown<ResponseCode>>,
    pub join_room: ::protobuf::MessageField<ResponseJoinRoom>,
    pub list_users: ::protobuf::MessageField<ResponseListUsers>,
    pub get_games_of_user: ::protobuf::MessageField<ResponseGetGamesOfUser>,
    pub get_user_info: ::protobuf::MessageField<ResponseGetUserInfo>,
    pub dump_zone: ::protobuf::MessageField<ResponseDumpZone>,
    pub login: ::protobuf::MessageField<ResponseLogin>,
    pub deck_list: ::protobuf::MessageField<ResponseDeckList>,
    pub deck_download: ::protobuf::MessageField<ResponseDeckDownload>,
    pub deck_upload: ::protobuf::MessageField<ResponseDeckUpload>,
    pub register: ::protobuf::MessageField<ResponseRegister>,
    pub activate: ::protobuf::MessageField<ResponseActivate>,
    pub adjust_mod: ::protobuf::MessageField<ResponseAdjustMod>,
    pub ban_history: ::protobuf::MessageField<ResponseBanHistory>,
    pub warn_history: ::protobuf::MessageField<ResponseWarnHistory>,
    pub warn_list: ::protobuf::MessageField<ResponseWarnList>,
    pub view_log_history: ::protobuf::MessageField<ResponseViewLogHistory>,
    pub forgot_password_request: ::protobuf::MessageField<ResponseForgotPasswordRequest>,
    pub password_salt: ::protobuf::MessageField<ResponsePasswordSalt>,
    pub get_admin_notes: ::protobuf::MessageField<ResponseGetAdminNotes>,
    pub replay_list: ::protobuf::MessageField<ResponseReplayList>,
    pub replay_download: ::protobuf::MessageField<ResponseReplayDownload>,
    pub replay_get_code: ::protobuf::MessageField<ResponseReplayGetCode>,
    pub list_card_art_rules: ::protobuf::MessageField<ResponseListCardArtRules>,
    pub replay_download_by_game_id: ::protobuf::MessageField<ResponseReplayDownloadByGameId>,
    pub report_list: ::protobuf::MessageField<ResponseReportList>,
    pub report_user_info: ::protobuf::MessageField<ResponseReportUserInfo>,
    pub report_stats: ::protobuf::MessageField<ResponseReportStats>,
    pub report_my_list: ::protobuf::MessageField<ResponseReportMyList>,
    pub report_details: ::protobuf::MessageField<ResponseReportDetails>,
    pub user_sessions: ::protobuf::MessageField<ResponseUserSessions>,
    pub user_alts: ::protobuf::MessageField<ResponseUserAlts>,
    pub moderator_last_logins: ::protobuf::MessageField<ResponseModeratorLastLogins>,
    pub reset_user_password: ::protobuf::MessageField<ResponseResetUserPassword>,
    pub remove_user_avatar: ::protobuf::MessageField<ResponseRemoveUserAvatar>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a Response {
    fn default() -> &'a Response {
        <Response as ::protobuf::Message>::default_instance()
    }
}
impl Response {
    pub fn new() -> Response {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for Response {
    const NAME: &'static str = "Response";
    fn is_initialized(&self) -> bool {
        if self.cmd_id.is_none() {
            return false;
        }
        for v in &self.join_room {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.list_users {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.get_games_of_user {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.get_user_info {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.dump_zone {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.login {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.deck_list {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.deck_download {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.deck_upload {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.register {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.activate {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.adjust_mod {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.ban_history {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.warn_history {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.warn_list {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.view_log_history {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.forgot_password_request {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.password_salt {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.get_admin_notes {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.replay_list {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.replay_download {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.replay_get_code {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.list_card_art_rules {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.replay_download_by_game_id {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.report_list {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.report_user_info {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.report_stats {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.report_my_list {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.report_details {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.user_sessions {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.user_alts {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.moderator_last_logins {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.reset_user_password {
            if !v.is_initialized() {
                return false;
            }
        }
        for v in &self.remove_user_avatar {
            if !v.is_initialized() {
                return false;
            }
        }
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.cmd_id = ::std::option::Option::Some(is.read_uint64()?);
                }
                16 => {
                    self.response_code = ::std::option::Option::Some(is.read_enum_or_unknown()?);
                }
                8002 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.join_room)?;
                }
                8010 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.list_users)?;
                }
                8018 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.get_games_of_user,
                    )?;
                }
                8026 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.get_user_info)?;
                }
                8034 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.dump_zone)?;
                }
                8042 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.login)?;
                }
                8050 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.deck_list)?;
                }
                8058 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.deck_download)?;
                }
                8066 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.deck_upload)?;
                }
                8074 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.register)?;
                }
                8082 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.activate)?;
                }
                8090 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.adjust_mod)?;
                }
                8098 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.ban_history)?;
                }
                8106 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.warn_history)?;
                }
                8114 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.warn_list)?;
                }
                8122 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.view_log_history,
                    )?;
                }
                8130 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.forgot_password_request,
                    )?;
                }
                8138 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.password_salt)?;
                }
                8146 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.get_admin_notes,
                    )?;
                }
                8802 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.replay_list)?;
                }
                8810 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.replay_download,
                    )?;
                }
                8818 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.replay_get_code,
                    )?;
                }
                9602 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.list_card_art_rules,
                    )?;
                }
                9626 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.replay_download_by_game_id,
                    )?;
                }
                9682 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.report_list)?;
                }
                9690 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.report_user_info,
                    )?;
                }
                9698 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.report_stats)?;
                }
                9706 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.report_my_list)?;
                }
                9714 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.report_details)?;
                }
                9722 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.user_sessions)?;
                }
                9730 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.user_alts)?;
                }
                9738 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.moderator_last_logins,
                    )?;
                }
                9746 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.reset_user_password,
                    )?;
                }
                9754 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.remove_user_avatar,
                    )?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> Response {
        Response::new()
    }
    fn clear(&mut self) {
        self.cmd_id = ::std::option::Option::None;
        self.response_code = ::std::option::Option::None;
        self.join_room.clear();
        self.list_users.clear();
        self.get_games_of_user.clear();
        self.get_user_info.clear();
        self.dump_zone.clear();
        self.login.clear();
        self.deck_list.clear();
        self.deck_download.clear();
        self.deck_upload.clear();
        self.register.clear();
        self.activate.clear();
        self.adjust_mod.clear();
        self.ban_history.clear();
        self.warn_history.clear();
        self.warn_list.clear();
        self.view_log_history.clear();
        self.forgot_password_request.clear();
        self.password_salt.clear();
        self.get_admin_notes.clear();
        self.replay_list.clear();
        self.replay_download.clear();
        self.replay_get_code.clear();
        self.list_card_art_rules.clear();
        self.replay_download_by_game_id.clear();
        self.report_list.clear();
        self.report_user_info.clear();
        self.report_stats.clear();
        self.report_my_list.clear();
        self.report_details.clear();
        self.user_sessions.clear();
        self.user_alts.clear();
        self.moderator_last_logins.clear();
        self.reset_user_password.clear();
        self.remove_user_avatar.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static Response {
        static instance: Response = Response {
            cmd_id: ::std::option::Option::None,
            response_code: ::std::option::Option::None,
            join_room: ::protobuf::MessageField::none(),
            list_users: ::protobuf::MessageField::none(),
            get_games_of_user: ::protobuf::MessageField::none(),
            get_user_info: ::protobuf::MessageField::none(),
            dump_zone: ::protobuf::MessageField::none(),
            login: ::protobuf::MessageField::none(),
            deck_list: ::protobuf::MessageField::none(),
            deck_download: ::protobuf::MessageField::none(),
            deck_upload: ::protobuf::MessageField::none(),
            register: ::protobuf::MessageField::none(),
            activate: ::protobuf::MessageField::none(),
            adjust_mod: ::protobuf::MessageField::none(),
            ban_history: ::protobuf::MessageField::none(),
            warn_history: ::protobuf::MessageField::none(),
            warn_list: ::protobuf::MessageField::none(),
            view_log_history: ::protobuf::MessageField::none(),
            forgot_password_request: ::protobuf::MessageField::none(),
            password_salt: ::protobuf::MessageField::none(),
            get_admin_notes: ::protobuf::MessageField::none(),
            replay_list: ::protobuf::MessageField::none(),
            replay_download: ::protobuf::MessageField::none(),
            replay_get_code: ::protobuf::MessageField::none(),
            list_card_art_rules: ::protobuf::MessageField::none(),
            replay_download_by_game_id: ::protobuf::MessageField::none(),
            report_list: ::protobuf::MessageField::none(),
            report_user_info: ::protobuf::MessageField::none(),
            report_stats: ::protobuf::MessageField::none(),
            report_my_list: ::protobuf::MessageField::none(),
            report_details: ::protobuf::MessageField::none(),
            user_sessions: ::protobuf::MessageField::none(),
            user_alts: ::protobuf::MessageField::none(),
            moderator_last_logins: ::protobuf::MessageField::none(),
            reset_user_password: ::protobuf::MessageField::none(),
            remove_user_avatar: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseJoinRoom {
    pub room_info: ::protobuf::MessageField<ServerInfoRoom>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseJoinRoom {
    fn default() -> &'a ResponseJoinRoom {
        <ResponseJoinRoom as ::protobuf::Message>::default_instance()
    }
}
impl ResponseJoinRoom {
    pub fn new() -> ResponseJoinRoom {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseJoinRoom {
    const NAME: &'static str = "ResponseJoinRoom";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.room_info)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseJoinRoom {
        ResponseJoinRoom::new()
    }
    fn clear(&mut self) {
        self.room_info.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseJoinRoom {
        static instance: ResponseJoinRoom = ResponseJoinRoom {
            room_info: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoRoom {
    pub room_id: ::std::option::Option<i32>,
    pub name: ::std::option::Option<::protobuf::Chars>,
    pub description: ::std::option::Option<::protobuf::Chars>,
    pub game_count: ::std::option::Option<u32>,
    pub player_count: ::std::option::Option<u32>,
    pub auto_join: ::std::option::Option<bool>,
    pub game_list: ::std::vec::Vec<ServerInfoGame>,
    pub user_list: ::std::vec::Vec<ServerInfoUser>,
    pub gametype_list: ::std::vec::Vec<ServerInfoGameType>,
    pub permissionlevel: ::std::option::Option<::protobuf::Chars>,
    pub privilegelevel: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoRoom {
    fn default() -> &'a ServerInfoRoom {
        <ServerInfoRoom as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoRoom {
    pub fn new() -> ServerInfoRoom {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoRoom {
    const NAME: &'static str = "ServerInfoRoom";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.room_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                18 => {
                    self.name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.description = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                32 => {
                    self.game_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                40 => {
                    self.player_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                48 => {
                    self.auto_join = ::std::option::Option::Some(is.read_bool()?);
                }
                58 => {
                    self.game_list.push(is.read_message()?);
                }
                66 => {
                    self.user_list.push(is.read_message()?);
                }
                74 => {
                    self.gametype_list.push(is.read_message()?);
                }
                82 => {
                    self.permissionlevel = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                90 => {
                    self.privilegelevel = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoRoom {
        ServerInfoRoom::new()
    }
    fn clear(&mut self) {
        self.room_id = ::std::option::Option::None;
        self.name = ::std::option::Option::None;
        self.description = ::std::option::Option::None;
        self.game_count = ::std::option::Option::None;
        self.player_count = ::std::option::Option::None;
        self.auto_join = ::std::option::Option::None;
        self.game_list.clear();
        self.user_list.clear();
        self.gametype_list.clear();
        self.permissionlevel = ::std::option::Option::None;
        self.privilegelevel = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoRoom {
        static instance: ServerInfoRoom = ServerInfoRoom {
            room_id: ::std::option::Option::None,
            name: ::std::option::Option::None,
            description: ::std::option::Option::None,
            game_count: ::std::option::Option::None,
            player_count: ::std::option::Option::None,
            auto_join: ::std::option::Option::None,
            game_list: ::std::vec::Vec::new(),
            user_list: ::std::vec::Vec::new(),
            gametype_list: ::std::vec::Vec::new(),
            permissionlevel: ::std::option::Option::None,
            privilegelevel: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoGame {
    pub server_id: ::std::option::Option<i32>,
    pub room_id: ::std::option::Option<i32>,
    pub game_id: ::std::option::Option<i32>,
    pub description: ::std::option::Option<::protobuf::Chars>,
    pub with_password: ::std::option::Option<bool>,
    pub max_players: ::std::option::Option<u32>,
    pub game_types: ::std::vec::Vec<i32>,
    pub creator_info: ::protobuf::MessageField<ServerInfoUser>,
    pub only_buddies: ::std::option::Option<bool>,
    pub only_registered: ::std::option::Option<bool>,
    pub spectators_allowed: ::std::option::Option<bool>,
    pub spectators_need_password: ::std::option::Option<bool>,
    pub spectators_can_chat: ::std::option::Option<bool>,
    pub spectators_omniscient: ::std::option::Option<bool>,
    pub share_decklists_on_load: ::std::option::Option<bool>,
    pub player_count: ::std::option::Option<u32>,
    pub spectators_count: ::std::option::Option<u32>,
    pub started: ::std::option::Option<bool>,
    pub start_time: ::std::option::Option<u32>,
    pub closed: ::std::option::Option<bool>,
    pub host_info: ::protobuf::MessageField<ServerInfoUser>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoGame {
    fn default() -> &'a ServerInfoGame {
        <ServerInfoGame as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoGame {
    pub fn new() -> ServerInfoGame {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoGame {
    const NAME: &'static str = "ServerInfoGame";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.server_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                16 => {
                    self.room_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                24 => {
                    self.game_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                34 => {
                    self.description = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                40 => {
                    self.with_password = ::std::option::Option::Some(is.read_bool()?);
                }
                48 => {
                    self.max_players = ::std::option::Option::Some(is.read_uint32()?);
                }
                58 => {
                    is.read_repeated_packed_sint32_into(&mut self.game_types)?;
                }
                56 => {
                    self.game_types.push(is.read_sint32()?);
                }
                66 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.creator_info)?;
                }
                72 => {
                    self.only_buddies = ::std::option::Option::Some(is.read_bool()?);
                }
                80 => {
                    self.only_registered = ::std::option::Option::Some(is.read_bool()?);
                }
                88 => {
                    self.spectators_allowed = ::std::option::Option::Some(is.read_bool()?);
                }
                96 => {
                    self.spectators_need_password = ::std::option::Option::Some(is.read_bool()?);
                }
                104 => {
                    self.spectators_can_chat = ::std::option::Option::Some(is.read_bool()?);
                }
                112 => {
                    self.spectators_omniscient = ::std::option::Option::Some(is.read_bool()?);
                }
                120 => {
                    self.share_decklists_on_load = ::std::option::Option::Some(is.read_bool()?);
                }
                240 => {
                    self.player_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                248 => {
                    self.spectators_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                400 => {
                    self.started = ::std::option::Option::Some(is.read_bool()?);
                }
                408 => {
                    self.start_time = ::std::option::Option::Some(is.read_uint32()?);
                }
                416 => {
                    self.closed = ::std::option::Option::Some(is.read_bool()?);
                }
                426 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.host_info)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoGame {
        ServerInfoGame::new()
    }
    fn clear(&mut self) {
        self.server_id = ::std::option::Option::None;
        self.room_id = ::std::option::Option::None;
        self.game_id = ::std::option::Option::None;
        self.description = ::std::option::Option::None;
        self.with_password = ::std::option::Option::None;
        self.max_players = ::std::option::Option::None;
        self.game_types.clear();
        self.creator_info.clear();
        self.only_buddies = ::std::option::Option::None;
        self.only_registered = ::std::option::Option::None;
        self.spectators_allowed = ::std::option::Option::None;
        self.spectators_need_password = ::std::option::Option::None;
        self.spectators_can_chat = ::std::option::Option::None;
        self.spectators_omniscient = ::std::option::Option::None;
        self.share_decklists_on_load = ::std::option::Option::None;
        self.player_count = ::std::option::Option::None;
        self.spectators_count = ::std::option::Option::None;
        self.started = ::std::option::Option::None;
        self.start_time = ::std::option::Option::None;
        self.closed = ::std::option::Option::None;
        self.host_info.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoGame {
        static instance: ServerInfoGame = ServerInfoGame {
            server_id: ::std::option::Option::None,
            room_id: ::std::option::Option::None,
            game_id: ::std::option::Option::None,
            description: ::std::option::Option::None,
            with_password: ::std::option::Option::None,
            max_players: ::std::option::Option::None,
            game_types: ::std::vec::Vec::new(),
            creator_info: ::protobuf::MessageField::none(),
            only_buddies: ::std::option::Option::None,
            only_registered: ::std::option::Option::None,
            spectators_allowed: ::std::option::Option::None,
            spectators_need_password: ::std::option::Option::None,
            spectators_can_chat: ::std::option::Option::None,
            spectators_omniscient: ::std::option::Option::None,
            share_decklists_on_load: ::std::option::Option::None,
            player_count: ::std::option::Option::None,
            spectators_count: ::std::option::Option::None,
            started: ::std::option::Option::None,
            start_time: ::std::option::Option::None,
            closed: ::std::option::Option::None,
            host_info: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoUser {
    pub name: ::std::option::Option<::protobuf::Chars>,
    pub user_level: ::std::option::Option<u32>,
    pub address: ::std::option::Option<::protobuf::Chars>,
    pub real_name: ::std::option::Option<::protobuf::Chars>,
    pub country: ::std::option::Option<::protobuf::Chars>,
    pub avatar_bmp: ::std::option::Option<::bytes::Bytes>,
    pub id: ::std::option::Option<i32>,
    pub server_id: ::std::option::Option<i32>,
    pub session_id: ::std::option::Option<u64>,
    pub accountage_secs: ::std::option::Option<u64>,
    pub email: ::std::option::Option<::protobuf::Chars>,
    pub clientid: ::std::option::Option<::protobuf::Chars>,
    pub privlevel: ::std::option::Option<::protobuf::Chars>,
    pub pawn_colors: ::protobuf::MessageField<ServerInfoUserPawnColorsOverride>,
    pub card_art_params: ::protobuf::MessageField<ServerInfoUserCardArtParams>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoUser {
    fn default() -> &'a ServerInfoUser {
        <ServerInfoUser as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoUser {
    pub fn new() -> ServerInfoUser {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoUser {
    const NAME: &'static str = "ServerInfoUser";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.user_level = ::std::option::Option::Some(is.read_uint32()?);
                }
                26 => {
                    self.address = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    self.real_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                50 => {
                    self.country = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                58 => {
                    self.avatar_bmp = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                64 => {
                    self.id = ::std::option::Option::Some(is.read_sint32()?);
                }
                72 => {
                    self.server_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                80 => {
                    self.session_id = ::std::option::Option::Some(is.read_uint64()?);
                }
                88 => {
                    self.accountage_secs = ::std::option::Option::Some(is.read_uint64()?);
                }
                98 => {
                    self.email = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                106 => {
                    self.clientid = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                114 => {
                    self.privlevel = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                122 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.pawn_colors)?;
                }
                130 => {
                    ::protobuf::rt::read_singular_message_into_field(
                        is,
                        &mut self.card_art_params,
                    )?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoUser {
        ServerInfoUser::new()
    }
    fn clear(&mut self) {
        self.name = ::std::option::Option::None;
        self.user_level = ::std::option::Option::None;
        self.address = ::std::option::Option::None;
        self.real_name = ::std::option::Option::None;
        self.country = ::std::option::Option::None;
        self.avatar_bmp = ::std::option::Option::None;
        self.id = ::std::option::Option::None;
        self.server_id = ::std::option::Option::None;
        self.session_id = ::std::option::Option::None;
        self.accountage_secs = ::std::option::Option::None;
        self.email = ::std::option::Option::None;
        self.clientid = ::std::option::Option::None;
        self.privlevel = ::std::option::Option::None;
        self.pawn_colors.clear();
        self.card_art_params.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoUser {
        static instance: ServerInfoUser = ServerInfoUser {
            name: ::std::option::Option::None,
            user_level: ::std::option::Option::None,
            address: ::std::option::Option::None,
            real_name: ::std::option::Option::None,
            country: ::std::option::Option::None,
            avatar_bmp: ::std::option::Option::None,
            id: ::std::option::Option::None,
            server_id: ::std::option::Option::None,
            session_id: ::std::option::Option::None,
            accountage_secs: ::std::option::Option::None,
            email: ::std::option::Option::None,
            clientid: ::std::option::Option::None,
            privlevel: ::std::option::Option::None,
            pawn_colors: ::protobuf::MessageField::none(),
            card_art_params: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoUserPawnColorsOverride {
    pub left_side: ::std::option::Option<::protobuf::Chars>,
    pub right_side: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoUserPawnColorsOverride {
    fn default() -> &'a ServerInfoUserPawnColorsOverride {
        <ServerInfoUserPawnColorsOverride as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoUserPawnColorsOverride {
    pub fn new() -> ServerInfoUserPawnColorsOverride {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoUserPawnColorsOverride {
    const NAME: &'static str = "ServerInfoUserPawnColorsOverride";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.left_side = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.right_side = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoUserPawnColorsOverride {
        ServerInfoUserPawnColorsOverride::new()
    }
    fn clear(&mut self) {
        self.left_side = ::std::option::Option::None;
        self.right_side = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoUserPawnColorsOverride {
        static instance: ServerInfoUserPawnColorsOverride = ServerInfoUserPawnColorsOverride {
            left_side: ::std::option::Option::None,
            right_side: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoUserCardArtParams {
    pub card_name: ::std::option::Option<::protobuf::Chars>,
    pub card_provider_id: ::std::option::Option<::protobuf::Chars>,
    pub margin_pct_l: ::std::option::Option<f64>,
    pub margin_pct_r: ::std::option::Option<f64>,
    pub vertical_offset: ::std::option::Option<f64>,
    pub zoom: ::std::option::Option<f64>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoUserCardArtParams {
    fn default() -> &'a ServerInfoUserCardArtParams {
        <ServerInfoUserCardArtParams as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoUserCardArtParams {
    pub fn new() -> ServerInfoUserCardArtParams {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoUserCardArtParams {
    const NAME: &'static str = "ServerInfoUserCardArtParams";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.card_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.card_provider_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                25 => {
                    self.margin_pct_l = ::std::option::Option::Some(is.read_double()?);
                }
                33 => {
                    self.margin_pct_r = ::std::option::Option::Some(is.read_double()?);
                }
                41 => {
                    self.vertical_offset = ::std::option::Option::Some(is.read_double()?);
                }
                49 => {
                    self.zoom = ::std::option::Option::Some(is.read_double()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoUserCardArtParams {
        ServerInfoUserCardArtParams::new()
    }
    fn clear(&mut self) {
        self.card_name = ::std::option::Option::None;
        self.card_provider_id = ::std::option::Option::None;
        self.margin_pct_l = ::std::option::Option::None;
        self.margin_pct_r = ::std::option::Option::None;
        self.vertical_offset = ::std::option::Option::None;
        self.zoom = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoUserCardArtParams {
        static instance: ServerInfoUserCardArtParams = ServerInfoUserCardArtParams {
            card_name: ::std::option::Option::None,
            card_provider_id: ::std::option::Option::None,
            margin_pct_l: ::std::option::Option::None,
            margin_pct_r: ::std::option::Option::None,
            vertical_offset: ::std::option::Option::None,
            zoom: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoGameType {
    pub game_type_id: ::std::option::Option<i32>,
    pub description: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoGameType {
    fn default() -> &'a ServerInfoGameType {
        <ServerInfoGameType as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoGameType {
    pub fn new() -> ServerInfoGameType {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoGameType {
    const NAME: &'static str = "ServerInfoGameType";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.game_type_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                18 => {
                    self.description = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoGameType {
        ServerInfoGameType::new()
    }
    fn clear(&mut self) {
        self.game_type_id = ::std::option::Option::None;
        self.description = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoGameType {
        static instance: ServerInfoGameType = ServerInfoGameType {
            game_type_id: ::std::option::Option::None,
            description: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseListUsers {
    pub user_list: ::std::vec::Vec<ServerInfoUser>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseListUsers {
    fn default() -> &'a ResponseListUsers {
        <ResponseListUsers as ::protobuf::Message>::default_instance()
    }
}
impl ResponseListUsers {
    pub fn new() -> ResponseListUsers {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseListUsers {
    const NAME: &'static str = "ResponseListUsers";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_list.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseListUsers {
        ResponseListUsers::new()
    }
    fn clear(&mut self) {
        self.user_list.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseListUsers {
        static instance: ResponseListUsers = ResponseListUsers {
            user_list: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseGetGamesOfUser {
    pub room_list: ::std::vec::Vec<ServerInfoRoom>,
    pub game_list: ::std::vec::Vec<ServerInfoGame>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseGetGamesOfUser {
    fn default() -> &'a ResponseGetGamesOfUser {
        <ResponseGetGamesOfUser as ::protobuf::Message>::default_instance()
    }
}
impl ResponseGetGamesOfUser {
    pub fn new() -> ResponseGetGamesOfUser {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseGetGamesOfUser {
    const NAME: &'static str = "ResponseGetGamesOfUser";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.room_list.push(is.read_message()?);
                }
                18 => {
                    self.game_list.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseGetGamesOfUser {
        ResponseGetGamesOfUser::new()
    }
    fn clear(&mut self) {
        self.room_list.clear();
        self.game_list.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseGetGamesOfUser {
        static instance: ResponseGetGamesOfUser = ResponseGetGamesOfUser {
            room_list: ::std::vec::Vec::new(),
            game_list: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseGetUserInfo {
    pub user_info: ::protobuf::MessageField<ServerInfoUser>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseGetUserInfo {
    fn default() -> &'a ResponseGetUserInfo {
        <ResponseGetUserInfo as ::protobuf::Message>::default_instance()
    }
}
impl ResponseGetUserInfo {
    pub fn new() -> ResponseGetUserInfo {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseGetUserInfo {
    const NAME: &'static str = "ResponseGetUserInfo";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.user_info)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseGetUserInfo {
        ResponseGetUserInfo::new()
    }
    fn clear(&mut self) {
        self.user_info.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseGetUserInfo {
        static instance: ResponseGetUserInfo = ResponseGetUserInfo {
            user_info: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseDumpZone {
    pub zone_info: ::protobuf::MessageField<ServerInfoZone>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseDumpZone {
    fn default() -> &'a ResponseDumpZone {
        <ResponseDumpZone as ::protobuf::Message>::default_instance()
    }
}
impl ResponseDumpZone {
    pub fn new() -> ResponseDumpZone {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseDumpZone {
    const NAME: &'static str = "ResponseDumpZone";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.zone_info)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseDumpZone {
        ResponseDumpZone::new()
    }
    fn clear(&mut self) {
        self.zone_info.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseDumpZone {
        static instance: ResponseDumpZone = ResponseDumpZone {
            zone_info: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoZone {
    pub name: ::std::option::Option<::protobuf::Chars>,
    pub kind: ::std::option::Option<::protobuf::EnumOrUnknown<ServerInfoZoneZoneType>>,
    pub with_coords: ::std::option::Option<bool>,
    pub card_count: ::std::option::Option<i32>,
    pub card_list: ::std::vec::Vec<ServerInfoCard>,
    pub always_reveal_top_card: ::std::option::Option<bool>,
    pub always_look_at_top_card: ::std::option::Option<bool>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoZone {
    fn default() -> &'a ServerInfoZone {
        <ServerInfoZone as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoZone {
    pub fn new() -> ServerInfoZone {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoZone {
    const NAME: &'static str = "ServerInfoZone";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.kind = ::std::option::Option::Some(is.read_enum_or_unknown()?);
                }
                24 => {
                    self.with_coords = ::std::option::Option::Some(is.read_bool()?);
                }
                32 => {
                    self.card_count = ::std::option::Option::Some(is.read_sint32()?);
                }
                42 => {
                    self.card_list.push(is.read_message()?);
                }
                80 => {
                    self.always_reveal_top_card = ::std::option::Option::Some(is.read_bool()?);
                }
                88 => {
                    self.always_look_at_top_card = ::std::option::Option::Some(is.read_bool()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoZone {
        ServerInfoZone::new()
    }
    fn clear(&mut self) {
        self.name = ::std::option::Option::None;
        self.kind = ::std::option::Option::None;
        self.with_coords = ::std::option::Option::None;
        self.card_count = ::std::option::Option::None;
        self.card_list.clear();
        self.always_reveal_top_card = ::std::option::Option::None;
        self.always_look_at_top_card = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoZone {
        static instance: ServerInfoZone = ServerInfoZone {
            name: ::std::option::Option::None,
            kind: ::std::option::Option::None,
            with_coords: ::std::option::Option::None,
            card_count: ::std::option::Option::None,
            card_list: ::std::vec::Vec::new(),
            always_reveal_top_card: ::std::option::Option::None,
            always_look_at_top_card: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoCard {
    pub id: ::std::option::Option<i32>,
    pub name: ::std::option::Option<::protobuf::Chars>,
    pub x: ::std::option::Option<i32>,
    pub y: ::std::option::Option<i32>,
    pub face_down: ::std::option::Option<bool>,
    pub tapped: ::std::option::Option<bool>,
    pub attacking: ::std::option::Option<bool>,
    pub color: ::std::option::Option<::protobuf::Chars>,
    pub pt: ::std::option::Option<::protobuf::Chars>,
    pub annotation: ::std::option::Option<::protobuf::Chars>,
    pub destroy_on_zone_change: ::std::option::Option<bool>,
    pub doesnt_untap: ::std::option::Option<bool>,
    pub counter_list: ::std::vec::Vec<ServerInfoCardCounter>,
    pub attach_player_id: ::std::option::Option<i32>,
    pub attach_zone: ::std::option::Option<::protobuf::Chars>,
    pub attach_card_id: ::std::option::Option<i32>,
    pub provider_id: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoCard {
    fn default() -> &'a ServerInfoCard {
        <ServerInfoCard as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoCard {
    pub fn new() -> ServerInfoCard {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoCard {
    const NAME: &'static str = "ServerInfoCard";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.id = ::std::option::Option::Some(is.read_sint32()?);
                }
                18 => {
                    self.name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                24 => {
                    self.x = ::std::option::Option::Some(is.read_sint32()?);
                }
                32 => {
                    self.y = ::std::option::Option::Some(is.read_sint32()?);
                }
                40 => {
                    self.face_down = ::std::option::Option::Some(is.read_bool()?);
                }
                48 => {
                    self.tapped = ::std::option::Option::Some(is.read_bool()?);
                }
                56 => {
                    self.attacking = ::std::option::Option::Some(is.read_bool()?);
                }
                66 => {
                    self.color = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                74 => {
                    self.pt = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                82 => {
                    self.annotation = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                88 => {
                    self.destroy_on_zone_change = ::std::option::Option::Some(is.read_bool()?);
                }
                96 => {
                    self.doesnt_untap = ::std::option::Option::Some(is.read_bool()?);
                }
                106 => {
                    self.counter_list.push(is.read_message()?);
                }
                112 => {
                    self.attach_player_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                122 => {
                    self.attach_zone = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                128 => {
                    self.attach_card_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                138 => {
                    self.provider_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoCard {
        ServerInfoCard::new()
    }
    fn clear(&mut self) {
        self.id = ::std::option::Option::None;
        self.name = ::std::option::Option::None;
        self.x = ::std::option::Option::None;
        self.y = ::std::option::Option::None;
        self.face_down = ::std::option::Option::None;
        self.tapped = ::std::option::Option::None;
        self.attacking = ::std::option::Option::None;
        self.color = ::std::option::Option::None;
        self.pt = ::std::option::Option::None;
        self.annotation = ::std::option::Option::None;
        self.destroy_on_zone_change = ::std::option::Option::None;
        self.doesnt_untap = ::std::option::Option::None;
        self.counter_list.clear();
        self.attach_player_id = ::std::option::Option::None;
        self.attach_zone = ::std::option::Option::None;
        self.attach_card_id = ::std::option::Option::None;
        self.provider_id = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoCard {
        static instance: ServerInfoCard = ServerInfoCard {
            id: ::std::option::Option::None,
            name: ::std::option::Option::None,
            x: ::std::option::Option::None,
            y: ::std::option::Option::None,
            face_down: ::std::option::Option::None,
            tapped: ::std::option::Option::None,
            attacking: ::std::option::Option::None,
            color: ::std::option::Option::None,
            pt: ::std::option::Option::None,
            annotation: ::std::option::Option::None,
            destroy_on_zone_change: ::std::option::Option::None,
            doesnt_untap: ::std::option::Option::None,
            counter_list: ::std::vec::Vec::new(),
            attach_player_id: ::std::option::Option::None,
            attach_zone: ::std::option::Option::None,
            attach_card_id: ::std::option::Option::None,
            provider_id: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoCardCounter {
    pub id: ::std::option::Option<i32>,
    pub value: ::std::option::Option<i32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoCardCounter {
    fn default() -> &'a ServerInfoCardCounter {
        <ServerInfoCardCounter as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoCardCounter {
    pub fn new() -> ServerInfoCardCounter {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoCardCounter {
    const NAME: &'static str = "ServerInfoCardCounter";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.id = ::std::option::Option::Some(is.read_sint32()?);
                }
                16 => {
                    self.value = ::std::option::Option::Some(is.read_sint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoCardCounter {
        ServerInfoCardCounter::new()
    }
    fn clear(&mut self) {
        self.id = ::std::option::Option::None;
        self.value = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoCardCounter {
        static instance: ServerInfoCardCounter = ServerInfoCardCounter {
            id: ::std::option::Option::None,
            value: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseLogin {
    pub user_info: ::protobuf::MessageField<ServerInfoUser>,
    pub buddy_list: ::std::vec::Vec<ServerInfoUser>,
    pub ignore_list: ::std::vec::Vec<ServerInfoUser>,
    pub denied_reason_str: ::std::option::Option<::protobuf::Chars>,
    pub denied_end_time: ::std::option::Option<u64>,
    pub missing_features: ::std::vec::Vec<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseLogin {
    fn default() -> &'a ResponseLogin {
        <ResponseLogin as ::protobuf::Message>::default_instance()
    }
}
impl ResponseLogin {
    pub fn new() -> ResponseLogin {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseLogin {
    const NAME: &'static str = "ResponseLogin";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.user_info)?;
                }
                18 => {
                    self.buddy_list.push(is.read_message()?);
                }
                26 => {
                    self.ignore_list.push(is.read_message()?);
                }
                34 => {
                    self.denied_reason_str = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                40 => {
                    self.denied_end_time = ::std::option::Option::Some(is.read_uint64()?);
                }
                50 => {
                    self.missing_features.push(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseLogin {
        ResponseLogin::new()
    }
    fn clear(&mut self) {
        self.user_info.clear();
        self.buddy_list.clear();
        self.ignore_list.clear();
        self.denied_reason_str = ::std::option::Option::None;
        self.denied_end_time = ::std::option::Option::None;
        self.missing_features.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseLogin {
        static instance: ResponseLogin = ResponseLogin {
            user_info: ::protobuf::MessageField::none(),
            buddy_list: ::std::vec::Vec::new(),
            ignore_list: ::std::vec::Vec::new(),
            denied_reason_str: ::std::option::Option::None,
            denied_end_time: ::std::option::Option::None,
            missing_features: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseDeckList {
    pub root: ::protobuf::MessageField<ServerInfoDeckStorageFolder>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseDeckList {
    fn default() -> &'a ResponseDeckList {
        <ResponseDeckList as ::protobuf::Message>::default_instance()
    }
}
impl ResponseDeckList {
    pub fn new() -> ResponseDeckList {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseDeckList {
    const NAME: &'static str = "ResponseDeckList";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.root)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseDeckList {
        ResponseDeckList::new()
    }
    fn clear(&mut self) {
        self.root.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseDeckList {
        static instance: ResponseDeckList = ResponseDeckList {
            root: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoDeckStorageFolder {
    pub items: ::std::vec::Vec<ServerInfoDeckStorageTreeItem>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoDeckStorageFolder {
    fn default() -> &'a ServerInfoDeckStorageFolder {
        <ServerInfoDeckStorageFolder as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoDeckStorageFolder {
    pub fn new() -> ServerInfoDeckStorageFolder {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoDeckStorageFolder {
    const NAME: &'static str = "ServerInfoDeckStorageFolder";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.items.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoDeckStorageFolder {
        ServerInfoDeckStorageFolder::new()
    }
    fn clear(&mut self) {
        self.items.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoDeckStorageFolder {
        static instance: ServerInfoDeckStorageFolder = ServerInfoDeckStorageFolder {
            items: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoDeckStorageTreeItem {
    pub id: ::std::option::Option<u32>,
    pub name: ::std::option::Option<::protobuf::Chars>,
    pub file: ::protobuf::MessageField<ServerInfoDeckStorageFile>,
    pub folder: ::protobuf::MessageField<ServerInfoDeckStorageFolder>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoDeckStorageTreeItem {
    fn default() -> &'a ServerInfoDeckStorageTreeItem {
        <ServerInfoDeckStorageTreeItem as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoDeckStorageTreeItem {
    pub fn new() -> ServerInfoDeckStorageTreeItem {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoDeckStorageTreeItem {
    const NAME: &'static str = "ServerInfoDeckStorageTreeItem";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.id = ::std::option::Option::Some(is.read_uint32()?);
                }
                18 => {
                    self.name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                82 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.file)?;
                }
                90 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.folder)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoDeckStorageTreeItem {
        ServerInfoDeckStorageTreeItem::new()
    }
    fn clear(&mut self) {
        self.id = ::std::option::Option::None;
        self.name = ::std::option::Option::None;
        self.file.clear();
        self.folder.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoDeckStorageTreeItem {
        static instance: ServerInfoDeckStorageTreeItem = ServerInfoDeckStorageTreeItem {
            id: ::std::option::Option::None,
            name: ::std::option::Option::None,
            file: ::protobuf::MessageField::none(),
            folder: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoDeckStorageFile {
    pub creation_time: ::std::option::Option<u32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoDeckStorageFile {
    fn default() -> &'a ServerInfoDeckStorageFile {
        <ServerInfoDeckStorageFile as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoDeckStorageFile {
    pub fn new() -> ServerInfoDeckStorageFile {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoDeckStorageFile {
    const NAME: &'static str = "ServerInfoDeckStorageFile";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.creation_time = ::std::option::Option::Some(is.read_uint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoDeckStorageFile {
        ServerInfoDeckStorageFile::new()
    }
    fn clear(&mut self) {
        self.creation_time = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoDeckStorageFile {
        static instance: ServerInfoDeckStorageFile = ServerInfoDeckStorageFile {
            creation_time: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseDeckDownload {
    pub deck: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseDeckDownload {
    fn default() -> &'a ResponseDeckDownload {
        <ResponseDeckDownload as ::protobuf::Message>::default_instance()
    }
}
impl ResponseDeckDownload {
    pub fn new() -> ResponseDeckDownload {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseDeckDownload {
    const NAME: &'static str = "ResponseDeckDownload";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.deck = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseDeckDownload {
        ResponseDeckDownload::new()
    }
    fn clear(&mut self) {
        self.deck = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseDeckDownload {
        static instance: ResponseDeckDownload = ResponseDeckDownload {
            deck: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseDeckUpload {
    pub new_file: ::protobuf::MessageField<ServerInfoDeckStorageTreeItem>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseDeckUpload {
    fn default() -> &'a ResponseDeckUpload {
        <ResponseDeckUpload as ::protobuf::Message>::default_instance()
    }
}
impl ResponseDeckUpload {
    pub fn new() -> ResponseDeckUpload {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseDeckUpload {
    const NAME: &'static str = "ResponseDeckUpload";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.new_file)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseDeckUpload {
        ResponseDeckUpload::new()
    }
    fn clear(&mut self) {
        self.new_file.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseDeckUpload {
        static instance: ResponseDeckUpload = ResponseDeckUpload {
            new_file: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseRegister {
    pub denied_reason_str: ::std::option::Option<::protobuf::Chars>,
    pub denied_end_time: ::std::option::Option<u64>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseRegister {
    fn default() -> &'a ResponseRegister {
        <ResponseRegister as ::protobuf::Message>::default_instance()
    }
}
impl ResponseRegister {
    pub fn new() -> ResponseRegister {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseRegister {
    const NAME: &'static str = "ResponseRegister";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.denied_reason_str = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.denied_end_time = ::std::option::Option::Some(is.read_uint64()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseRegister {
        ResponseRegister::new()
    }
    fn clear(&mut self) {
        self.denied_reason_str = ::std::option::Option::None;
        self.denied_end_time = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseRegister {
        static instance: ResponseRegister = ResponseRegister {
            denied_reason_str: ::std::option::Option::None,
            denied_end_time: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseActivate {
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseActivate {
    fn default() -> &'a ResponseActivate {
        <ResponseActivate as ::protobuf::Message>::default_instance()
    }
}
impl ResponseActivate {
    pub fn new() -> ResponseActivate {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseActivate {
    const NAME: &'static str = "ResponseActivate";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseActivate {
        ResponseActivate::new()
    }
    fn clear(&mut self) {
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseActivate {
        static instance: ResponseActivate = ResponseActivate {
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseAdjustMod {
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseAdjustMod {
    fn default() -> &'a ResponseAdjustMod {
        <ResponseAdjustMod as ::protobuf::Message>::default_instance()
    }
}
impl ResponseAdjustMod {
    pub fn new() -> ResponseAdjustMod {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseAdjustMod {
    const NAME: &'static str = "ResponseAdjustMod";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseAdjustMod {
        ResponseAdjustMod::new()
    }
    fn clear(&mut self) {
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseAdjustMod {
        static instance: ResponseAdjustMod = ResponseAdjustMod {
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseBanHistory {
    pub ban_list: ::std::vec::Vec<ServerInfoBan>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseBanHistory {
    fn default() -> &'a ResponseBanHistory {
        <ResponseBanHistory as ::protobuf::Message>::default_instance()
    }
}
impl ResponseBanHistory {
    pub fn new() -> ResponseBanHistory {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseBanHistory {
    const NAME: &'static str = "ResponseBanHistory";
    fn is_initialized(&self) -> bool {
        for v in &self.ban_list {
            if !v.is_initialized() {
                return false;
            }
        }
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.ban_list.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseBanHistory {
        ResponseBanHistory::new()
    }
    fn clear(&mut self) {
        self.ban_list.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseBanHistory {
        static instance: ResponseBanHistory = ResponseBanHistory {
            ban_list: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoBan {
    pub admin_id: ::std::option::Option<::protobuf::Chars>,
    pub admin_name: ::std::option::Option<::protobuf::Chars>,
    pub ban_time: ::std::option::Option<::protobuf::Chars>,
    pub ban_length: ::std::option::Option<::protobuf::Chars>,
    pub ban_reason: ::std::option::Option<::protobuf::Chars>,
    pub visible_reason: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoBan {
    fn default() -> &'a ServerInfoBan {
        <ServerInfoBan as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoBan {
    pub fn new() -> ServerInfoBan {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoBan {
    const NAME: &'static str = "ServerInfoBan";
    fn is_initialized(&self) -> bool {
        if self.admin_id.is_none() {
            return false;
        }
        if self.admin_name.is_none() {
            return false;
        }
        if self.ban_time.is_none() {
            return false;
        }
        if self.ban_length.is_none() {
            return false;
        }
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.admin_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.admin_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.ban_time = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    self.ban_length = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                42 => {
                    self.ban_reason = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                50 => {
                    self.visible_reason = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoBan {
        ServerInfoBan::new()
    }
    fn clear(&mut self) {
        self.admin_id = ::std::option::Option::None;
        self.admin_name = ::std::option::Option::None;
        self.ban_time = ::std::option::Option::None;
        self.ban_length = ::std::option::Option::None;
        self.ban_reason = ::std::option::Option::None;
        self.visible_reason = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoBan {
        static instance: ServerInfoBan = ServerInfoBan {
            admin_id: ::std::option::Option::None,
            admin_name: ::std::option::Option::None,
            ban_time: ::std::option::Option::None,
            ban_length: ::std::option::Option::None,
            ban_reason: ::std::option::Option::None,
            visible_reason: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseWarnHistory {
    pub warn_list: ::std::vec::Vec<ServerInfoWarning>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseWarnHistory {
    fn default() -> &'a ResponseWarnHistory {
        <ResponseWarnHistory as ::protobuf::Message>::default_instance()
    }
}
impl ResponseWarnHistory {
    pub fn new() -> ResponseWarnHistory {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseWarnHistory {
    const NAME: &'static str = "ResponseWarnHistory";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.warn_list.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseWarnHistory {
        ResponseWarnHistory::new()
    }
    fn clear(&mut self) {
        self.warn_list.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseWarnHistory {
        static instance: ResponseWarnHistory = ResponseWarnHistory {
            warn_list: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoWarning {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub admin_name: ::std::option::Option<::protobuf::Chars>,
    pub reason: ::std::option::Option<::protobuf::Chars>,
    pub time_of: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoWarning {
    fn default() -> &'a ServerInfoWarning {
        <ServerInfoWarning as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoWarning {
    pub fn new() -> ServerInfoWarning {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoWarning {
    const NAME: &'static str = "ServerInfoWarning";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.admin_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.reason = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    self.time_of = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoWarning {
        ServerInfoWarning::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.admin_name = ::std::option::Option::None;
        self.reason = ::std::option::Option::None;
        self.time_of = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoWarning {
        static instance: ServerInfoWarning = ServerInfoWarning {
            user_name: ::std::option::Option::None,
            admin_name: ::std::option::Option::None,
            reason: ::std::option::Option::None,
            time_of: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseWarnList {
    pub warning: ::std::vec::Vec<::protobuf::Chars>,
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub user_clientid: ::std::option::Option<::protobuf::Chars>,
    pub warning_il: ::std::vec::Vec<u32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseWarnList {
    fn default() -> &'a ResponseWarnList {
        <ResponseWarnList as ::protobuf::Message>::default_instance()
    }
}
impl ResponseWarnList {
    pub fn new() -> ResponseWarnList {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseWarnList {
    const NAME: &'static str = "ResponseWarnList";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.warning.push(is.read_tokio_chars()?);
                }
                18 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.user_clientid = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    is.read_repeated_packed_uint32_into(&mut self.warning_il)?;
                }
                32 => {
                    self.warning_il.push(is.read_uint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseWarnList {
        ResponseWarnList::new()
    }
    fn clear(&mut self) {
        self.warning.clear();
        self.user_name = ::std::option::Option::None;
        self.user_clientid = ::std::option::Option::None;
        self.warning_il.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseWarnList {
        static instance: ResponseWarnList = ResponseWarnList {
            warning: ::std::vec::Vec::new(),
            user_name: ::std::option::Option::None,
            user_clientid: ::std::option::Option::None,
            warning_il: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseViewLogHistory {
    pub log_message: ::std::vec::Vec<ServerInfoChatMessage>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseViewLogHistory {
    fn default() -> &'a ResponseViewLogHistory {
        <ResponseViewLogHistory as ::protobuf::Message>::default_instance()
    }
}
impl ResponseViewLogHistory {
    pub fn new() -> ResponseViewLogHistory {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseViewLogHistory {
    const NAME: &'static str = "ResponseViewLogHistory";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.log_message.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseViewLogHistory {
        ResponseViewLogHistory::new()
    }
    fn clear(&mut self) {
        self.log_message.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseViewLogHistory {
        static instance: ResponseViewLogHistory = ResponseViewLogHistory {
            log_message: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoChatMessage {
    pub time: ::std::option::Option<::protobuf::Chars>,
    pub sender_id: ::std::option::Option<::protobuf::Chars>,
    pub sender_name: ::std::option::Option<::protobuf::Chars>,
    pub sender_ip: ::std::option::Option<::protobuf::Chars>,
    pub message: ::std::option::Option<::protobuf::Chars>,
    pub target_type: ::std::option::Option<::protobuf::Chars>,
    pub target_id: ::std::option::Option<::protobuf::Chars>,
    pub target_name: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoChatMessage {
    fn default() -> &'a ServerInfoChatMessage {
        <ServerInfoChatMessage as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoChatMessage {
    pub fn new() -> ServerInfoChatMessage {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoChatMessage {
    const NAME: &'static str = "ServerInfoChatMessage";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.time = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.sender_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.sender_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    self.sender_ip = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                42 => {
                    self.message = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                50 => {
                    self.target_type = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                58 => {
                    self.target_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                66 => {
                    self.target_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoChatMessage {
        ServerInfoChatMessage::new()
    }
    fn clear(&mut self) {
        self.time = ::std::option::Option::None;
        self.sender_id = ::std::option::Option::None;
        self.sender_name = ::std::option::Option::None;
        self.sender_ip = ::std::option::Option::None;
        self.message = ::std::option::Option::None;
        self.target_type = ::std::option::Option::None;
        self.target_id = ::std::option::Option::None;
        self.target_name = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoChatMessage {
        static instance: ServerInfoChatMessage = ServerInfoChatMessage {
            time: ::std::option::Option::None,
            sender_id: ::std::option::Option::None,
            sender_name: ::std::option::Option::None,
            sender_ip: ::std::option::Option::None,
            message: ::std::option::Option::None,
            target_type: ::std::option::Option::None,
            target_id: ::std::option::Option::None,
            target_name: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseForgotPasswordRequest {
    pub challenge_email: ::std::option::Option<bool>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseForgotPasswordRequest {
    fn default() -> &'a ResponseForgotPasswordRequest {
        <ResponseForgotPasswordRequest as ::protobuf::Message>::default_instance()
    }
}
impl ResponseForgotPasswordRequest {
    pub fn new() -> ResponseForgotPasswordRequest {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseForgotPasswordRequest {
    const NAME: &'static str = "ResponseForgotPasswordRequest";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.challenge_email = ::std::option::Option::Some(is.read_bool()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseForgotPasswordRequest {
        ResponseForgotPasswordRequest::new()
    }
    fn clear(&mut self) {
        self.challenge_email = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseForgotPasswordRequest {
        static instance: ResponseForgotPasswordRequest = ResponseForgotPasswordRequest {
            challenge_email: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponsePasswordSalt {
    pub password_salt: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponsePasswordSalt {
    fn default() -> &'a ResponsePasswordSalt {
        <ResponsePasswordSalt as ::protobuf::Message>::default_instance()
    }
}
impl ResponsePasswordSalt {
    pub fn new() -> ResponsePasswordSalt {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponsePasswordSalt {
    const NAME: &'static str = "ResponsePasswordSalt";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.password_salt = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponsePasswordSalt {
        ResponsePasswordSalt::new()
    }
    fn clear(&mut self) {
        self.password_salt = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponsePasswordSalt {
        static instance: ResponsePasswordSalt = ResponsePasswordSalt {
            password_salt: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseGetAdminNotes {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub notes: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseGetAdminNotes {
    fn default() -> &'a ResponseGetAdminNotes {
        <ResponseGetAdminNotes as ::protobuf::Message>::default_instance()
    }
}
impl ResponseGetAdminNotes {
    pub fn new() -> ResponseGetAdminNotes {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseGetAdminNotes {
    const NAME: &'static str = "ResponseGetAdminNotes";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.notes = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseGetAdminNotes {
        ResponseGetAdminNotes::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.notes = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseGetAdminNotes {
        static instance: ResponseGetAdminNotes = ResponseGetAdminNotes {
            user_name: ::std::option::Option::None,
            notes: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReplayList {
    pub match_list: ::std::vec::Vec<ServerInfoReplayMatch>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReplayList {
    fn default() -> &'a ResponseReplayList {
        <ResponseReplayList as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReplayList {
    pub fn new() -> ResponseReplayList {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReplayList {
    const NAME: &'static str = "ResponseReplayList";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.match_list.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReplayList {
        ResponseReplayList::new()
    }
    fn clear(&mut self) {
        self.match_list.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReplayList {
        static instance: ResponseReplayList = ResponseReplayList {
            match_list: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoReplayMatch {
    pub replay_list: ::std::vec::Vec<ServerInfoReplay>,
    pub game_id: ::std::option::Option<i32>,
    pub room_name: ::std::option::Option<::protobuf::Chars>,
    pub time_started: ::std::option::Option<u32>,
    pub length: ::std::option::Option<u32>,
    pub game_name: ::std::option::Option<::protobuf::Chars>,
    pub player_names: ::std::vec::Vec<::protobuf::Chars>,
    pub do_not_hide: ::std::option::Option<bool>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoReplayMatch {
    fn default() -> &'a ServerInfoReplayMatch {
        <ServerInfoReplayMatch as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoReplayMatch {
    pub fn new() -> ServerInfoReplayMatch {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoReplayMatch {
    const NAME: &'static str = "ServerInfoReplayMatch";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.replay_list.push(is.read_message()?);
                }
                16 => {
                    self.game_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                26 => {
                    self.room_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                32 => {
                    self.time_started = ::std::option::Option::Some(is.read_uint32()?);
                }
                40 => {
                    self.length = ::std::option::Option::Some(is.read_uint32()?);
                }
                50 => {
                    self.game_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                58 => {
                    self.player_names.push(is.read_tokio_chars()?);
                }
                64 => {
                    self.do_not_hide = ::std::option::Option::Some(is.read_bool()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoReplayMatch {
        ServerInfoReplayMatch::new()
    }
    fn clear(&mut self) {
        self.replay_list.clear();
        self.game_id = ::std::option::Option::None;
        self.room_name = ::std::option::Option::None;
        self.time_started = ::std::option::Option::None;
        self.length = ::std::option::Option::None;
        self.game_name = ::std::option::Option::None;
        self.player_names.clear();
        self.do_not_hide = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoReplayMatch {
        static instance: ServerInfoReplayMatch = ServerInfoReplayMatch {
            replay_list: ::std::vec::Vec::new(),
            game_id: ::std::option::Option::None,
            room_name: ::std::option::Option::None,
            time_started: ::std::option::Option::None,
            length: ::std::option::Option::None,
            game_name: ::std::option::Option::None,
            player_names: ::std::vec::Vec::new(),
            do_not_hide: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoReplay {
    pub replay_id: ::std::option::Option<i32>,
    pub replay_name: ::std::option::Option<::protobuf::Chars>,
    pub duration: ::std::option::Option<u32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoReplay {
    fn default() -> &'a ServerInfoReplay {
        <ServerInfoReplay as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoReplay {
    pub fn new() -> ServerInfoReplay {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoReplay {
    const NAME: &'static str = "ServerInfoReplay";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.replay_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                18 => {
                    self.replay_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                24 => {
                    self.duration = ::std::option::Option::Some(is.read_uint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoReplay {
        ServerInfoReplay::new()
    }
    fn clear(&mut self) {
        self.replay_id = ::std::option::Option::None;
        self.replay_name = ::std::option::Option::None;
        self.duration = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoReplay {
        static instance: ServerInfoReplay = ServerInfoReplay {
            replay_id: ::std::option::Option::None,
            replay_name: ::std::option::Option::None,
            duration: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReplayDownload {
    pub replay_data: ::std::option::Option<::bytes::Bytes>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReplayDownload {
    fn default() -> &'a ResponseReplayDownload {
        <ResponseReplayDownload as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReplayDownload {
    pub fn new() -> ResponseReplayDownload {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReplayDownload {
    const NAME: &'static str = "ResponseReplayDownload";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.replay_data = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReplayDownload {
        ResponseReplayDownload::new()
    }
    fn clear(&mut self) {
        self.replay_data = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReplayDownload {
        static instance: ResponseReplayDownload = ResponseReplayDownload {
            replay_data: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReplayGetCode {
    pub replay_code: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReplayGetCode {
    fn default() -> &'a ResponseReplayGetCode {
        <ResponseReplayGetCode as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReplayGetCode {
    pub fn new() -> ResponseReplayGetCode {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReplayGetCode {
    const NAME: &'static str = "ResponseReplayGetCode";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.replay_code = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReplayGetCode {
        ResponseReplayGetCode::new()
    }
    fn clear(&mut self) {
        self.replay_code = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReplayGetCode {
        static instance: ResponseReplayGetCode = ResponseReplayGetCode {
            replay_code: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseListCardArtRules {
    pub entries: ::std::vec::Vec<ResponseCardArtRuleEntry>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseListCardArtRules {
    fn default() -> &'a ResponseListCardArtRules {
        <ResponseListCardArtRules as ::protobuf::Message>::default_instance()
    }
}
impl ResponseListCardArtRules {
    pub fn new() -> ResponseListCardArtRules {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseListCardArtRules {
    const NAME: &'static str = "ResponseListCardArtRules";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.entries.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseListCardArtRules {
        ResponseListCardArtRules::new()
    }
    fn clear(&mut self) {
        self.entries.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseListCardArtRules {
        static instance: ResponseListCardArtRules = ResponseListCardArtRules {
            entries: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseCardArtRuleEntry {
    pub card_name: ::std::option::Option<::protobuf::Chars>,
    pub card_provider_id: ::std::option::Option<::protobuf::Chars>,
    pub mode: ::std::option::Option<::protobuf::Chars>,
    pub reason: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseCardArtRuleEntry {
    fn default() -> &'a ResponseCardArtRuleEntry {
        <ResponseCardArtRuleEntry as ::protobuf::Message>::default_instance()
    }
}
impl ResponseCardArtRuleEntry {
    pub fn new() -> ResponseCardArtRuleEntry {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseCardArtRuleEntry {
    const NAME: &'static str = "ResponseCardArtRuleEntry";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.card_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.card_provider_id = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.mode = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                34 => {
                    self.reason = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseCardArtRuleEntry {
        ResponseCardArtRuleEntry::new()
    }
    fn clear(&mut self) {
        self.card_name = ::std::option::Option::None;
        self.card_provider_id = ::std::option::Option::None;
        self.mode = ::std::option::Option::None;
        self.reason = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseCardArtRuleEntry {
        static instance: ResponseCardArtRuleEntry = ResponseCardArtRuleEntry {
            card_name: ::std::option::Option::None,
            card_provider_id: ::std::option::Option::None,
            mode: ::std::option::Option::None,
            reason: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReplayDownloadByGameId {
    pub replay_data: ::std::option::Option<::bytes::Bytes>,
    pub replay_id: ::std::option::Option<i32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReplayDownloadByGameId {
    fn default() -> &'a ResponseReplayDownloadByGameId {
        <ResponseReplayDownloadByGameId as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReplayDownloadByGameId {
    pub fn new() -> ResponseReplayDownloadByGameId {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReplayDownloadByGameId {
    const NAME: &'static str = "ResponseReplayDownloadByGameId";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.replay_data = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                16 => {
                    self.replay_id = ::std::option::Option::Some(is.read_sint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReplayDownloadByGameId {
        ResponseReplayDownloadByGameId::new()
    }
    fn clear(&mut self) {
        self.replay_data = ::std::option::Option::None;
        self.replay_id = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReplayDownloadByGameId {
        static instance: ResponseReplayDownloadByGameId = ResponseReplayDownloadByGameId {
            replay_data: ::std::option::Option::None,
            replay_id: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReportList {
    pub reports: ::std::vec::Vec<ServerInfoReport>,
    pub total_count: ::std::option::Option<u32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReportList {
    fn default() -> &'a ResponseReportList {
        <ResponseReportList as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReportList {
    pub fn new() -> ResponseReportList {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReportList {
    const NAME: &'static str = "ResponseReportList";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.reports.push(is.read_message()?);
                }
                16 => {
                    self.total_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReportList {
        ResponseReportList::new()
    }
    fn clear(&mut self) {
        self.reports.clear();
        self.total_count = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReportList {
        static instance: ResponseReportList = ResponseReportList {
            reports: ::std::vec::Vec::new(),
            total_count: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoReport {
    pub report_id: ::std::option::Option<i32>,
    pub reporter_name: ::std::option::Option<::protobuf::Chars>,
    pub reported_user_name: ::std::option::Option<::protobuf::Chars>,
    pub game_id: ::std::option::Option<i32>,
    pub replay_id: ::std::option::Option<i32>,
    pub room_id: ::std::option::Option<i32>,
    pub category: ::std::option::Option<::protobuf::Chars>,
    pub status: ::std::option::Option<::protobuf::Chars>,
    pub description: ::std::option::Option<::protobuf::Chars>,
    pub report_time: ::std::option::Option<i64>,
    pub assigned_mod_name: ::std::option::Option<::protobuf::Chars>,
    pub resolution_time: ::std::option::Option<i64>,
    pub comments: ::std::vec::Vec<ServerInfoReportComment>,
    pub chat_log: ::std::option::Option<::protobuf::Chars>,
    pub resolution_note: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoReport {
    fn default() -> &'a ServerInfoReport {
        <ServerInfoReport as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoReport {
    pub fn new() -> ServerInfoReport {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoReport {
    const NAME: &'static str = "ServerInfoReport";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.report_id = ::std::option::Option::Some(is.read_int32()?);
                }
                18 => {
                    self.reporter_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.reported_user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                32 => {
                    self.game_id = ::std::option::Option::Some(is.read_int32()?);
                }
                40 => {
                    self.replay_id = ::std::option::Option::Some(is.read_int32()?);
                }
                48 => {
                    self.room_id = ::std::option::Option::Some(is.read_int32()?);
                }
                58 => {
                    self.category = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                66 => {
                    self.status = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                74 => {
                    self.description = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                80 => {
                    self.report_time = ::std::option::Option::Some(is.read_int64()?);
                }
                90 => {
                    self.assigned_mod_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                96 => {
                    self.resolution_time = ::std::option::Option::Some(is.read_int64()?);
                }
                106 => {
                    self.comments.push(is.read_message()?);
                }
                114 => {
                    self.chat_log = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                122 => {
                    self.resolution_note = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoReport {
        ServerInfoReport::new()
    }
    fn clear(&mut self) {
        self.report_id = ::std::option::Option::None;
        self.reporter_name = ::std::option::Option::None;
        self.reported_user_name = ::std::option::Option::None;
        self.game_id = ::std::option::Option::None;
        self.replay_id = ::std::option::Option::None;
        self.room_id = ::std::option::Option::None;
        self.category = ::std::option::Option::None;
        self.status = ::std::option::Option::None;
        self.description = ::std::option::Option::None;
        self.report_time = ::std::option::Option::None;
        self.assigned_mod_name = ::std::option::Option::None;
        self.resolution_time = ::std::option::Option::None;
        self.comments.clear();
        self.chat_log = ::std::option::Option::None;
        self.resolution_note = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoReport {
        static instance: ServerInfoReport = ServerInfoReport {
            report_id: ::std::option::Option::None,
            reporter_name: ::std::option::Option::None,
            reported_user_name: ::std::option::Option::None,
            game_id: ::std::option::Option::None,
            replay_id: ::std::option::Option::None,
            room_id: ::std::option::Option::None,
            category: ::std::option::Option::None,
            status: ::std::option::Option::None,
            description: ::std::option::Option::None,
            report_time: ::std::option::Option::None,
            assigned_mod_name: ::std::option::Option::None,
            resolution_time: ::std::option::Option::None,
            comments: ::std::vec::Vec::new(),
            chat_log: ::std::option::Option::None,
            resolution_note: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoReportComment {
    pub author_name: ::std::option::Option<::protobuf::Chars>,
    pub comment_text: ::std::option::Option<::protobuf::Chars>,
    pub comment_time: ::std::option::Option<i64>,
    pub is_moderator: ::std::option::Option<bool>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoReportComment {
    fn default() -> &'a ServerInfoReportComment {
        <ServerInfoReportComment as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoReportComment {
    pub fn new() -> ServerInfoReportComment {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoReportComment {
    const NAME: &'static str = "ServerInfoReportComment";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.author_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.comment_text = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                24 => {
                    self.comment_time = ::std::option::Option::Some(is.read_int64()?);
                }
                32 => {
                    self.is_moderator = ::std::option::Option::Some(is.read_bool()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoReportComment {
        ServerInfoReportComment::new()
    }
    fn clear(&mut self) {
        self.author_name = ::std::option::Option::None;
        self.comment_text = ::std::option::Option::None;
        self.comment_time = ::std::option::Option::None;
        self.is_moderator = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoReportComment {
        static instance: ServerInfoReportComment = ServerInfoReportComment {
            author_name: ::std::option::Option::None,
            comment_text: ::std::option::Option::None,
            comment_time: ::std::option::Option::None,
            is_moderator: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReportUserInfo {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub total_reports: ::std::option::Option<i32>,
    pub total_bans: ::std::option::Option<i32>,
    pub total_warns: ::std::option::Option<i32>,
    pub registration_time: ::std::option::Option<i64>,
    pub is_admin: ::std::option::Option<bool>,
    pub is_active: ::std::option::Option<bool>,
    pub admin_notes: ::std::option::Option<::protobuf::Chars>,
    pub recent_reports: ::std::vec::Vec<ServerInfoReport>,
    pub last_login: ::std::option::Option<i64>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReportUserInfo {
    fn default() -> &'a ResponseReportUserInfo {
        <ResponseReportUserInfo as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReportUserInfo {
    pub fn new() -> ResponseReportUserInfo {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReportUserInfo {
    const NAME: &'static str = "ResponseReportUserInfo";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.total_reports = ::std::option::Option::Some(is.read_int32()?);
                }
                24 => {
                    self.total_bans = ::std::option::Option::Some(is.read_int32()?);
                }
                32 => {
                    self.total_warns = ::std::option::Option::Some(is.read_int32()?);
                }
                40 => {
                    self.registration_time = ::std::option::Option::Some(is.read_int64()?);
                }
                48 => {
                    self.is_admin = ::std::option::Option::Some(is.read_bool()?);
                }
                56 => {
                    self.is_active = ::std::option::Option::Some(is.read_bool()?);
                }
                66 => {
                    self.admin_notes = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                74 => {
                    self.recent_reports.push(is.read_message()?);
                }
                80 => {
                    self.last_login = ::std::option::Option::Some(is.read_int64()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReportUserInfo {
        ResponseReportUserInfo::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.total_reports = ::std::option::Option::None;
        self.total_bans = ::std::option::Option::None;
        self.total_warns = ::std::option::Option::None;
        self.registration_time = ::std::option::Option::None;
        self.is_admin = ::std::option::Option::None;
        self.is_active = ::std::option::Option::None;
        self.admin_notes = ::std::option::Option::None;
        self.recent_reports.clear();
        self.last_login = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReportUserInfo {
        static instance: ResponseReportUserInfo = ResponseReportUserInfo {
            user_name: ::std::option::Option::None,
            total_reports: ::std::option::Option::None,
            total_bans: ::std::option::Option::None,
            total_warns: ::std::option::Option::None,
            registration_time: ::std::option::Option::None,
            is_admin: ::std::option::Option::None,
            is_active: ::std::option::Option::None,
            admin_notes: ::std::option::Option::None,
            recent_reports: ::std::vec::Vec::new(),
            last_login: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReportStats {
    pub total_reports: ::std::option::Option<i32>,
    pub total_pending: ::std::option::Option<i32>,
    pub total_assigned: ::std::option::Option<i32>,
    pub total_resolved: ::std::option::Option<i32>,
    pub reports_last_24h: ::std::option::Option<i32>,
    pub reports_last_7d: ::std::option::Option<i32>,
    pub reports_last_30d: ::std::option::Option<i32>,
    pub avg_resolution_hours: ::std::option::Option<f64>,
    pub reports_this_week: ::std::option::Option<i32>,
    pub reports_last_week: ::std::option::Option<i32>,
    pub category_counts: ::std::vec::Vec<ReportCategoryCount>,
    pub top_reported_users: ::std::vec::Vec<ReportTopUser>,
    pub top_reporters: ::std::vec::Vec<ReportTopUser>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReportStats {
    fn default() -> &'a ResponseReportStats {
        <ResponseReportStats as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReportStats {
    pub fn new() -> ResponseReportStats {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReportStats {
    const NAME: &'static str = "ResponseReportStats";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.total_reports = ::std::option::Option::Some(is.read_int32()?);
                }
                16 => {
                    self.total_pending = ::std::option::Option::Some(is.read_int32()?);
                }
                24 => {
                    self.total_assigned = ::std::option::Option::Some(is.read_int32()?);
                }
                32 => {
                    self.total_resolved = ::std::option::Option::Some(is.read_int32()?);
                }
                40 => {
                    self.reports_last_24h = ::std::option::Option::Some(is.read_int32()?);
                }
                48 => {
                    self.reports_last_7d = ::std::option::Option::Some(is.read_int32()?);
                }
                56 => {
                    self.reports_last_30d = ::std::option::Option::Some(is.read_int32()?);
                }
                65 => {
                    self.avg_resolution_hours = ::std::option::Option::Some(is.read_double()?);
                }
                72 => {
                    self.reports_this_week = ::std::option::Option::Some(is.read_int32()?);
                }
                80 => {
                    self.reports_last_week = ::std::option::Option::Some(is.read_int32()?);
                }
                90 => {
                    self.category_counts.push(is.read_message()?);
                }
                98 => {
                    self.top_reported_users.push(is.read_message()?);
                }
                106 => {
                    self.top_reporters.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReportStats {
        ResponseReportStats::new()
    }
    fn clear(&mut self) {
        self.total_reports = ::std::option::Option::None;
        self.total_pending = ::std::option::Option::None;
        self.total_assigned = ::std::option::Option::None;
        self.total_resolved = ::std::option::Option::None;
        self.reports_last_24h = ::std::option::Option::None;
        self.reports_last_7d = ::std::option::Option::None;
        self.reports_last_30d = ::std::option::Option::None;
        self.avg_resolution_hours = ::std::option::Option::None;
        self.reports_this_week = ::std::option::Option::None;
        self.reports_last_week = ::std::option::Option::None;
        self.category_counts.clear();
        self.top_reported_users.clear();
        self.top_reporters.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReportStats {
        static instance: ResponseReportStats = ResponseReportStats {
            total_reports: ::std::option::Option::None,
            total_pending: ::std::option::Option::None,
            total_assigned: ::std::option::Option::None,
            total_resolved: ::std::option::Option::None,
            reports_last_24h: ::std::option::Option::None,
            reports_last_7d: ::std::option::Option::None,
            reports_last_30d: ::std::option::Option::None,
            avg_resolution_hours: ::std::option::Option::None,
            reports_this_week: ::std::option::Option::None,
            reports_last_week: ::std::option::Option::None,
            category_counts: ::std::vec::Vec::new(),
            top_reported_users: ::std::vec::Vec::new(),
            top_reporters: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ReportCategoryCount {
    pub category: ::std::option::Option<::protobuf::Chars>,
    pub count: ::std::option::Option<i32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ReportCategoryCount {
    fn default() -> &'a ReportCategoryCount {
        <ReportCategoryCount as ::protobuf::Message>::default_instance()
    }
}
impl ReportCategoryCount {
    pub fn new() -> ReportCategoryCount {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ReportCategoryCount {
    const NAME: &'static str = "ReportCategoryCount";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.category = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.count = ::std::option::Option::Some(is.read_int32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ReportCategoryCount {
        ReportCategoryCount::new()
    }
    fn clear(&mut self) {
        self.category = ::std::option::Option::None;
        self.count = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ReportCategoryCount {
        static instance: ReportCategoryCount = ReportCategoryCount {
            category: ::std::option::Option::None,
            count: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ReportTopUser {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub count: ::std::option::Option<i32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ReportTopUser {
    fn default() -> &'a ReportTopUser {
        <ReportTopUser as ::protobuf::Message>::default_instance()
    }
}
impl ReportTopUser {
    pub fn new() -> ReportTopUser {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ReportTopUser {
    const NAME: &'static str = "ReportTopUser";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.count = ::std::option::Option::Some(is.read_int32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ReportTopUser {
        ReportTopUser::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.count = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ReportTopUser {
        static instance: ReportTopUser = ReportTopUser {
            user_name: ::std::option::Option::None,
            count: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReportMyList {
    pub reports: ::std::vec::Vec<ServerInfoReport>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReportMyList {
    fn default() -> &'a ResponseReportMyList {
        <ResponseReportMyList as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReportMyList {
    pub fn new() -> ResponseReportMyList {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReportMyList {
    const NAME: &'static str = "ResponseReportMyList";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.reports.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReportMyList {
        ResponseReportMyList::new()
    }
    fn clear(&mut self) {
        self.reports.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReportMyList {
        static instance: ResponseReportMyList = ResponseReportMyList {
            reports: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseReportDetails {
    pub report: ::protobuf::MessageField<ServerInfoReport>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseReportDetails {
    fn default() -> &'a ResponseReportDetails {
        <ResponseReportDetails as ::protobuf::Message>::default_instance()
    }
}
impl ResponseReportDetails {
    pub fn new() -> ResponseReportDetails {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseReportDetails {
    const NAME: &'static str = "ResponseReportDetails";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    ::protobuf::rt::read_singular_message_into_field(is, &mut self.report)?;
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseReportDetails {
        ResponseReportDetails::new()
    }
    fn clear(&mut self) {
        self.report.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseReportDetails {
        static instance: ResponseReportDetails = ResponseReportDetails {
            report: ::protobuf::MessageField::none(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseUserSessions {
    pub sessions: ::std::vec::Vec<ServerInfoUserSession>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseUserSessions {
    fn default() -> &'a ResponseUserSessions {
        <ResponseUserSessions as ::protobuf::Message>::default_instance()
    }
}
impl ResponseUserSessions {
    pub fn new() -> ResponseUserSessions {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseUserSessions {
    const NAME: &'static str = "ResponseUserSessions";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.sessions.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseUserSessions {
        ResponseUserSessions::new()
    }
    fn clear(&mut self) {
        self.sessions.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseUserSessions {
        static instance: ResponseUserSessions = ResponseUserSessions {
            sessions: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoUserSession {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub ip_address: ::std::option::Option<::protobuf::Chars>,
    pub clientid: ::std::option::Option<::protobuf::Chars>,
    pub start_time: ::std::option::Option<u64>,
    pub end_time: ::std::option::Option<u64>,
    pub connection_type: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoUserSession {
    fn default() -> &'a ServerInfoUserSession {
        <ServerInfoUserSession as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoUserSession {
    pub fn new() -> ServerInfoUserSession {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoUserSession {
    const NAME: &'static str = "ServerInfoUserSession";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.ip_address = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.clientid = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                32 => {
                    self.start_time = ::std::option::Option::Some(is.read_uint64()?);
                }
                40 => {
                    self.end_time = ::std::option::Option::Some(is.read_uint64()?);
                }
                50 => {
                    self.connection_type = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoUserSession {
        ServerInfoUserSession::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.ip_address = ::std::option::Option::None;
        self.clientid = ::std::option::Option::None;
        self.start_time = ::std::option::Option::None;
        self.end_time = ::std::option::Option::None;
        self.connection_type = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoUserSession {
        static instance: ServerInfoUserSession = ServerInfoUserSession {
            user_name: ::std::option::Option::None,
            ip_address: ::std::option::Option::None,
            clientid: ::std::option::Option::None,
            start_time: ::std::option::Option::None,
            end_time: ::std::option::Option::None,
            connection_type: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseUserAlts {
    pub alts: ::std::vec::Vec<ServerInfoUserAlt>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseUserAlts {
    fn default() -> &'a ResponseUserAlts {
        <ResponseUserAlts as ::protobuf::Message>::default_instance()
    }
}
impl ResponseUserAlts {
    pub fn new() -> ResponseUserAlts {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseUserAlts {
    const NAME: &'static str = "ResponseUserAlts";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.alts.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseUserAlts {
        ResponseUserAlts::new()
    }
    fn clear(&mut self) {
        self.alts.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseUserAlts {
        static instance: ResponseUserAlts = ResponseUserAlts {
            alts: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoUserAlt {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub email: ::std::option::Option<::protobuf::Chars>,
    pub clientid: ::std::option::Option<::protobuf::Chars>,
    pub registration_time: ::std::option::Option<u64>,
    pub last_login: ::std::option::Option<u64>,
    pub warn_count: ::std::option::Option<u32>,
    pub ban_count: ::std::option::Option<u32>,
    pub is_active: ::std::option::Option<bool>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoUserAlt {
    fn default() -> &'a ServerInfoUserAlt {
        <ServerInfoUserAlt as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoUserAlt {
    pub fn new() -> ServerInfoUserAlt {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoUserAlt {
    const NAME: &'static str = "ServerInfoUserAlt";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.email = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                26 => {
                    self.clientid = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                32 => {
                    self.registration_time = ::std::option::Option::Some(is.read_uint64()?);
                }
                40 => {
                    self.last_login = ::std::option::Option::Some(is.read_uint64()?);
                }
                48 => {
                    self.warn_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                56 => {
                    self.ban_count = ::std::option::Option::Some(is.read_uint32()?);
                }
                64 => {
                    self.is_active = ::std::option::Option::Some(is.read_bool()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoUserAlt {
        ServerInfoUserAlt::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.email = ::std::option::Option::None;
        self.clientid = ::std::option::Option::None;
        self.registration_time = ::std::option::Option::None;
        self.last_login = ::std::option::Option::None;
        self.warn_count = ::std::option::Option::None;
        self.ban_count = ::std::option::Option::None;
        self.is_active = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoUserAlt {
        static instance: ServerInfoUserAlt = ServerInfoUserAlt {
            user_name: ::std::option::Option::None,
            email: ::std::option::Option::None,
            clientid: ::std::option::Option::None,
            registration_time: ::std::option::Option::None,
            last_login: ::std::option::Option::None,
            warn_count: ::std::option::Option::None,
            ban_count: ::std::option::Option::None,
            is_active: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseModeratorLastLogins {
    pub logins: ::std::vec::Vec<ServerInfoModeratorLogin>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseModeratorLastLogins {
    fn default() -> &'a ResponseModeratorLastLogins {
        <ResponseModeratorLastLogins as ::protobuf::Message>::default_instance()
    }
}
impl ResponseModeratorLastLogins {
    pub fn new() -> ResponseModeratorLastLogins {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseModeratorLastLogins {
    const NAME: &'static str = "ResponseModeratorLastLogins";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.logins.push(is.read_message()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseModeratorLastLogins {
        ResponseModeratorLastLogins::new()
    }
    fn clear(&mut self) {
        self.logins.clear();
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseModeratorLastLogins {
        static instance: ResponseModeratorLastLogins = ResponseModeratorLastLogins {
            logins: ::std::vec::Vec::new(),
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerInfoModeratorLogin {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub last_login: ::std::option::Option<u64>,
    pub user_level: ::std::option::Option<u32>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerInfoModeratorLogin {
    fn default() -> &'a ServerInfoModeratorLogin {
        <ServerInfoModeratorLogin as ::protobuf::Message>::default_instance()
    }
}
impl ServerInfoModeratorLogin {
    pub fn new() -> ServerInfoModeratorLogin {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerInfoModeratorLogin {
    const NAME: &'static str = "ServerInfoModeratorLogin";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                16 => {
                    self.last_login = ::std::option::Option::Some(is.read_uint64()?);
                }
                24 => {
                    self.user_level = ::std::option::Option::Some(is.read_uint32()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerInfoModeratorLogin {
        ServerInfoModeratorLogin::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.last_login = ::std::option::Option::None;
        self.user_level = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerInfoModeratorLogin {
        static instance: ServerInfoModeratorLogin = ServerInfoModeratorLogin {
            user_name: ::std::option::Option::None,
            last_login: ::std::option::Option::None,
            user_level: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseResetUserPassword {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub temporary_password: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseResetUserPassword {
    fn default() -> &'a ResponseResetUserPassword {
        <ResponseResetUserPassword as ::protobuf::Message>::default_instance()
    }
}
impl ResponseResetUserPassword {
    pub fn new() -> ResponseResetUserPassword {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseResetUserPassword {
    const NAME: &'static str = "ResponseResetUserPassword";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                18 => {
                    self.temporary_password = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseResetUserPassword {
        ResponseResetUserPassword::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.temporary_password = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseResetUserPassword {
        static instance: ResponseResetUserPassword = ResponseResetUserPassword {
            user_name: ::std::option::Option::None,
            temporary_password: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseRemoveUserAvatar {
    pub user_name: ::std::option::Option<::protobuf::Chars>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseRemoveUserAvatar {
    fn default() -> &'a ResponseRemoveUserAvatar {
        <ResponseRemoveUserAvatar as ::protobuf::Message>::default_instance()
    }
}
impl ResponseRemoveUserAvatar {
    pub fn new() -> ResponseRemoveUserAvatar {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseRemoveUserAvatar {
    const NAME: &'static str = "ResponseRemoveUserAvatar";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                10 => {
                    self.user_name = ::std::option::Option::Some(is.read_tokio_chars()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseRemoveUserAvatar {
        ResponseRemoveUserAvatar::new()
    }
    fn clear(&mut self) {
        self.user_name = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseRemoveUserAvatar {
        static instance: ResponseRemoveUserAvatar = ResponseRemoveUserAvatar {
            user_name: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ServerMessageHead {
    pub message_type: ::std::option::Option<::protobuf::EnumOrUnknown<MessageType>>,
    pub response: ::std::option::Option<::bytes::Bytes>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ServerMessageHead {
    fn default() -> &'a ServerMessageHead {
        <ServerMessageHead as ::protobuf::Message>::default_instance()
    }
}
impl ServerMessageHead {
    pub fn new() -> ServerMessageHead {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ServerMessageHead {
    const NAME: &'static str = "ServerMessageHead";
    fn is_initialized(&self) -> bool {
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.message_type = ::std::option::Option::Some(is.read_enum_or_unknown()?);
                }
                18 => {
                    self.response = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ServerMessageHead {
        ServerMessageHead::new()
    }
    fn clear(&mut self) {
        self.message_type = ::std::option::Option::None;
        self.response = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ServerMessageHead {
        static instance: ServerMessageHead = ServerMessageHead {
            message_type: ::std::option::Option::None,
            response: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(PartialEq, Clone, Default, Debug)]
pub struct ResponseHead {
    pub cmd_id: ::std::option::Option<u64>,
    pub response_code: ::std::option::Option<::protobuf::EnumOrUnknown<ResponseCode>>,
    pub join_room: ::std::option::Option<::bytes::Bytes>,
    pub list_users: ::std::option::Option<::bytes::Bytes>,
    pub get_games_of_user: ::std::option::Option<::bytes::Bytes>,
    pub get_user_info: ::std::option::Option<::bytes::Bytes>,
    pub dump_zone: ::std::option::Option<::bytes::Bytes>,
    pub login: ::std::option::Option<::bytes::Bytes>,
    pub deck_list: ::std::option::Option<::bytes::Bytes>,
    pub deck_download: ::std::option::Option<::bytes::Bytes>,
    pub deck_upload: ::std::option::Option<::bytes::Bytes>,
    pub register: ::std::option::Option<::bytes::Bytes>,
    pub activate: ::std::option::Option<::bytes::Bytes>,
    pub adjust_mod: ::std::option::Option<::bytes::Bytes>,
    pub ban_history: ::std::option::Option<::bytes::Bytes>,
    pub warn_history: ::std::option::Option<::bytes::Bytes>,
    pub warn_list: ::std::option::Option<::bytes::Bytes>,
    pub view_log_history: ::std::option::Option<::bytes::Bytes>,
    pub forgot_password_request: ::std::option::Option<::bytes::Bytes>,
    pub password_salt: ::std::option::Option<::bytes::Bytes>,
    pub get_admin_notes: ::std::option::Option<::bytes::Bytes>,
    pub replay_list: ::std::option::Option<::bytes::Bytes>,
    pub replay_download: ::std::option::Option<::bytes::Bytes>,
    pub replay_get_code: ::std::option::Option<::bytes::Bytes>,
    pub list_card_art_rules: ::std::option::Option<::bytes::Bytes>,
    pub replay_download_by_game_id: ::std::option::Option<::bytes::Bytes>,
    pub report_list: ::std::option::Option<::bytes::Bytes>,
    pub report_user_info: ::std::option::Option<::bytes::Bytes>,
    pub report_stats: ::std::option::Option<::bytes::Bytes>,
    pub report_my_list: ::std::option::Option<::bytes::Bytes>,
    pub report_details: ::std::option::Option<::bytes::Bytes>,
    pub user_sessions: ::std::option::Option<::bytes::Bytes>,
    pub user_alts: ::std::option::Option<::bytes::Bytes>,
    pub moderator_last_logins: ::std::option::Option<::bytes::Bytes>,
    pub reset_user_password: ::std::option::Option<::bytes::Bytes>,
    pub remove_user_avatar: ::std::option::Option<::bytes::Bytes>,
    pub special_fields: ::protobuf::SpecialFields,
}
impl<'a> ::std::default::Default for &'a ResponseHead {
    fn default() -> &'a ResponseHead {
        <ResponseHead as ::protobuf::Message>::default_instance()
    }
}
impl ResponseHead {
    pub fn new() -> ResponseHead {
        ::std::default::Default::default()
    }
}
impl ::protobuf::Message for ResponseHead {
    const NAME: &'static str = "ResponseHead";
    fn is_initialized(&self) -> bool {
        if self.cmd_id.is_none() {
            return false;
        }
        true
    }
    fn merge_from(&mut self, is: &mut ::protobuf::CodedInputStream<'_>) -> ::protobuf::Result<()> {
        while let Some(tag) = is.read_raw_tag_or_eof()? {
            match tag {
                8 => {
                    self.cmd_id = ::std::option::Option::Some(is.read_uint64()?);
                }
                16 => {
                    self.response_code = ::std::option::Option::Some(is.read_enum_or_unknown()?);
                }
                8002 => {
                    self.join_room = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8010 => {
                    self.list_users = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8018 => {
                    self.get_games_of_user = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8026 => {
                    self.get_user_info = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8034 => {
                    self.dump_zone = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8042 => {
                    self.login = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8050 => {
                    self.deck_list = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8058 => {
                    self.deck_download = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8066 => {
                    self.deck_upload = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8074 => {
                    self.register = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8082 => {
                    self.activate = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8090 => {
                    self.adjust_mod = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8098 => {
                    self.ban_history = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8106 => {
                    self.warn_history = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8114 => {
                    self.warn_list = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8122 => {
                    self.view_log_history = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8130 => {
                    self.forgot_password_request =
                        ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8138 => {
                    self.password_salt = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8146 => {
                    self.get_admin_notes = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8802 => {
                    self.replay_list = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8810 => {
                    self.replay_download = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                8818 => {
                    self.replay_get_code = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9602 => {
                    self.list_card_art_rules = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9626 => {
                    self.replay_download_by_game_id =
                        ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9682 => {
                    self.report_list = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9690 => {
                    self.report_user_info = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9698 => {
                    self.report_stats = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9706 => {
                    self.report_my_list = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9714 => {
                    self.report_details = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9722 => {
                    self.user_sessions = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9730 => {
                    self.user_alts = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9738 => {
                    self.moderator_last_logins =
                        ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9746 => {
                    self.reset_user_password = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                9754 => {
                    self.remove_user_avatar = ::std::option::Option::Some(is.read_tokio_bytes()?);
                }
                tag => {
                    ::protobuf::rt::read_unknown_or_skip_group(
                        tag,
                        is,
                        self.special_fields.mut_unknown_fields(),
                    )?;
                }
            };
        }
        ::std::result::Result::Ok(())
    }
    fn compute_size(&self) -> u64 {
        unreachable!("the benchmark does not encode")
    }
    fn write_to_with_cached_sizes(
        &self,
        _: &mut ::protobuf::CodedOutputStream<'_>,
    ) -> ::protobuf::Result<()> {
        unreachable!("the benchmark does not encode")
    }
    fn special_fields(&self) -> &::protobuf::SpecialFields {
        &self.special_fields
    }
    fn mut_special_fields(&mut self) -> &mut ::protobuf::SpecialFields {
        &mut self.special_fields
    }
    fn new() -> ResponseHead {
        ResponseHead::new()
    }
    fn clear(&mut self) {
        self.cmd_id = ::std::option::Option::None;
        self.response_code = ::std::option::Option::None;
        self.join_room = ::std::option::Option::None;
        self.list_users = ::std::option::Option::None;
        self.get_games_of_user = ::std::option::Option::None;
        self.get_user_info = ::std::option::Option::None;
        self.dump_zone = ::std::option::Option::None;
        self.login = ::std::option::Option::None;
        self.deck_list = ::std::option::Option::None;
        self.deck_download = ::std::option::Option::None;
        self.deck_upload = ::std::option::Option::None;
        self.register = ::std::option::Option::None;
        self.activate = ::std::option::Option::None;
        self.adjust_mod = ::std::option::Option::None;
        self.ban_history = ::std::option::Option::None;
        self.warn_history = ::std::option::Option::None;
        self.warn_list = ::std::option::Option::None;
        self.view_log_history = ::std::option::Option::None;
        self.forgot_password_request = ::std::option::Option::None;
        self.password_salt = ::std::option::Option::None;
        self.get_admin_notes = ::std::option::Option::None;
        self.replay_list = ::std::option::Option::None;
        self.replay_download = ::std::option::Option::None;
        self.replay_get_code = ::std::option::Option::None;
        self.list_card_art_rules = ::std::option::Option::None;
        self.replay_download_by_game_id = ::std::option::Option::None;
        self.report_list = ::std::option::Option::None;
        self.report_user_info = ::std::option::Option::None;
        self.report_stats = ::std::option::Option::None;
        self.report_my_list = ::std::option::Option::None;
        self.report_details = ::std::option::Option::None;
        self.user_sessions = ::std::option::Option::None;
        self.user_alts = ::std::option::Option::None;
        self.moderator_last_logins = ::std::option::Option::None;
        self.reset_user_password = ::std::option::Option::None;
        self.remove_user_avatar = ::std::option::Option::None;
        self.special_fields.clear();
    }
    fn default_instance() -> &'static ResponseHead {
        static instance: ResponseHead = ResponseHead {
            cmd_id: ::std::option::Option::None,
            response_code: ::std::option::Option::None,
            join_room: ::std::option::Option::None,
            list_users: ::std::option::Option::None,
            get_games_of_user: ::std::option::Option::None,
            get_user_info: ::std::option::Option::None,
            dump_zone: ::std::option::Option::None,
            login: ::std::option::Option::None,
            deck_list: ::std::option::Option::None,
            deck_download: ::std::option::Option::None,
            deck_upload: ::std::option::Option::None,
            register: ::std::option::Option::None,
            activate: ::std::option::Option::None,
            adjust_mod: ::std::option::Option::None,
            ban_history: ::std::option::Option::None,
            warn_history: ::std::option::Option::None,
            warn_list: ::std::option::Option::None,
            view_log_history: ::std::option::Option::None,
            forgot_password_request: ::std::option::Option::None,
            password_salt: ::std::option::Option::None,
            get_admin_notes: ::std::option::Option::None,
            replay_list: ::std::option::Option::None,
            replay_download: ::std::option::Option::None,
            replay_get_code: ::std::option::Option::None,
            list_card_art_rules: ::std::option::Option::None,
            replay_download_by_game_id: ::std::option::Option::None,
            report_list: ::std::option::Option::None,
            report_user_info: ::std::option::Option::None,
            report_stats: ::std::option::Option::None,
            report_my_list: ::std::option::Option::None,
            report_details: ::std::option::Option::None,
            user_sessions: ::std::option::Option::None,
            user_alts: ::std::option::Option::None,
            moderator_last_logins: ::std::option::Option::None,
            reset_user_password: ::std::option::Option::None,
            remove_user_avatar: ::std::option::Option::None,
            special_fields: ::protobuf::SpecialFields::new(),
        };
        &instance
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum MessageType {
    RESPONSE = 0,
    SESSION_EVENT = 1,
    GAME_EVENT_CONTAINER = 2,
    ROOM_EVENT = 3,
}
impl ::protobuf::Enum for MessageType {
    const NAME: &'static str = "MessageType";
    fn value(&self) -> i32 {
        *self as i32
    }
    fn from_i32(value: i32) -> ::std::option::Option<MessageType> {
        match value {
            0 => ::std::option::Option::Some(MessageType::RESPONSE),
            1 => ::std::option::Option::Some(MessageType::SESSION_EVENT),
            2 => ::std::option::Option::Some(MessageType::GAME_EVENT_CONTAINER),
            3 => ::std::option::Option::Some(MessageType::ROOM_EVENT),
            _ => ::std::option::Option::None,
        }
    }
    fn from_str(str: &str) -> ::std::option::Option<MessageType> {
        match str {
            "RESPONSE" => ::std::option::Option::Some(MessageType::RESPONSE),
            "SESSION_EVENT" => ::std::option::Option::Some(MessageType::SESSION_EVENT),
            "GAME_EVENT_CONTAINER" => {
                ::std::option::Option::Some(MessageType::GAME_EVENT_CONTAINER)
            }
            "ROOM_EVENT" => ::std::option::Option::Some(MessageType::ROOM_EVENT),
            _ => ::std::option::Option::None,
        }
    }
    const VALUES: &'static [MessageType] = &[
        MessageType::RESPONSE,
        MessageType::SESSION_EVENT,
        MessageType::GAME_EVENT_CONTAINER,
        MessageType::ROOM_EVENT,
    ];
}
impl ::std::default::Default for MessageType {
    fn default() -> Self {
        MessageType::RESPONSE
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
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
impl ::protobuf::Enum for ResponseCode {
    const NAME: &'static str = "ResponseCode";
    fn value(&self) -> i32 {
        *self as i32
    }
    fn from_i32(value: i32) -> ::std::option::Option<ResponseCode> {
        match value {
            -1 => ::std::option::Option::Some(ResponseCode::RespNotConnected),
            0 => ::std::option::Option::Some(ResponseCode::RespNothing),
            1 => ::std::option::Option::Some(ResponseCode::RespOk),
            2 => ::std::option::Option::Some(ResponseCode::RespNotInRoom),
            3 => ::std::option::Option::Some(ResponseCode::RespInternalError),
            4 => ::std::option::Option::Some(ResponseCode::RespInvalidCommand),
            5 => ::std::option::Option::Some(ResponseCode::RespInvalidData),
            6 => ::std::option::Option::Some(ResponseCode::RespNameNotFound),
            7 => ::std::option::Option::Some(ResponseCode::RespLoginNeeded),
            8 => ::std::option::Option::Some(ResponseCode::RespFunctionNotAllowed),
            9 => ::std::option::Option::Some(ResponseCode::RespGameNotStarted),
            10 => ::std::option::Option::Some(ResponseCode::RespGameFull),
            11 => ::std::option::Option::Some(ResponseCode::RespContextError),
            12 => ::std::option::Option::Some(ResponseCode::RespWrongPassword),
            13 => ::std::option::Option::Some(ResponseCode::RespSpectatorsNotAllowed),
            14 => ::std::option::Option::Some(ResponseCode::RespOnlyBuddies),
            15 => ::std::option::Option::Some(ResponseCode::RespUserLevelTooLow),
            16 => ::std::option::Option::Some(ResponseCode::RespInIgnoreList),
            17 => ::std::option::Option::Some(ResponseCode::RespWouldOverwriteOldSession),
            18 => ::std::option::Option::Some(ResponseCode::RespChatFlood),
            19 => ::std::option::Option::Some(ResponseCode::RespUserIsBanned),
            20 => ::std::option::Option::Some(ResponseCode::RespAccessDenied),
            21 => ::std::option::Option::Some(ResponseCode::RespUsernameInvalid),
            22 => ::std::option::Option::Some(ResponseCode::RespRegistrationRequired),
            23 => ::std::option::Option::Some(ResponseCode::RespRegistrationAccepted),
            24 => ::std::option::Option::Some(ResponseCode::RespUserAlreadyExists),
            25 => ::std::option::Option::Some(ResponseCode::RespEmailRequiredToRegister),
            26 => ::std::option::Option::Some(ResponseCode::RespTooManyRequests),
            27 => ::std::option::Option::Some(ResponseCode::RespPasswordTooShort),
            28 => ::std::option::Option::Some(ResponseCode::RespAccountNotActivated),
            29 => ::std::option::Option::Some(ResponseCode::RespRegistrationDisabled),
            30 => ::std::option::Option::Some(ResponseCode::RespRegistrationFailed),
            31 => ::std::option::Option::Some(ResponseCode::RespActivationAccepted),
            32 => ::std::option::Option::Some(ResponseCode::RespActivationFailed),
            33 => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationAcceptedNeedsActivation)
            }
            34 => ::std::option::Option::Some(ResponseCode::RespClientIdRequired),
            35 => ::std::option::Option::Some(ResponseCode::RespClientUpdateRequired),
            36 => ::std::option::Option::Some(ResponseCode::RespServerFull),
            37 => ::std::option::Option::Some(ResponseCode::RespEmailBlackListed),
            38 => ::std::option::Option::Some(ResponseCode::RespPasswordChangeRequired),
            _ => ::std::option::Option::None,
        }
    }
    fn from_str(str: &str) -> ::std::option::Option<ResponseCode> {
        match str {
            "RespNotConnected" => ::std::option::Option::Some(ResponseCode::RespNotConnected),
            "RespNothing" => ::std::option::Option::Some(ResponseCode::RespNothing),
            "RespOk" => ::std::option::Option::Some(ResponseCode::RespOk),
            "RespNotInRoom" => ::std::option::Option::Some(ResponseCode::RespNotInRoom),
            "RespInternalError" => ::std::option::Option::Some(ResponseCode::RespInternalError),
            "RespInvalidCommand" => ::std::option::Option::Some(ResponseCode::RespInvalidCommand),
            "RespInvalidData" => ::std::option::Option::Some(ResponseCode::RespInvalidData),
            "RespNameNotFound" => ::std::option::Option::Some(ResponseCode::RespNameNotFound),
            "RespLoginNeeded" => ::std::option::Option::Some(ResponseCode::RespLoginNeeded),
            "RespFunctionNotAllowed" => {
                ::std::option::Option::Some(ResponseCode::RespFunctionNotAllowed)
            }
            "RespGameNotStarted" => ::std::option::Option::Some(ResponseCode::RespGameNotStarted),
            "RespGameFull" => ::std::option::Option::Some(ResponseCode::RespGameFull),
            "RespContextError" => ::std::option::Option::Some(ResponseCode::RespContextError),
            "RespWrongPassword" => ::std::option::Option::Some(ResponseCode::RespWrongPassword),
            "RespSpectatorsNotAllowed" => {
                ::std::option::Option::Some(ResponseCode::RespSpectatorsNotAllowed)
            }
            "RespOnlyBuddies" => ::std::option::Option::Some(ResponseCode::RespOnlyBuddies),
            "RespUserLevelTooLow" => ::std::option::Option::Some(ResponseCode::RespUserLevelTooLow),
            "RespInIgnoreList" => ::std::option::Option::Some(ResponseCode::RespInIgnoreList),
            "RespWouldOverwriteOldSession" => {
                ::std::option::Option::Some(ResponseCode::RespWouldOverwriteOldSession)
            }
            "RespChatFlood" => ::std::option::Option::Some(ResponseCode::RespChatFlood),
            "RespUserIsBanned" => ::std::option::Option::Some(ResponseCode::RespUserIsBanned),
            "RespAccessDenied" => ::std::option::Option::Some(ResponseCode::RespAccessDenied),
            "RespUsernameInvalid" => ::std::option::Option::Some(ResponseCode::RespUsernameInvalid),
            "RespRegistrationRequired" => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationRequired)
            }
            "RespRegistrationAccepted" => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationAccepted)
            }
            "RespUserAlreadyExists" => {
                ::std::option::Option::Some(ResponseCode::RespUserAlreadyExists)
            }
            "RespEmailRequiredToRegister" => {
                ::std::option::Option::Some(ResponseCode::RespEmailRequiredToRegister)
            }
            "RespTooManyRequests" => ::std::option::Option::Some(ResponseCode::RespTooManyRequests),
            "RespPasswordTooShort" => {
                ::std::option::Option::Some(ResponseCode::RespPasswordTooShort)
            }
            "RespAccountNotActivated" => {
                ::std::option::Option::Some(ResponseCode::RespAccountNotActivated)
            }
            "RespRegistrationDisabled" => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationDisabled)
            }
            "RespRegistrationFailed" => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationFailed)
            }
            "RespActivationAccepted" => {
                ::std::option::Option::Some(ResponseCode::RespActivationAccepted)
            }
            "RespActivationFailed" => {
                ::std::option::Option::Some(ResponseCode::RespActivationFailed)
            }
            "RespRegistrationAcceptedNeedsActivation" => {
                ::std::option::Option::Some(ResponseCode::RespRegistrationAcceptedNeedsActivation)
            }
            "RespClientIdRequired" => {
                ::std::option::Option::Some(ResponseCode::RespClientIdRequired)
            }
            "RespClientUpdateRequired" => {
                ::std::option::Option::Some(ResponseCode::RespClientUpdateRequired)
            }
            "RespServerFull" => ::std::option::Option::Some(ResponseCode::RespServerFull),
            "RespEmailBlackListed" => {
                ::std::option::Option::Some(ResponseCode::RespEmailBlackListed)
            }
            "RespPasswordChangeRequired" => {
                ::std::option::Option::Some(ResponseCode::RespPasswordChangeRequired)
            }
            _ => ::std::option::Option::None,
        }
    }
    const VALUES: &'static [ResponseCode] = &[
        ResponseCode::RespNotConnected,
        ResponseCode::RespNothing,
        ResponseCode::RespOk,
        ResponseCode::RespNotInRoom,
        ResponseCode::RespInternalError,
        ResponseCode::RespInvalidCommand,
        ResponseCode::RespInvalidData,
        ResponseCode::RespNameNotFound,
        ResponseCode::RespLoginNeeded,
        ResponseCode::RespFunctionNotAllowed,
        ResponseCode::RespGameNotStarted,
        ResponseCode::RespGameFull,
        ResponseCode::RespContextError,
        ResponseCode::RespWrongPassword,
        ResponseCode::RespSpectatorsNotAllowed,
        ResponseCode::RespOnlyBuddies,
        ResponseCode::RespUserLevelTooLow,
        ResponseCode::RespInIgnoreList,
        ResponseCode::RespWouldOverwriteOldSession,
        ResponseCode::RespChatFlood,
        ResponseCode::RespUserIsBanned,
        ResponseCode::RespAccessDenied,
        ResponseCode::RespUsernameInvalid,
        ResponseCode::RespRegistrationRequired,
        ResponseCode::RespRegistrationAccepted,
        ResponseCode::RespUserAlreadyExists,
        ResponseCode::RespEmailRequiredToRegister,
        ResponseCode::RespTooManyRequests,
        ResponseCode::RespPasswordTooShort,
        ResponseCode::RespAccountNotActivated,
        ResponseCode::RespRegistrationDisabled,
        ResponseCode::RespRegistrationFailed,
        ResponseCode::RespActivationAccepted,
        ResponseCode::RespActivationFailed,
        ResponseCode::RespRegistrationAcceptedNeedsActivation,
        ResponseCode::RespClientIdRequired,
        ResponseCode::RespClientUpdateRequired,
        ResponseCode::RespServerFull,
        ResponseCode::RespEmailBlackListed,
        ResponseCode::RespPasswordChangeRequired,
    ];
}
impl ::std::default::Default for ResponseCode {
    fn default() -> Self {
        ResponseCode::RespNotConnected
    }
}
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ServerInfoZoneZoneType {
    PrivateZone = 0,
    PublicZone = 1,
    HiddenZone = 2,
}
impl ::protobuf::Enum for ServerInfoZoneZoneType {
    const NAME: &'static str = "ServerInfoZoneZoneType";
    fn value(&self) -> i32 {
        *self as i32
    }
    fn from_i32(value: i32) -> ::std::option::Option<ServerInfoZoneZoneType> {
        match value {
            0 => ::std::option::Option::Some(ServerInfoZoneZoneType::PrivateZone),
            1 => ::std::option::Option::Some(ServerInfoZoneZoneType::PublicZone),
            2 => ::std::option::Option::Some(ServerInfoZoneZoneType::HiddenZone),
            _ => ::std::option::Option::None,
        }
    }
    fn from_str(str: &str) -> ::std::option::Option<ServerInfoZoneZoneType> {
        match str {
            "PrivateZone" => ::std::option::Option::Some(ServerInfoZoneZoneType::PrivateZone),
            "PublicZone" => ::std::option::Option::Some(ServerInfoZoneZoneType::PublicZone),
            "HiddenZone" => ::std::option::Option::Some(ServerInfoZoneZoneType::HiddenZone),
            _ => ::std::option::Option::None,
        }
    }
    const VALUES: &'static [ServerInfoZoneZoneType] = &[
        ServerInfoZoneZoneType::PrivateZone,
        ServerInfoZoneZoneType::PublicZone,
        ServerInfoZoneZoneType::HiddenZone,
    ];
}
impl ::std::default::Default for ServerInfoZoneZoneType {
    fn default() -> Self {
        ServerInfoZoneZoneType::PrivateZone
    }
}
