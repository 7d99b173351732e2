//! Checks the answers of the gateway against their description, docs/openapi.json.
//!
//! [`Contract::check`] refuses an answer with a status, a header field, a member or a message that the
//! description lacks, and an answer without what the description requires. It returns the parts of the
//! description that the answer has shown; [`Contract::all`] returns all parts, so that a test can report
//! those that were never shown.

mod exchange;
mod parts;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::{Draft, Validator};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use crate::support::gateway::Answer;
pub(crate) use exchange::Sent;

/// The description in the crate.
pub(crate) static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    Contract::new(serde_json::from_str(portreeve::gateway::OPENAPI).expect("it is JSON"))
});

/// Where answers that belong to no operation are described, in the document or in a path.
const UNMATCHED: &str = "/x-unmatched";

/// Characters of a pointer that must be escaped in a URI's fragment.
const NOT_IN_FRAGMENTS: &AsciiSet = &CONTROLS.add(b'{').add(b'}');

/// Header fields of HTTP itself.
const OF_HTTP: [&str; 5] = [
    "connection",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
];

/// A description, ready for answers to be checked against it.
pub(crate) struct Contract {
    document: Value,
    /// By the pointer of the schema.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

/// Parts of the description: JSON pointers, with `= value` for a value of an enumeration.
pub(crate) type Parts = BTreeSet<String>;

// === impl Contract ===

impl Contract {
    pub(crate) fn new(document: Value) -> Self {
        Self {
            document,
            validators: Mutex::default(),
        }
    }

    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// Method, path and pointer of each operation.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&str, &str, String)> {
        const METHODS: [&str; 5] = ["get", "head", "put", "post", "delete"];
        let paths = self.document["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path item").keys();
            methods
                .filter(|name| !name.starts_with("x-"))
                .map(move |method| {
                    assert!(METHODS.contains(&method.as_str()), "{path}: {method}");
                    let pointer = format!("/paths/{}/{method}", escaped(path));
                    (method.as_str(), path.as_str(), pointer)
                })
        })
    }

    /// The value at `pointer`.
    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.document
            .pointer(pointer)
            .unwrap_or_else(|| panic!("the description has no {pointer}"))
    }

    /// `pointer`, or the target of the reference there.
    pub(crate) fn resolved(&self, pointer: &str) -> String {
        match self.at(pointer).get("$ref") {
            Some(target) => local(target),
            None => pointer.to_owned(),
        }
    }

    /// Why `value` does not match the schema at `pointer`.
    pub(crate) fn fault(&self, pointer: &str, value: &Value) -> Option<String> {
        let validator = self.validator(pointer);
        let faults: Vec<_> = validator
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        (!faults.is_empty()).then(|| format!("{pointer}: {}", faults.join("; ")))
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let validator = validators.entry(pointer.to_owned()).or_insert_with(|| {
            // Within the rest of the description, so that its references resolve.
            let mut schema = self.document.clone();
            let fragment = utf8_percent_encode(pointer, NOT_IN_FRAGMENTS);
            schema["$ref"] = format!("#{fragment}").into();
            let options = jsonschema::options()
                .with_draft(Draft::Draft202012)
                .should_validate_formats(true);
            Arc::new(options.build(&schema).expect("a schema"))
        });
        validator.clone()
    }

    /// Checks an answer against the description; returns the parts that it has shown.
    pub(crate) fn check(&self, sent: &Sent, answer: &Answer) -> Result<Parts, String> {
        exchange::check(self, sent, answer).map_err(|fault| {
            format!(
                "{} {} is answered {answer:?}, which docs/openapi.json does not describe: {fault}",
                sent.method, sent.path
            )
        })
    }

    /// Every part that answers can show.
    pub(crate) fn all(&self) -> Parts {
        let mut all = Parts::new();
        let operations: Vec<_> = self.operations().map(|(_, _, pointer)| pointer).collect();
        for operation in operations {
            for at in 0..self.at(&operation)["parameters"]
                .as_array()
                .map_or(0, Vec::len)
            {
                let parameter = format!("{operation}/parameters/{at}");
                all.insert(parameter.clone());
                self.collect(&format!("{}/schema", self.resolved(&parameter)), &mut all);
            }
            if self.at(&operation).get("requestBody").is_some() {
                self.collect(&exchange::request_schema(&operation), &mut all);
            }
            self.collect_responses(&format!("{operation}/responses"), &mut all);
        }
        self.collect_responses(UNMATCHED, &mut all);
        for path in self.document["paths"].as_object().expect("paths").keys() {
            let unmatched = format!("/paths/{}{UNMATCHED}", escaped(path));
            if self.document.pointer(&unmatched).is_some() {
                self.collect_responses(&unmatched, &mut all);
            }
        }
        all
    }

    fn collect_responses(&self, responses: &str, all: &mut Parts) {
        let statuses = self.at(responses).as_object().expect("responses").keys();
        for status in statuses {
            let response = format!("{responses}/{status}");
            all.insert(response.clone());
            let response = self.resolved(&response);
            if let Some(headers) = self.at(&response)["headers"].as_object() {
                for name in headers.keys() {
                    let header = self.resolved(&format!("{response}/headers/{name}"));
                    self.collect(&format!("{header}/schema"), all);
                }
            }
            if let Some(content) = self.at(&response)["content"].as_object() {
                for kind in content.keys() {
                    self.collect(&format!("{response}/content/{}/schema", escaped(kind)), all);
                }
            }
        }
    }
}

/// A token of a JSON pointer (RFC 6901).
pub(crate) fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// The pointer in a reference to another part of the description.
fn local(reference: &Value) -> String {
    let reference = reference.as_str().expect("a reference is a text");
    let pointer = reference.strip_prefix('#');
    pointer
        .expect("a reference within the description")
        .to_owned()
}
