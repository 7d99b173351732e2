//! Moving house: the records of one store to another, sealed as they are.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::stream::{self, Stream, TryStreamExt as _};

use super::{BindOutcome, BindingRecord, FlowRecord, Record, Store, StoreError};

/// Records that are read at once.
const PAGE: usize = 256;

/// For so long a refused login counts.
const REFUSED_WITHIN: Duration = Duration::from_secs(30 * 60);

/// How much was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyReport {
    /// Credentials of the source, all of which the target has now.
    pub credentials: u64,
    /// Bindings, likewise.
    pub bindings: u64,
    /// Login flows, likewise.
    pub login_flows: u64,
    /// Refused logins that still count, likewise.
    pub refused_logins: u64,
    /// Of all these, those that the target had before, from a copy that was interrupted.
    pub already: u64,
}

/// Why the records were not copied, or not all of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CopyError {
    /// A store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The target has what the source has not. Nothing was copied.
    #[error(
        "the target has {what} that the source has not, or has otherwise ({key}); nothing was copied: name \
         an empty target"
    )]
    Other {
        /// What it is.
        what: &'static str,
        /// Whose it is.
        key: Box<str>,
    },
    /// What was copied is not what the source has now.
    #[error(
        "{what} changed while they were copied ({key}); stop the gateways on both and begin again \
         with an empty target"
    )]
    Changed {
        /// What it is.
        what: &'static str,
        /// Whose it is.
        key: Box<str>,
    },
}

/// Copies everything in `from` to `to`, and compares the two. Sealed records are moved as they are: the
/// keys stay the same.
///
/// No gateway may serve on either of them meanwhile: what changes is noticed, and is an error. A copy
/// that was interrupted is taken up by another call. `progress` is called now and then.
///
/// # Errors
/// If the target has other records, if something changes meanwhile, or a store fails.
pub async fn copy(
    from: &dyn Store,
    to: &dyn Store,
    mut progress: impl FnMut(CopyReport),
) -> Result<CopyReport, CopyError> {
    if let Some((what, key)) = difference(to, from).await? {
        return Err(CopyError::Other { what, key });
    }
    let mut report = CopyReport::default();
    let mut after = None;
    while let Some(page) = credentials(from, &mut after).await? {
        let size = page.len();
        report.credentials += size as u64;
        report.already += (size - to.add(page).await?) as u64;
        progress(report);
    }
    let mut after = None;
    while let Some(page) = bindings(from, &mut after).await? {
        for binding in page {
            report.bindings += 1;
            match to.bind(binding.clone(), None).await? {
                BindOutcome::Bound => {}
                _ => report.already += 1,
            }
        }
        progress(report);
    }
    let mut after = None;
    while let Some(page) = flows(from, &mut after).await? {
        for flow in page {
            report.login_flows += 1;
            match to.flow(&flow.flow_id).await? {
                Some(_) => report.already += 1,
                None => to.put_flow(flow, usize::MAX).await?,
            }
        }
        progress(report);
    }
    let since = SystemTime::now() - REFUSED_WITHIN;
    let there = to.refused_logins(UNIX_EPOCH).await?;
    for at in from.refused_logins(since).await? {
        report.refused_logins += 1;
        match there.contains(&at) {
            true => report.already += 1,
            false => to.put_refused_login(at, UNIX_EPOCH).await?,
        }
    }
    let found = match difference(from, to).await? {
        None => difference(to, from).await?,
        found => found,
    };
    if let Some((what, key)) = found {
        return Err(CopyError::Changed { what, key });
    }
    progress(report);
    Ok(report)
}

/// The first thing in `one` that `other` has not, or has otherwise: what it is, and whose.
async fn difference(
    one: &dyn Store,
    other: &dyn Store,
) -> Result<Option<(&'static str, Box<str>)>, StoreError> {
    // Both are in the order of their users.
    let mut others = pin!(all_credentials(other));
    let mut next = others.try_next().await?;
    let mut ones = pin!(all_credentials(one));
    while let Some(record) = ones.try_next().await? {
        while next.as_ref().is_some_and(|it| it.user_id < record.user_id) {
            next = others.try_next().await?;
        }
        if next.as_ref() != Some(&record) {
            return Ok(Some(("credentials", Box::from(&*record.user_id))));
        }
    }
    let mut after = None;
    while let Some(page) = bindings(one, &mut after).await? {
        for binding in page {
            if other.binding(&binding.person_id).await?.as_deref() != Some(&binding) {
                return Ok(Some(("bindings", Box::from(&*binding.user_id))));
            }
        }
    }
    let mut after = None;
    while let Some(page) = flows(one, &mut after).await? {
        for flow in page {
            if other.flow(&flow.flow_id).await?.as_ref() != Some(&flow) {
                return Ok(Some(("login flows", Box::from(&*flow.flow_id))));
            }
        }
    }
    Ok(None)
}

/// All credentials, ordered by the bytes of their user ids.
fn all_credentials(store: &dyn Store) -> impl Stream<Item = Result<Arc<Record>, StoreError>> {
    let pages = stream::try_unfold(None, async move |mut after| {
        let page = credentials(store, &mut after).await?;
        Ok(page.map(|page| (stream::iter(page.into_iter().map(Ok)), after)))
    });
    pages.try_flatten()
}

/// The credentials after `after`; `None` at the end.
async fn credentials(
    store: &dyn Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<Arc<Record>>>, StoreError> {
    let page = store.page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.user_id.clone());
    Ok((!page.is_empty()).then_some(page))
}

/// The bindings after `after`; `None` at the end.
async fn bindings(
    store: &dyn Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<BindingRecord>>, StoreError> {
    let page = store.binding_page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.person_id.clone());
    Ok((!page.is_empty()).then_some(page))
}

/// The login flows after `after`; `None` at the end.
async fn flows(
    store: &dyn Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<FlowRecord>>, StoreError> {
    let page = store.flow_page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.flow_id.clone());
    Ok((!page.is_empty()).then_some(page))
}
