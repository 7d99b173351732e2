use crate::game::runtime::macros::message;
use crate::game::schema::info::{Report, ReportCategoryCount, ReportTopUser};

message! {
    /// Reports. An addition of newer servers.
    pub struct ReportList = "Response_ReportList" {
        /// The reports of this page.
        reports: repeated message Report = 1;
        /// How many there are in all.
        total_count: optional uint32 = 2;
    }

    /// What moderators see of a reported user. An addition of newer servers.
    pub struct ReportUserInfo = "Response_ReportUserInfo" {
        /// Name.
        user_name: optional string = 1;
        /// Reports about the user.
        total_reports: optional int32 = 2;
        /// Bans.
        total_bans: optional int32 = 3;
        /// Warnings.
        total_warns: optional int32 = 4;
        /// When the account was registered, in seconds since 1970.
        registration_time: optional int64 = 5;
        /// Whether the user is an administrator.
        is_admin: optional bool = 6;
        /// Whether the account is activated.
        is_active: optional bool = 7;
        /// What moderators noted.
        admin_notes: optional string = 8;
        /// The latest reports.
        recent_reports: repeated message Report = 9;
        /// Last login, in seconds since 1970.
        last_login: optional int64 = 10;
    }

    /// Figures about reports. An addition of newer servers.
    pub struct ReportStats = "Response_ReportStats" {
        /// Reports in all.
        total_reports: optional int32 = 1;
        /// Nobody deals with them yet.
        total_pending: optional int32 = 2;
        /// A moderator deals with them.
        total_assigned: optional int32 = 3;
        /// Resolved.
        total_resolved: optional int32 = 4;
        /// In the last 24 hours.
        reports_last_24h: optional int32 = 5;
        /// In the last 7 days.
        reports_last_7d: optional int32 = 6;
        /// In the last 30 days.
        reports_last_30d: optional int32 = 7;
        /// How many hours a resolution takes on average.
        avg_resolution_hours: optional double = 8;
        /// In this week.
        reports_this_week: optional int32 = 9;
        /// In the week before.
        reports_last_week: optional int32 = 10;
        /// By category.
        category_counts: repeated message ReportCategoryCount = 11;
        /// Who is reported most.
        top_reported_users: repeated message ReportTopUser = 12;
        /// Who reports most.
        top_reporters: repeated message ReportTopUser = 13;
    }

    /// The caller's own reports. An addition of newer servers.
    pub struct ReportMyList = "Response_ReportMyList" {
        /// The reports.
        reports: repeated message Report = 1;
    }

    /// A report. An addition of newer servers.
    pub struct ReportDetails = "Response_ReportDetails" {
        /// The report.
        report: optional message Report = 1;
    }
}
