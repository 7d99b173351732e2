//! Reading a whole table, a page at a time.

use std::ops::Deref;
use std::sync::Arc;

use futures_util::stream::{self, Stream, TryStreamExt as _};

use super::{Row, Store, StoreError, Table};

pub(super) const PAGE: usize = 256;

/// All rows of `table`, in ascending order of the keys' bytes. An error ends it.
pub(super) fn rows<S>(
    store: S,
    table: Table,
) -> impl Stream<Item = Result<Arc<Row>, StoreError>> + Send
where
    S: Deref<Target = dyn Store> + Send + Sync,
{
    pages(store, table, PAGE)
        .map_ok(|page| stream::iter(page.into_iter().map(Ok)))
        .try_flatten()
}

/// As [`rows`], by pages of up to `limit`, none of which is empty.
pub(super) fn pages<S>(
    store: S,
    table: Table,
    limit: usize,
) -> impl Stream<Item = Result<Vec<Arc<Row>>, StoreError>> + Send
where
    S: Deref<Target = dyn Store> + Send + Sync,
{
    // The outer one is `None` after the last page.
    let first: Option<Option<Arc<str>>> = Some(None);
    stream::try_unfold((store, first), move |(store, next)| async move {
        let Some(after) = next else {
            return Ok(None);
        };
        let page = store.page(table, None, after.as_deref(), limit).await?;
        let last = page.last().filter(|_| page.len() == limit);
        let next = last.map(|last| Some(last.key.clone()));
        Ok((!page.is_empty()).then_some((page, (store, next))))
    })
}
