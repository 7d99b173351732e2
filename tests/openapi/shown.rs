//! Every part of the description is shown by some answer, and every answer matches the description.

use std::collections::BTreeSet;
use std::sync::Mutex;

use serde_json::Value;

use crate::contract::{CONTRACT, Contract, Parts, Sent};
use crate::support::gateway::{Answer, TestGateway, exchange};
use crate::{
    bound, events, failures, front_end, login_flow, passwords, presets, refusals, webhooks,
};

/// The parts of the description that have been shown so far.
#[derive(Default)]
pub(crate) struct Shown {
    parts: Mutex<Parts>,
    faults: Mutex<BTreeSet<String>>,
    exchanges: Mutex<Vec<(Sent, Answer)>>,
}

// === impl Shown ===

impl Shown {
    /// Makes a request as `user`.
    pub(crate) async fn call(
        &self,
        gateway: &TestGateway,
        user: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Answer {
        let authorization = format!("Authorization: Bearer {}\r\n", gateway.token(user));
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        self.send(gateway.address, method, path, &authorization, &body)
            .await
    }

    /// Makes a request with these header fields, and checks the answer against the description.
    pub(crate) async fn send(
        &self,
        address: std::net::SocketAddr,
        method: &str,
        path: &str,
        fields: &str,
        body: &str,
    ) -> Answer {
        let head = format!("{method} {path} HTTP/1.1\r\nX-Request-Id: shown\r\n{fields}");
        let answer = exchange(address, &head, body).await;
        let sent = Sent::new(&head, body);
        match CONTRACT.check(&sent, &answer) {
            Ok(mut parts) => self.parts.lock().unwrap().append(&mut parts),
            Err(fault) => {
                self.faults.lock().unwrap().insert(fault);
            }
        }
        let exchange = (sent, answer.clone());
        self.exchanges.lock().unwrap().push(exchange);
        answer
    }

    /// Whether some answer does not match `contract`.
    fn refutes(&self, contract: &Contract) -> bool {
        let exchanges = self.exchanges.lock().unwrap();
        let mut faults = exchanges
            .iter()
            .filter(|(sent, answer)| contract.check(sent, answer).is_err());
        faults.next().is_some()
    }

    fn missing(&self, contract: &Contract) -> BTreeSet<String> {
        let shown = self.parts.lock().unwrap();
        contract.all().difference(&shown).cloned().collect()
    }
}

#[tokio::test]
async fn every_part_of_the_description_is_shown_by_some_answer() {
    let shown = Shown::default();
    refusals::show(&shown).await;
    webhooks::show(&shown).await;
    presets::show(&shown).await;
    events::show(&shown).await;
    passwords::show(&shown).await;
    login_flow::show(&shown).await;
    failures::show(&shown).await;
    front_end::show(&shown).await;
    bound::show(&shown).await;
    let faults = shown.faults.lock().unwrap();
    assert!(faults.is_empty(), "{faults:#?}");
    drop(faults);
    let missing = shown.missing(&CONTRACT);
    assert!(
        missing.is_empty(),
        "docs/openapi.json describes what the gateway never answered: {missing:#?}"
    );

    // A superfluous part of the description is noticed, wherever it is.
    for (pointer, name, value) in [
        (
            "/paths/~1api~1v1~1apps/get/responses",
            "418",
            serde_json::json!({"description": "?"}),
        ),
        (
            "/paths/~1api~1v1~1apps",
            "put",
            serde_json::json!({"responses": {"200": {"description": "?"}}}),
        ),
        (
            "/components/schemas/Error/properties",
            "hint",
            serde_json::json!({"type": "string"}),
        ),
    ] {
        let mut document = CONTRACT.document().clone();
        let place = document
            .pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap();
        assert!(place.insert(name.to_owned(), value).is_none());
        assert!(
            !shown.missing(&Contract::new(document)).is_empty(),
            "{pointer}/{name}"
        );
    }
    let mut document = CONTRACT.document().clone();
    let messages = document
        .pointer_mut("/components/schemas/OwnFailure/enum")
        .unwrap();
    messages
        .as_array_mut()
        .unwrap()
        .push("Something else".into());
    assert_eq!(shown.missing(&Contract::new(document)).len(), 1);

    // So is a missing part.
    for (pointer, name) in [
        ("/paths/~1api~1v1~1apps/get/responses", "428"),
        ("/paths", "/api/v1/webhooks/{webhook_id}"),
        ("/x-unmatched", "405"),
        ("/components/responses/MethodNotAllowed/headers", "Allow"),
        (
            "/components/schemas/CredentialStatus/properties",
            "provisioned_at",
        ),
    ] {
        let mut document = CONTRACT.document().clone();
        let place = document
            .pointer_mut(pointer)
            .unwrap()
            .as_object_mut()
            .unwrap();
        assert!(place.remove(name).is_some());
        assert!(shown.refutes(&Contract::new(document)), "{pointer}/{name}");
    }
    let mut document = CONTRACT.document().clone();
    let messages = document.pointer_mut("/components/schemas/OwnFailure/enum");
    messages.unwrap().as_array_mut().unwrap().pop().unwrap();
    assert!(shown.refutes(&Contract::new(document)));
    assert!(!shown.refutes(&CONTRACT));
}
