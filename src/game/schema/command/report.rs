use crate::game::runtime::macros::message;

message! {
    /// Reports a user.
    pub struct Report = "Command_Report" {
        /// Who is reported.
        reported_user: optional string = 1;
        /// Number of the game.
        game_id: optional int32 = 2;
        /// What it is about.
        category: optional string = 3;
        /// What happened.
        description: optional string = 4;
        /// Chat at the time.
        chat_log: optional string = 5;
    }

    /// Asks for one's own reports.
    pub struct ReportMyList = "Command_ReportMyList" {}

    /// Comments on a report.
    pub struct ReportAddComment = "Command_ReportAddComment" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// The comment.
        comment: required string = 2;
    }

    /// Asks for a report with its comments.
    pub struct ReportDetails = "Command_ReportDetails" {
        /// Number of the report.
        report_id: required int32 = 1;
    }
}
