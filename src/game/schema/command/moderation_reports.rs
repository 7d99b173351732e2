use crate::game::runtime::macros::message;

message! {
    /// Asks for the reports.
    pub struct ReportList = "Command_ReportList" {
        /// Whether to leave out closed ones.
        unresolved_only: optional bool = 1;
        /// How many to skip.
        offset: optional uint32 = 2;
        /// How many at most.
        limit: optional uint32 = 3, default 100;
    }

    /// Takes a report over.
    pub struct ReportAssign = "Command_ReportAssign" {
        /// Number of the report.
        report_id: required int32 = 1;
    }

    /// Closes a report.
    pub struct ReportResolve = "Command_ReportResolve" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// How it was resolved.
        resolution_note: optional string = 2;
        /// Whether it was unfounded.
        dismissed: optional bool = 3;
    }

    /// Asks for a recorded game by the number of the game.
    pub struct ReplayDownloadByGameId = "Command_ReplayDownloadByGameId" {
        /// Number of the game.
        game_id: required sint32 = 1;
    }

    /// Asks what reports say of a user.
    pub struct ReportUserInfo = "Command_ReportUserInfo" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Asks for figures about reports.
    pub struct ReportStats = "Command_ReportStats" {}

    /// Opens a closed report again.
    ///
    /// Newer than the recorded server.
    pub struct ReportReopen = "Command_ReportReopen" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// Why.
        reopen_note: optional string = 2;
    }
}
