//! Looking at a database without a key, and without changing it.

use std::collections::BTreeMap;

use super::KeyId;
use super::cipher::{HEADER_LEN, key_id_of_header};
use super::deliveries::SqlRow;
use super::schema::Part;

/// The records of a database, as far as they can be seen without a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inspection {
    /// The version of its tables.
    pub schema_version: u32,
    /// How many credentials, bindings, login flows, receipts and targets of deliveries were sealed with each key. Those
    /// that are damaged may be missing; what is registered, which can be found out anew, is.
    pub sealed_with: BTreeMap<KeyId, u64>,
    /// Why those of deliveries are not among them, if they should be: their file cannot be used.
    pub without_deliveries: Option<Box<str>>,
}

impl Inspection {
    /// The statement that counts the records of a database with this part of the tables, by how what is sealed begins.
    pub(super) fn sql(part: Part) -> String {
        let mut records = Vec::new();
        let one_each = |table| format!("SELECT sealed, 1 AS number FROM portreeve.{table}");
        if part != Part::Deliveries {
            records.extend(["credential", "binding", "login_flow"].map(one_each));
        }
        if part != Part::Vault {
            let receipts =
                "SELECT sealed, receipts AS number FROM portreeve.receipt_total WHERE receipts > 0";
            records.extend([one_each("delivery_target"), receipts.to_owned()]);
        }
        format!(
            "SELECT substr(sealed, 1, {HEADER_LEN}), CAST(sum(number) AS BIGINT) FROM ({}) AS record GROUP BY 1",
            records.join(" UNION ALL ")
        )
    }

    pub(super) fn new(schema_version: i32, counted: impl IntoIterator<Item = SqlRow>) -> Self {
        let mut sealed_with = BTreeMap::new();
        for row in counted {
            if let Some(key) = key_id_of_header(row.bytes(0)) {
                *sealed_with.entry(key).or_default() += row.number(1).cast_unsigned();
            }
        }
        Self {
            schema_version: schema_version.cast_unsigned(),
            sealed_with,
            without_deliveries: None,
        }
    }
}
