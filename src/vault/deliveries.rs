//! The tables of deliveries: statements on them are the same ones in both databases. Those that copy the vault's tables
//! are carried out likewise.
//!
//! They are written as PostgreSQL has them, `$1` for parameters and `portreeve.` before each table; a list is one
//! parameter, a JSON text that `portreeve.json_each` takes apart.

use tokio::sync::Notify;

use super::{StoreError, StoreFuture};

/// The actions on the tables, in errors and metrics.
pub(crate) const CHANGE: &str = "change deliveries";
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) const READ: &str = "read deliveries";

pub(crate) trait DeliveryTables: std::fmt::Debug + Send + Sync {
    /// The rows that one statement reads.
    fn read(&self, by: Reader, sql: String, values: Vec<SqlValue>) -> StoreFuture<'_, Vec<SqlRow>>;

    /// Carries out `work` in one transaction, and returns once that is as durable as asked for; nothing is changed if it
    /// fails. No two with the same `lock` are under way at once, over all processes.
    fn change(&self, lock: Lock, durability: Durability, work: Work) -> StoreFuture<'_, ()>;

    /// The number of this gateway, which what it has claimed has, too; 0 if others could not tell when it is gone.
    fn gateway(&self) -> i64;

    /// Which of these gateways are gone for sure, and whether it is known later when others are.
    fn gone(&self, gateways: Vec<i64>) -> StoreFuture<'_, (Vec<i64>, bool)>;

    /// Is notified when a transaction has announced such news, of another process too if the database tells.
    fn news(&self, of: News) -> &Notify;
}

/// Who reads: neither waits for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// Whoever brings receipts to targets.
    Worker,
    /// All others.
    Calls,
}

/// What a transaction excludes others from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Adding receipts: the order of their positions is that of the commits.
    Receipts,
    /// All else.
    Deliveries,
    /// The first; and the second, if nobody else has it.
    Both,
}

/// What others may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Receipts.
    Received,
    /// Receipts for which somebody has yet to make deliveries.
    Unmatched,
    /// Deliveries that are due.
    Due,
}

impl News {
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) const NUMBER: usize = Self::Due as usize + 1;
}

/// What becomes of a committed transaction when the power fails, or the database's server is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// It is kept, and so is all that was committed before.
    Synced,
    /// It may be undone, since it is simply done again; not without what was committed after it.
    Repeatable,
}

pub(crate) type Work =
    Box<dyn for<'t> FnOnce(&'t mut dyn DeliveryTransaction) -> StoreFuture<'t, ()> + Send>;

pub(crate) trait DeliveryTransaction: Send {
    /// The time by the clock of the database, in milliseconds since the Unix epoch.
    fn now(&self) -> i64;

    /// Whether it excludes others from all that they change.
    fn excludes_all(&self) -> bool;

    /// Carries out a statement, and returns its rows.
    fn run<'a>(&'a mut self, sql: &'a str, values: Vec<SqlValue>) -> StoreFuture<'a, Vec<SqlRow>> {
        let done = self.run_all(vec![Query { sql: sql.to_owned(), values }]);
        Box::pin(async { Ok(done.await?.pop().unwrap_or_default()) })
    }

    /// Carries out one statement after another, none of which needs the rows of one before, and returns the rows of each.
    fn run_all(&mut self, statements: Vec<Query>) -> StoreFuture<'_, Vec<Vec<SqlRow>>>;

    /// Carries out a statement of which nobody needs the rows: with the next one, or with the commit.
    fn put(&mut self, sql: String, values: Vec<SqlValue>) -> Result<(), StoreError>;

    /// Notifies those who wait for such news, once it is committed.
    fn announce(&mut self, news: News);
}

#[derive(Debug)]
#[cfg_attr(not(any(feature = "sqlite", feature = "postgres")), expect(dead_code))]
pub(crate) struct Query {
    pub(crate) sql: String,
    pub(crate) values: Vec<SqlValue>,
}

/// A parameter, or what a row has in a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SqlValue {
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    Null,
    Number(i64),
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SqlRow(pub(crate) Vec<SqlValue>);

// === impl SqlRow ===

impl SqlRow {
    /// The number in a column; `None` if there is none.
    pub(crate) fn number_at(&self, at: usize) -> Option<i64> {
        match self.0.get(at) {
            Some(SqlValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The number in a column that always has one.
    pub(crate) fn number(&self, at: usize) -> i64 {
        self.number_at(at).unwrap_or_default()
    }

    pub(crate) fn text(&self, at: usize) -> &str {
        match self.0.get(at) {
            Some(SqlValue::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn bytes(&self, at: usize) -> &[u8] {
        match self.0.get(at) {
            Some(SqlValue::Bytes(bytes)) => bytes,
            _ => &[],
        }
    }
}

// === impl SqlValue ===

macro_rules! value_of {
    ($($From:ty => $Kind:ident),+) => {
        $(impl From<$From> for SqlValue {
            fn from(value: $From) -> Self {
                Self::$Kind(value.into())
            }
        })+
    };
}

value_of!(i64 => Number, &str => Text, String => Text, Box<[u8]> => Bytes);
