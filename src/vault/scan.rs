//! Reading a whole table, a page at a time.

use std::sync::Arc;

use futures_util::stream::{self, Stream, TryStreamExt as _};

use super::{Row, StoreError, Table, Vault};

const PAGE: usize = 256;

impl Vault {
    /// All rows of `table`, in ascending order of the keys' bytes. An error ends it.
    pub(super) fn rows(
        &self,
        table: Table,
    ) -> impl Stream<Item = Result<Arc<Row>, StoreError>> + Send + use<> {
        self.pages(table).map_ok(|page| stream::iter(page.into_iter().map(Ok))).try_flatten()
    }

    /// As [`Self::rows`], by pages, none of which is empty.
    pub(super) fn pages(
        &self,
        table: Table,
    ) -> impl Stream<Item = Result<Vec<Arc<Row>>, StoreError>> + Send + use<> {
        // The outer one is `None` after the last page.
        let first: Option<Option<Arc<str>>> = Some(None);
        let begin = (self.store().clone(), first);
        stream::try_unfold(begin, move |(store, next)| async move {
            let Some(after) = next else {
                return Ok(None);
            };
            let page = store.page(table, None, after.as_deref(), PAGE).await?;
            let last = page.last().filter(|_| page.len() == PAGE);
            let next = last.map(|last| Some(last.key.clone()));
            Ok((!page.is_empty()).then_some((page, (store, next))))
        })
    }
}
