// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::payload::Payload;

message! {
    /// The fields of an answer.
    pub struct ResponseFields = "Response" {
        /// The command's, sign-extended from 32 bits by the server; a command without one is answered with
        /// 18446744073709551615.
        cmd_id: required uint64 = 1;
        /// How it went; absent, it reads as the first value.
        response_code: optional enum ResponseCode = 2;
        100 to max: Payload;
    }
}

enumeration! {
    /// How a command went. An absent code reads as the first value.
    pub enum ResponseCode {
        /// The client is not connected. Never sent: what an absent code reads as.
        RespNotConnected = -1,
        /// No answer is due. Never sent.
        RespNothing = 0,
        /// Done.
        RespOk = 1,
        /// The caller is not in that room.
        RespNotInRoom = 2,
        /// The server failed.
        RespInternalError = 3,
        /// The server does not know the command.
        RespInvalidCommand = 4,
        /// The command's data is not usable.
        RespInvalidData = 5,
        /// There is no user, game or other thing of that name.
        RespNameNotFound = 6,
        /// Only after login, or only with more rights.
        RespLoginNeeded = 7,
        /// The caller may not do that.
        RespFunctionNotAllowed = 8,
        /// The game has not begun.
        RespGameNotStarted = 9,
        /// The game accepts no more players.
        RespGameFull = 10,
        /// Not possible at this moment.
        RespContextError = 11,
        /// Wrong password.
        RespWrongPassword = 12,
        /// The game accepts no spectators.
        RespSpectatorsNotAllowed = 13,
        /// The game is for its creator's buddies.
        RespOnlyBuddies = 14,
        /// The caller's level is too low.
        RespUserLevelTooLow = 15,
        /// The other user ignores the caller.
        RespInIgnoreList = 16,
        /// The user is logged in elsewhere.
        RespWouldOverwriteOldSession = 17,
        /// Too much chat in too short a time.
        RespChatFlood = 18,
        /// The user is banned; the login payload says why and until when.
        RespUserIsBanned = 19,
        /// Access denied.
        RespAccessDenied = 20,
        /// The server does not accept that user name.
        RespUsernameInvalid = 21,
        /// Only registered users may do that.
        RespRegistrationRequired = 22,
        /// Server agrees to process the registration request.
        RespRegistrationAccepted = 23,
        /// Client tried to register an already registered name.
        RespUserAlreadyExists = 24,
        /// Server requires an e-mail address to register and none was given.
        RespEmailRequiredToRegister = 25,
        /// Server refused because the client sent too many commands too quickly.
        RespTooManyRequests = 26,
        /// Server requires a stronger password.
        RespPasswordTooShort = 27,
        /// Login to a registered name whose account is not activated.
        RespAccountNotActivated = 28,
        /// Server does not allow registration.
        RespRegistrationDisabled = 29,
        /// Registration request accepted but registration failed.
        RespRegistrationFailed = 30,
        /// Activation token accepted.
        RespActivationAccepted = 31,
        /// Activation token not accepted.
        RespActivationFailed = 32,
        /// Registration accepted; token activation still needed.
        RespRegistrationAcceptedNeedsActivation = 33,
        /// Client must generate and send its client id first.
        RespClientIdRequired = 34,
        /// Client lacks features the server requires.
        RespClientUpdateRequired = 35,
        /// Server user limit reached.
        RespServerFull = 36,
        /// The e-mail address given for registration is blocked.
        RespEmailBlackListed = 37,
        /// The user must choose a new password first. An addition of newer servers.
        RespPasswordChangeRequired = 38,
    }
}
