//! Compares answers of the gateway with their description, docs/openapi.json.
//!
//! [`Contract::check`] refuses an answer with a status, a header field, a member or a message that the
//! description lacks, and an answer without what the description requires. [`TestGateway`](crate::gateway::TestGateway)
//! checks every answer in this way.

mod exchange;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use jsonschema::{Draft, Validator};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;

use crate::gateway::Answer;
pub use exchange::Sent;

/// The description in the crate.
pub static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
    Contract::new(serde_json::from_str(portreeve::gateway::OPENAPI).expect("it is JSON"))
});

/// Where answers that belong to no operation are described, in the document or in a path.
const UNMATCHED: &str = "/x-unmatched";

/// Characters of a pointer that must be escaped in a URI's fragment.
const NOT_IN_FRAGMENTS: &AsciiSet = &CONTROLS.add(b' ').add(b'{').add(b'}');

/// Header fields of HTTP itself.
const OF_HTTP: [&str; 5] =
    ["connection", "content-length", "content-type", "date", "transfer-encoding"];

/// A description, ready for answers to be checked against it.
pub struct Contract {
    document: Value,
    /// By the pointer of the schema.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
}

// === impl Contract ===

impl Contract {
    pub fn new(document: Value) -> Self {
        Self { document, validators: Mutex::default() }
    }

    pub fn document(&self) -> &Value {
        &self.document
    }

    /// Method, path and pointer of each operation.
    pub fn operations(&self) -> impl Iterator<Item = (&str, &str, String)> {
        const METHODS: [&str; 6] = ["get", "head", "put", "post", "patch", "delete"];
        let paths = self.document["paths"].as_object().expect("paths");
        paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path item").keys();
            methods.filter(|name| !name.starts_with("x-")).map(move |method| {
                assert!(METHODS.contains(&method.as_str()), "{path}: {method}");
                let pointer = format!("/paths/{}/{method}", escaped(path));
                (method.as_str(), path.as_str(), pointer)
            })
        })
    }

    /// The value at `pointer`.
    pub fn at(&self, pointer: &str) -> &Value {
        self.document.pointer(pointer).unwrap_or_else(|| panic!("the description has no {pointer}"))
    }

    /// `pointer`, or the target of the reference there.
    pub fn resolved(&self, pointer: &str) -> String {
        match self.at(pointer).get("$ref") {
            Some(target) => local(target),
            None => pointer.to_owned(),
        }
    }

    /// Why `value` does not match the schema at `pointer`.
    pub fn fault(&self, pointer: &str, value: &Value) -> Option<String> {
        let validator = self.validator(pointer);
        let faults: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        (!faults.is_empty()).then(|| format!("{pointer}: {}", faults.join("; ")))
    }

    fn validator(&self, pointer: &str) -> Arc<Validator> {
        let mut validators = self.validators.lock().unwrap();
        let validator = validators.entry(pointer.to_owned()).or_insert_with(|| {
            // Within the rest of the description, so that its references resolve.
            let mut schema = self.document.clone();
            let fragment = utf8_percent_encode(pointer, NOT_IN_FRAGMENTS);
            schema["$ref"] = format!("#{fragment}").into();
            let options =
                jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
            Arc::new(options.build(&schema).expect("a schema"))
        });
        validator.clone()
    }

    /// Whether the description has such an answer to such a request.
    ///
    /// # Errors
    ///
    /// What differs.
    pub fn check(&self, sent: &Sent, answer: &Answer) -> Result<(), String> {
        exchange::check(self, sent, answer).map_err(|fault| {
            format!(
                "{} {} is answered {answer:?}, which docs/openapi.json does not describe: {fault}",
                sent.method, sent.path
            )
        })
    }
}

/// A token of a JSON pointer (RFC 6901).
pub fn escaped(token: &str) -> String {
    token.replace('~', "~0").replace('/', "~1")
}

/// The pointer in a reference to another part of the description.
fn local(reference: &Value) -> String {
    let reference = reference.as_str().expect("a reference is a text");
    let pointer = reference.strip_prefix('#');
    pointer.expect("a reference within the description").to_owned()
}
