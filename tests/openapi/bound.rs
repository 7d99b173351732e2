//! Persons who are bound to no account, or cannot be (docs/API.md, section 2.7).

use http::request::Parts;
use portreeve::gateway::{AccountPolicy, Binding, Gateway};
use portreeve::groupware::Groupware;
use portreeve::identity::{BearerToken, Caller, Person, TokenVerifier, VerifyError};
use portreeve::vault::{BindOutcome, Keyring, MemoryStore, Vault};

use crate::login_flow::{FLOW, granted_to};
use crate::refusals::{listen, requests};
use crate::shown::Shown;

const ISSUER: &str = "https://id.example.org";

/// A verifier that takes the token for the subject of a person.
struct Subjects;

impl TokenVerifier for Subjects {
    async fn verify(&self, token: &BearerToken, _: &Parts) -> Result<Caller, VerifyError> {
        let subject = token.expose();
        Ok(Caller::of_person(
            Person::new(ISSUER, subject).with_subject(subject),
        ))
    }
}

pub(crate) async fn show(shown: &Shown) {
    for binding in [Binding::Operator, Binding::LoginFlow] {
        let nextcloud = granted_to("alice").await;
        let groupware = Groupware::builder(nextcloud.url().parse().unwrap());
        let vault = Vault::new(Keyring::generate().unwrap(), MemoryStore::new());
        let bound = vault.bind(ISSUER, "alice", "alice").await.unwrap();
        assert_eq!(bound, BindOutcome::Bound);
        let gateway = Gateway::new(Subjects, vault)
            .account(AccountPolicy::Bound(binding))
            .groupware(groupware.build().unwrap());
        let address = listen(gateway.into_service()).await;
        let token = "Authorization: Bearer mallory\r\n";
        let ask =
            async |method: &str, path: &str| shown.send(address, method, path, token, "").await;
        for (method, path) in requests() {
            let is_flow = method != "PUT" && path.starts_with(FLOW);
            let answer = ask(&method, &path).await;
            if !is_flow || binding == Binding::Operator {
                assert_eq!(answer.status, 428, "{method} {path}: {answer:?}");
            }
        }
        if binding == Binding::LoginFlow {
            let started = ask("POST", FLOW).await;
            let flow = format!("{FLOW}/{}", started.json()["flow_id"].as_str().unwrap());
            assert_eq!(ask("GET", &flow).await.json()["status"], "pending");
            nextcloud.answer_once("login-flow-v2-poll-after-grant");
            let taken = ask("GET", &flow).await;
            assert_eq!(taken.status, 403, "{taken:?}");
        }
    }
}
