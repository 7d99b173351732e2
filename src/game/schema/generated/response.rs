// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::payload::Payload;

message! {
    /// The fields of an answer.
    pub struct ResponseFields = "Response" {
        /// The `cmd_id` of the command, sign-extended from 32 bits by the server. The answer to
        /// a command without one has 18446744073709551615.
        cmd_id: required uint64 = 1;
        /// The result; if absent, it is read as the first value.
        response_code: optional enum ResponseCode = 2;
        100 to max: Payload;
    }
}

enumeration! {
    /// The result of a command. An absent code is read as the first value.
    pub enum ResponseCode {
        /// The client is not connected. Never sent: the value of an absent code.
        RespNotConnected = -1,
        /// No answer. Never sent.
        RespNothing = 0,
        /// The command was executed.
        RespOk = 1,
        /// The caller is not in that room.
        RespNotInRoom = 2,
        /// Internal error of the server.
        RespInternalError = 3,
        /// The server does not know the command.
        RespInvalidCommand = 4,
        /// The data of the command is invalid.
        RespInvalidData = 5,
        /// No user, game or other item has that name.
        RespNameNotFound = 6,
        /// The command requires a login, or more rights.
        RespLoginNeeded = 7,
        /// The caller is not allowed to do that.
        RespFunctionNotAllowed = 8,
        /// The game has not started.
        RespGameNotStarted = 9,
        /// The game accepts no more players.
        RespGameFull = 10,
        /// Not possible at this moment.
        RespContextError = 11,
        /// Wrong password.
        RespWrongPassword = 12,
        /// The game accepts no spectators.
        RespSpectatorsNotAllowed = 13,
        /// Only the creator's buddies may join the game.
        RespOnlyBuddies = 14,
        /// The caller's level is too low.
        RespUserLevelTooLow = 15,
        /// The other user ignores the caller.
        RespInIgnoreList = 16,
        /// The user is logged in elsewhere.
        RespWouldOverwriteOldSession = 17,
        /// Too much chat in too short a time.
        RespChatFlood = 18,
        /// The user is banned; the login payload has the reason and the end of the ban.
        RespUserIsBanned = 19,
        /// Access denied.
        RespAccessDenied = 20,
        /// The server does not accept the user name.
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
        /// The user must choose a new password first. Newer than the recorded server.
        RespPasswordChangeRequired = 38,
    }
}
