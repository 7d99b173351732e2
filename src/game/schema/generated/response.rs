// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::payload::Payload;

message! {
    ResponseFields = "Response", "The fields of an answer." {
        cmd_id: required uint64 = 1, "The `cmd_id` of the command, sign-extended from 32 bits by the server. The answer to a command without one has 18446744073709551615.";
        response_code: optional enum ResponseCode = 2, "The result; if absent, it is read as the first value.";
        100 to max: Payload;
    }
}

enumeration! {
    ResponseCode, "The result of a command. An absent code is read as the first value." {
        RespNotConnected = -1, "The client is not connected. Never sent: the value of an absent code.";
        RespNothing = 0, "No answer. Never sent.";
        RespOk = 1, "The command was executed.";
        RespNotInRoom = 2, "The caller is not in that room.";
        RespInternalError = 3, "Internal error of the server.";
        RespInvalidCommand = 4, "The server does not know the command.";
        RespInvalidData = 5, "The data of the command is invalid.";
        RespNameNotFound = 6, "No user, game or other item has that name.";
        RespLoginNeeded = 7, "The command requires a login, or more rights.";
        RespFunctionNotAllowed = 8, "The caller is not allowed to do that.";
        RespGameNotStarted = 9, "The game has not started.";
        RespGameFull = 10, "The game accepts no more players.";
        RespContextError = 11, "Not possible at this moment.";
        RespWrongPassword = 12, "Wrong password.";
        RespSpectatorsNotAllowed = 13, "The game accepts no spectators.";
        RespOnlyBuddies = 14, "Only the creator's buddies may join the game.";
        RespUserLevelTooLow = 15, "The caller's level is too low.";
        RespInIgnoreList = 16, "The other user ignores the caller.";
        RespWouldOverwriteOldSession = 17, "The user is logged in elsewhere.";
        RespChatFlood = 18, "Too much chat in too short a time.";
        RespUserIsBanned = 19, "The user is banned; the login payload has the reason and the end of the ban.";
        RespAccessDenied = 20, "Access denied.";
        RespUsernameInvalid = 21, "The server does not accept the user name.";
        RespRegistrationRequired = 22, "Only registered users may do that.";
        RespRegistrationAccepted = 23, "Server agrees to process the registration request.";
        RespUserAlreadyExists = 24, "Client tried to register an already registered name.";
        RespEmailRequiredToRegister = 25, "Server requires an e-mail address to register and none was given.";
        RespTooManyRequests = 26, "Server refused because the client sent too many commands too quickly.";
        RespPasswordTooShort = 27, "Server requires a stronger password.";
        RespAccountNotActivated = 28, "Login to a registered name whose account is not activated.";
        RespRegistrationDisabled = 29, "Server does not allow registration.";
        RespRegistrationFailed = 30, "Registration request accepted but registration failed.";
        RespActivationAccepted = 31, "Activation token accepted.";
        RespActivationFailed = 32, "Activation token not accepted.";
        RespRegistrationAcceptedNeedsActivation = 33, "Registration accepted; token activation still needed.";
        RespClientIdRequired = 34, "Client must generate and send its client id first.";
        RespClientUpdateRequired = 35, "Client lacks features the server requires.";
        RespServerFull = 36, "Server user limit reached.";
        RespEmailBlackListed = 37, "The e-mail address given for registration is blocked.";
        RespPasswordChangeRequired = 38, "The user must choose a new password first. Newer than the recorded server.";
    }
}
