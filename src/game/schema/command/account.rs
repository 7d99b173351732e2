use crate::game::runtime::macros::message;

message! {
    /// A sign of life; answered at once.
    pub struct Ping = "Command_Ping" {}

    /// Logs in, by `hashed_password` where the server has accounts.
    pub struct Login = "Command_Login" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The password itself.
        password: optional string = 2, is secret;
        /// Fingerprint of the client; a server may insist.
        clientid: optional string = 3;
        /// Release of the client.
        clientver: optional string = 4;
        /// What the client can do.
        clientfeatures: repeated string = 5;
        /// Salt and hash of the password.
        hashed_password: optional string = 6, is secret;
    }

    /// Registers an account.
    pub struct Register = "Command_Register" {
        /// Name of the user.
        user_name: required string = 1;
        /// The password itself.
        password: optional string = 2, is secret;
        /// E-mail address.
        email: optional string = 3;
        /// Two letters of the country.
        country: optional string = 5;
        /// Real name.
        real_name: optional string = 6;
        /// Fingerprint of the client.
        clientid: optional string = 7;
        /// Salt and hash of the password.
        hashed_password: optional string = 8, is secret;
    }

    /// Activates an account.
    pub struct Activate = "Command_Activate" {
        /// Name of the user.
        user_name: required string = 1;
        /// The token from the e-mail.
        token: required string = 2, is secret;
        /// Fingerprint of the client.
        clientid: optional string = 3;
    }

    /// Changes what the account says of its owner.
    pub struct AccountEdit = "Command_AccountEdit" {
        /// Real name.
        real_name: optional string = 1;
        /// E-mail address.
        email: optional string = 2;
        /// Two letters of the country.
        country: optional string = 4;
        /// The current password.
        password_check: optional string = 100, is secret;
    }

    /// Changes the portrait.
    pub struct AccountImage = "Command_AccountImage" {
        /// The portrait, an image file.
        image: optional bytes = 1;
    }

    /// Changes the password.
    pub struct AccountPassword = "Command_AccountPassword" {
        /// The current password.
        old_password: optional string = 1, is secret;
        /// The new password itself.
        new_password: optional string = 2, is secret;
        /// Salt and hash of the new password.
        hashed_new_password: optional string = 4, is secret;
    }

    /// Asks for a token to set a new password.
    pub struct ForgotPasswordRequest = "Command_ForgotPasswordRequest" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
    }

    /// Sets a new password with a token.
    pub struct ForgotPasswordReset = "Command_ForgotPasswordReset" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
        /// The token from the e-mail.
        token: optional string = 3, is secret;
        /// The new password itself.
        new_password: optional string = 4, is secret;
        /// Salt and hash of the new password.
        hashed_new_password: optional string = 5, is secret;
    }

    /// Proves the e-mail address before a token is sent.
    pub struct ForgotPasswordChallenge = "Command_ForgotPasswordChallenge" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
        /// E-mail address.
        email: optional string = 3;
    }

    /// Asks for the salt of an account, to hash its password.
    pub struct RequestPasswordSalt = "Command_RequestPasswordSalt" {
        /// Name of the user.
        user_name: required string = 1;
    }

    /// Chooses the banner.
    pub struct SetCardArtParams = "Command_SetCardArtParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// Share cut off at the left.
        margin_pct_l: optional double = 3;
        /// Share cut off at the right.
        margin_pct_r: optional double = 4;
        /// Where it is cut vertically.
        vertical_offset: optional double = 5;
        /// Magnification.
        zoom: optional double = 6;
    }
}
