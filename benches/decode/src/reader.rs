//! The reader of this crate.
mod names {
    //! The schema's names, for the macro that goes through every message.
    pub use portreeve::game::ServerMessage;
    pub use portreeve::game::info::{
        Ban as ServerInfoBan, Card as ServerInfoCard, CardArt as ServerInfoUserCardArtParams,
        CardCounter as ServerInfoCardCounter, ChatMessage as ServerInfoChatMessage,
        DeckFile as ServerInfoDeckStorageFile, DeckFolder as ServerInfoDeckStorageFolder,
        DeckItem as ServerInfoDeckStorageTreeItem, Game as ServerInfoGame,
        GameType as ServerInfoGameType, ModeratorLogin as ServerInfoModeratorLogin,
        PawnColors as ServerInfoUserPawnColorsOverride, Replay as ServerInfoReplay,
        ReplayMatch as ServerInfoReplayMatch, Report as ServerInfoReport, ReportCategoryCount,
        ReportComment as ServerInfoReportComment, ReportTopUser, Room as ServerInfoRoom,
        User as ServerInfoUser, UserAlt as ServerInfoUserAlt, UserSession as ServerInfoUserSession,
        Warning as ServerInfoWarning,
    };
    pub use portreeve::game::payload::{
        Activate as ResponseActivate, AdjustMod as ResponseAdjustMod,
        BanHistory as ResponseBanHistory, CardArtRule as ResponseCardArtRuleEntry,
        DeckDownload as ResponseDeckDownload, DeckList as ResponseDeckList,
        DeckUpload as ResponseDeckUpload, DumpZone as ResponseDumpZone,
        ForgotPasswordRequest as ResponseForgotPasswordRequest,
        GetAdminNotes as ResponseGetAdminNotes, GetGamesOfUser as ResponseGetGamesOfUser,
        GetUserInfo as ResponseGetUserInfo, JoinRoom as ResponseJoinRoom,
        ListCardArtRules as ResponseListCardArtRules, ListUsers as ResponseListUsers,
        Login as ResponseLogin, ModeratorLastLogins as ResponseModeratorLastLogins,
        PasswordSalt as ResponsePasswordSalt, Register as ResponseRegister,
        RemoveUserAvatar as ResponseRemoveUserAvatar, ReplayDownload as ResponseReplayDownload,
        ReplayDownloadByGameId as ResponseReplayDownloadByGameId,
        ReplayGetCode as ResponseReplayGetCode, ReplayList as ResponseReplayList,
        ReportDetails as ResponseReportDetails, ReportList as ResponseReportList,
        ReportMyList as ResponseReportMyList, ReportStats as ResponseReportStats,
        ReportUserInfo as ResponseReportUserInfo, ResetUserPassword as ResponseResetUserPassword,
        UserAlts as ResponseUserAlts, UserSessions as ResponseUserSessions,
        ViewLogHistory as ResponseViewLogHistory, WarnHistory as ResponseWarnHistory,
        WarnList as ResponseWarnList,
    };
}

use bytes::Bytes;
use portreeve::game::info::{Zone, ZoneType};
use portreeve::game::{
    Element, Message, MessageType, Nested, OwnedResponse, Payload, Repeated, Required, Response,
    ServerMessage, Text, TextError,
};

use crate::checksum::{Sum, Touch};
use crate::schema::for_each_message;
use crate::task::{Decoder, Way, paired};

pub const DECODER: Decoder = Decoder {
    name: "portreeve",
    pair: Way {
        enveloped: |frame| pair(Response::parse_enveloped(&frame.bytes).ok()??),
        bare: |frame| pair(Response::parse(&frame.bytes).ok()?),
    },
    full: Way {
        enveloped: |frame| Some(sum_of(&ServerMessage::parse(&frame.bytes).ok()?)),
        bare: |frame| Some(sum_of(&Response::parse(&frame.bytes).ok()?)),
    },
    owned: Some(Way {
        enveloped: |frame| kept(OwnedResponse::parse_enveloped(frame.shared.clone()).ok()??),
        bare: |frame| kept(OwnedResponse::parse(frame.shared.clone()).ok()?),
    }),
};

#[inline(always)]
fn pair(response: Response<'_>) -> Option<u64> {
    let payload = response.kind().map_or(0, |kind| kind.number());
    Some(paired(response.cmd_id(), response.raw_code()?, payload))
}

#[inline(always)]
fn sum_of(message: &impl Touch) -> u64 {
    let mut sum = Sum::default();
    message.touch(&mut sum);
    sum.value()
}

#[inline(always)]
fn kept(answer: OwnedResponse<Bytes>) -> Option<u64> {
    std::hint::black_box(answer);
    Some(1)
}

macro_rules! touch {
    (Response $($fields:tt)*) => {};
    (ServerInfoZone $($fields:tt)*) => {};
    ($message:ident $view:ident $lazy:ident $borrows:ident {
        $($number:literal $field:ident $kind:tt,)*
    }) => {
        impl Touch for names::$message<'_> {
            #[inline]
            fn touch(&self, sum: &mut Sum) {
                sum.message();
                $(touch_field!($kind self.$field, sum);)*
            }
        }
    };
}
macro_rules! touch_field {
    (($message:ident) $field:expr, $sum:ident) => {
        $field.touch_each($sum)
    };
    ($kind:ident $field:expr, $sum:ident) => {
        $field.touch($sum)
    };
}
for_each_message!(touch);

/// Not by the macro, since one of the field names is a keyword of Rust.
impl Touch for Zone<'_> {
    fn touch(&self, sum: &mut Sum) {
        sum.message();
        self.name.touch(sum);
        self.r#type.touch(sum);
        self.with_coords.touch(sum);
        self.card_count.touch(sum);
        self.card_list.touch_each(sum);
        self.always_reveal_top_card.touch(sum);
        self.always_look_at_top_card.touch(sum);
    }
}

/// Messages within a message, each read into the same variable.
trait TouchEach {
    fn touch_each(&self, sum: &mut Sum);
}

impl<'a, M: Message<'a> + Touch> TouchEach for Nested<'a, M> {
    #[inline(always)]
    fn touch_each(&self, sum: &mut Sum) {
        // Most are absent: without a look before, each of them would cost an empty slot.
        if !self.is_present() {
            return;
        }
        let mut slot = None;
        if let Some(message) = self.read_into(&mut slot).expect(WELL_FORMED) {
            message.touch(sum);
        }
    }
}

impl<'a, M: Message<'a> + Touch> TouchEach for Repeated<'a, M> {
    #[inline(always)]
    fn touch_each(&self, sum: &mut Sum) {
        let mut messages = self.iter();
        let mut slot = None;
        while let Some(message) = messages.read_into(&mut slot).expect(WELL_FORMED) {
            message.touch(sum);
        }
    }
}

impl Touch for Response<'_> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        sum.message();
        self.cmd_id().touch(sum);
        self.raw_code().touch(sum);
        if let Some(payload) = self.payload().expect(WELL_FORMED) {
            payload.touch(sum);
        }
    }
}

impl Touch for Payload<'_> {
    #[inline]
    fn touch(&self, sum: &mut Sum) {
        match self {
            Self::JoinRoom(payload) => payload.touch(sum),
            Self::ListUsers(payload) => payload.touch(sum),
            Self::GetGamesOfUser(payload) => payload.touch(sum),
            Self::GetUserInfo(payload) => payload.touch(sum),
            Self::DumpZone(payload) => payload.touch(sum),
            Self::Login(payload) => payload.touch(sum),
            Self::DeckList(payload) => payload.touch(sum),
            Self::DeckDownload(payload) => payload.touch(sum),
            Self::DeckUpload(payload) => payload.touch(sum),
            Self::Register(payload) => payload.touch(sum),
            Self::Activate(payload) => payload.touch(sum),
            Self::AdjustMod(payload) => payload.touch(sum),
            Self::BanHistory(payload) => payload.touch(sum),
            Self::WarnHistory(payload) => payload.touch(sum),
            Self::WarnList(payload) => payload.touch(sum),
            Self::ViewLogHistory(payload) => payload.touch(sum),
            Self::ForgotPasswordRequest(payload) => payload.touch(sum),
            Self::PasswordSalt(payload) => payload.touch(sum),
            Self::GetAdminNotes(payload) => payload.touch(sum),
            Self::ReplayList(payload) => payload.touch(sum),
            Self::ReplayDownload(payload) => payload.touch(sum),
            Self::ReplayGetCode(payload) => payload.touch(sum),
            Self::ListCardArtRules(payload) => payload.touch(sum),
            Self::ReplayDownloadByGameId(payload) => payload.touch(sum),
            Self::ReportList(payload) => payload.touch(sum),
            Self::ReportUserInfo(payload) => payload.touch(sum),
            Self::ReportStats(payload) => payload.touch(sum),
            Self::ReportMyList(payload) => payload.touch(sum),
            Self::ReportDetails(payload) => payload.touch(sum),
            Self::UserSessions(payload) => payload.touch(sum),
            Self::UserAlts(payload) => payload.touch(sum),
            Self::ModeratorLastLogins(payload) => payload.touch(sum),
            Self::ResetUserPassword(payload) => payload.touch(sum),
            Self::RemoveUserAvatar(payload) => payload.touch(sum),
            _ => unreachable!("a payload of which the schema knows nothing"),
        }
    }
}

const WELL_FORMED: &str = "the workloads are well-formed";

impl Touch for Text<'_> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.to_str().touch(sum);
    }
}

impl<T: Copy + Touch> Touch for Required<T> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.value().touch(sum);
    }
}

impl<'a, E: Element<'a, Item: Touch>> Touch for Repeated<'a, E> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        for element in self.iter() {
            element.touch(sum);
        }
    }
}

impl<T: Touch> Touch for Result<T, TextError> {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.as_ref().expect(WELL_FORMED).touch(sum);
    }
}

impl Touch for MessageType {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.number().touch(sum);
    }
}

impl Touch for ZoneType {
    #[inline(always)]
    fn touch(&self, sum: &mut Sum) {
        self.number().touch(sum);
    }
}
