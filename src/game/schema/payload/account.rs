use crate::game::runtime::macros::message;
use crate::game::schema::info::User;

message! {
    /// Answer to a login.
    pub struct Login = "Response_Login" {
        /// The user that is logged in.
        user_info: optional message User = 1;
        /// Buddies.
        buddy_list: repeated message User = 2;
        /// Users that are ignored.
        ignore_list: repeated message User = 3;
        /// Why the login was refused.
        denied_reason_str: optional string = 4;
        /// Until when the user is banned, in seconds since 1970; 0 means for ever.
        denied_end_time: optional uint64 = 5;
        /// What the server requires and the client lacks.
        missing_features: repeated string = 6;
    }

    /// Answer to a registration that was refused.
    pub struct Register = "Response_Register" {
        /// Why.
        denied_reason_str: optional string = 1;
        /// Until when the user is banned, in seconds since 1970.
        denied_end_time: optional uint64 = 2;
    }

    /// Answer to an activation. Never sent.
    pub struct Activate = "Response_Activate" {
    }

    /// Answer to a change of somebody's rights. Never sent.
    pub struct AdjustMod = "Response_AdjustMod" {
    }

    /// Answer to the first steps of setting a forgotten password.
    pub struct ForgotPasswordRequest = "Response_ForgotPasswordRequest" {
        /// Whether the server asks for the e-mail address.
        challenge_email: optional bool = 1;
    }

    /// What a password is to be hashed with.
    pub struct PasswordSalt = "Response_PasswordSalt" {
        /// The salt, 16 characters.
        password_salt: optional string = 1;
    }
}
