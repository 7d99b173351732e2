//! The description of the API.

/// The management API as an OpenAPI 3.1 document, in JSON: every route, parameter, member, status and message
/// of docs/API.md. Tests hold it against what the gateway answers.
///
/// ```
/// let document: serde_json::Value = serde_json::from_str(portreeve::gateway::OPENAPI)?;
/// assert_eq!(document["openapi"], "3.1.0");
/// assert!(document["paths"]["/api/v1/apps"]["get"].is_object());
/// # Ok::<_, serde_json::Error>(())
/// ```
pub const OPENAPI: &str = include_str!("../../docs/openapi.json");
