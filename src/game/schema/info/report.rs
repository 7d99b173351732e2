use crate::game::runtime::macros::message;

message! {
    /// A report of one player about another.
    pub struct Report = "ServerInfo_Report" {
        /// Number of the report.
        report_id: optional int32 = 1;
        /// Who reports.
        reporter_name: optional string = 2;
        /// Who is reported.
        reported_user_name: optional string = 3;
        /// Number of the game.
        game_id: optional int32 = 4;
        /// Number of its recording.
        replay_id: optional int32 = 5;
        /// Number of the room.
        room_id: optional int32 = 6;
        /// What it is about.
        category: optional string = 7;
        /// How far it is dealt with.
        status: optional string = 8;
        /// What the reporter says.
        description: optional string = 9;
        /// When, in seconds since 1970.
        report_time: optional int64 = 10;
        /// Which moderator deals with it.
        assigned_mod_name: optional string = 11;
        /// When it was resolved, in seconds since 1970.
        resolution_time: optional int64 = 12;
        /// Comments on it.
        comments: repeated message ReportComment = 13;
        /// Chat at the time.
        chat_log: optional string = 14;
        /// How it was resolved.
        resolution_note: optional string = 15;
    }

    /// A comment on a report.
    pub struct ReportComment = "ServerInfo_ReportComment" {
        /// Who wrote it.
        author_name: optional string = 1;
        /// The text.
        comment_text: optional string = 2;
        /// When, in seconds since 1970.
        comment_time: optional int64 = 3;
        /// Whether a moderator wrote it.
        is_moderator: optional bool = 4;
    }

    /// How many reports are of a category.
    pub struct ReportCategoryCount = "ReportCategoryCount" {
        /// The category.
        category: optional string = 1;
        /// How many.
        count: optional int32 = 2;
    }

    /// A user who reports, or is reported, often.
    pub struct ReportTopUser = "ReportTopUser" {
        /// Name.
        user_name: optional string = 1;
        /// How often.
        count: optional int32 = 2;
    }
}
