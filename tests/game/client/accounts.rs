//! Accounts, with the answers of the recorded server.

use portreeve::game::client::{
    AccountError, Client, RefusedError, Registered, Registration, Settings, hashed_password,
};
use portreeve::game::command::{ForgotPasswordChallenge, ForgotPasswordReset, Register};
use portreeve::game::payload::{ForgotPasswordRequest, Register as Refusal};
use portreeve::game::{CommandContainer, Payload, ResponseCode};
use tokio::io::AsyncWriteExt;

use super::server::{
    IDENTIFIED, Io, answer, answer_of, answered_with, cmd_id, framed, in_session, read, script,
    session,
};

/// Reads a command of this kind, answers it, and returns its bytes.
async fn serve(server: &mut impl Io, kind: &str, message: impl FnOnce(u64) -> Vec<u8>) -> Vec<u8> {
    let bytes = read(server, kind).await;
    let message = message(cmd_id(&bytes));
    server.write_all(&framed(&message)).await.unwrap();
    bytes
}

/// An answer with this code alone.
fn with(code: ResponseCode) -> impl FnOnce(u64) -> Vec<u8> {
    move |cmd_id| answer(cmd_id, code)
}

/// The answer to a request to reset a password.
fn challenge(challenge_email: bool) -> impl FnOnce(u64) -> Vec<u8> {
    move |cmd_id| {
        let payload = Payload::from(ForgotPasswordRequest {
            challenge_email: Some(challenge_email),
            ..ForgotPasswordRequest::default()
        });
        answer_of(cmd_id, ResponseCode::RespOk, &payload)
    }
}

/// Calls `$read` with the command in a container, as a `$kind`.
macro_rules! command {
    ($bytes:expr, $kind:ident, $read:expr) => {{
        let container = CommandContainer::parse(&$bytes).unwrap();
        let command = container.session_command().next().unwrap().unwrap();
        let command = command.get::<$kind<'_>>().unwrap().unwrap();
        #[allow(clippy::redundant_closure_call)]
        ($read)(command)
    }};
}

/// Whether this is the password, with the salt in front of it.
fn is_hash_of(hashed: &str, password: &str) -> bool {
    let (salt, _) = hashed.split_at(16);
    salt.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && *hashed_password(salt, password) == hashed
}

#[tokio::test]
async fn an_account_is_registered_and_activated() {
    let (client, _events, mut server) = session(&Settings::default()).await;
    let mut registration = Registration::new("lab_new1", "labpass1");
    registration.email = Some("new1@example.invalid".to_owned());
    registration.country = Some("se".to_owned());
    registration.real_name = Some("New Person".to_owned());
    assert!(!format!("{registration:?}").contains("labpass1"));
    let served = tokio::spawn(async move {
        let refuse = |cmd_id| {
            let refusal = Payload::from(Refusal {
                denied_reason_str: Some("3|20|1|1|1|0|_.-|admin|".into()),
                ..Refusal::default()
            });
            answer_of(cmd_id, ResponseCode::RespUsernameInvalid, &refusal)
        };
        serve(&mut server, "REGISTER", refuse).await;
        let code = ResponseCode::RespRegistrationAcceptedNeedsActivation;
        let bytes = serve(&mut server, "REGISTER", with(code)).await;
        command!(bytes, Register, |sent: Register<'_>| {
            assert_eq!(sent.user_name().unwrap(), "lab_new1");
            assert!(sent.password.is_none());
            assert!(is_hash_of(sent.hashed_password().unwrap(), "labpass1"));
            assert_eq!(sent.email().unwrap(), "new1@example.invalid");
            assert_eq!(sent.country().unwrap(), "se");
            assert_eq!(sent.real_name().unwrap(), "New Person");
            assert_eq!(sent.clientid().unwrap().len(), 15);
        });
        let code = ResponseCode::RespRegistrationAccepted;
        serve(&mut server, "REGISTER", with(code)).await;
        for code in [ResponseCode::RespActivationFailed, ResponseCode::RespActivationAccepted] {
            serve(&mut server, "ACTIVATE", with(code)).await;
        }
    });
    let refused = client.register(&registration).await.unwrap_err();
    let said = refused.to_string();
    assert!(said.contains("3 to 20 characters"), "{said}");
    for expected in [Registered::NeedsActivation, Registered::Accepted] {
        assert_eq!(client.register(&registration).await.unwrap(), expected);
    }
    let refused = client.activate("lab_new1", "wrong").await;
    assert!(
        matches!(
            refused,
            Err(AccountError::Refused(RefusedError {
                code: Some(ResponseCode::RespActivationFailed),
                ..
            }))
        ),
        "{refused:?}"
    );
    client.activate("lab_new1", "geeXE4E/0titmj4y").await.unwrap();
    served.await.unwrap();
}

/// Other reasons are shown as they are.
#[tokio::test]
async fn the_rules_for_names_are_explained_in_words() {
    let cases = [
        (
            "3|20|1|1|1|0|_.-|admin|",
            "a name has 3 to 20 characters and consists of lower-case letters, upper-case letters, \
             digits, the characters _.-, but not at the start; it must not contain admin",
        ),
        (
            "1|35|1|0|0|1|_||^a|b$",
            "a name has 1 to 35 characters and consists of lower-case letters, the characters _; \
             it must not match ^a|b$",
        ),
        ("no", "no"),
        ("3|20|1|1|1|0|_.-|admin", "3|20|1|1|1|0|_.-|admin"),
        ("x|20|1|1|1|0|||", "x|20|1|1|1|0|||"),
        ("3|20|2|1|1|0|||", "3|20|2|1|1|0|||"),
    ];
    let refuse = |(cmd_id, (rules, _))| {
        let payload = format!(r#","[Response_Register.ext]":{{"denied_reason_str":"{rules}"}}"#);
        answered_with(cmd_id, &in_session("Register"), "RespUsernameInvalid", &payload)
    };
    let refused = (1..).zip(cases).map(refuse);
    let lines: Vec<_> = [IDENTIFIED.to_owned()].into_iter().chain(refused).collect();
    let server = script(&lines).await;
    let (client, _events) = Client::connect(&server.tcp).await.unwrap();
    let registration = Registration::new("x", "labpass1".to_owned());
    for (_, words) in cases {
        let refused = client.register(&registration).await.unwrap_err();
        let expected = format!("the game server refused the request: RespUsernameInvalid: {words}");
        assert_eq!(refused.to_string(), expected);
    }
    client.close().await;
    server.finish().await.unwrap();
}

#[tokio::test]
async fn a_forgotten_password_is_reset() {
    let (client, _events, mut server) = session(&Settings::default()).await;
    let served = tokio::spawn(async move {
        // Two answers that ask for the email address, and one that does not.
        let request = "FORGOT_PASSWORD_REQUEST";
        serve(&mut server, request, challenge(true)).await;
        serve(&mut server, request, challenge(true)).await;
        let bytes = serve(&mut server, "FORGOT_PASSWORD_CHALLENGE", challenge(false)).await;
        command!(bytes, ForgotPasswordChallenge, |sent: ForgotPasswordChallenge<'_>| {
            assert_eq!(sent.email().unwrap(), "new1@example.invalid");
        });
        serve(&mut server, request, challenge(false)).await;
        let reset = "FORGOT_PASSWORD_RESET";
        let bytes = serve(&mut server, reset, with(ResponseCode::RespOk)).await;
        command!(bytes, ForgotPasswordReset, |sent: ForgotPasswordReset<'_>| {
            assert_eq!(sent.token().unwrap(), "Q8R7P9YK0lr8cIRE");
            assert!(sent.new_password.is_none());
            assert!(is_hash_of(sent.hashed_new_password().unwrap(), "labpass9"));
        });
        serve(&mut server, reset, with(ResponseCode::RespFunctionNotAllowed)).await;
    });
    let email = Some("new1@example.invalid");
    let asked = client.request_password_reset("lab_new1", None).await;
    assert!(matches!(asked, Err(AccountError::EmailNeeded)), "{asked:?}");
    client.request_password_reset("lab_new1", email).await.unwrap();
    client.request_password_reset("lab_new1", None).await.unwrap();
    for accepted in [true, false] {
        let token = "Q8R7P9YK0lr8cIRE";
        let reset = client.reset_password("lab_new1", token, "labpass9").await;
        assert_eq!(reset.is_ok(), accepted, "{reset:?}");
    }
    served.await.unwrap();
}
