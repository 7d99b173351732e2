//! Moving house: the records of one store to another, sealed as they are.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{BindOutcome, BindingRecord, FlowRecord, Record, Store, StoreError};

/// Records that are read at once.
const PAGE: usize = 256;

/// Records that are written at the same time.
const AT_ONCE: usize = 16;

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
    from: &impl Store,
    to: &impl Store,
    mut progress: impl FnMut(CopyReport),
) -> Result<CopyReport, CopyError> {
    if let Some((what, key)) = difference(to, from).await? {
        return Err(CopyError::Other { what, key });
    }
    let mut report = CopyReport::default();
    let mut after = None;
    while let Some(page) = credentials(from, &mut after).await? {
        report.credentials += page.len() as u64;
        let stored = stream::iter(page).map(|record| put(to, record));
        let stored = stored.buffer_unordered(AT_ONCE);
        report.already += stored
            .try_fold(0, |sum, it| async move { Ok(sum + it) })
            .await?;
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
    for login in from.refused_logins(since).await? {
        report.refused_logins += 1;
        match there.contains(&login) {
            true => report.already += 1,
            false => to.put_refused_login(login, UNIX_EPOCH).await?,
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
    one: &impl Store,
    other: &impl Store,
) -> Result<Option<(&'static str, Box<str>)>, StoreError> {
    let mut after = None;
    while let Some(page) = credentials(one, &mut after).await? {
        let compared = stream::iter(page).map(|record| async move {
            let is_same = other.record(&record.user_id).await?.as_ref() == Some(&record);
            Ok::<_, StoreError>((!is_same).then(|| Box::from(&*record.user_id)))
        });
        let mut compared = std::pin::pin!(compared.buffered(AT_ONCE));
        while let Some(different) = compared.try_next().await? {
            if let Some(user_id) = different {
                return Ok(Some(("credentials", user_id)));
            }
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

/// Stores a record, unless it is there; 1 if it is.
async fn put(to: &impl Store, record: Arc<Record>) -> Result<u64, StoreError> {
    if to.record(&record.user_id).await?.is_some() {
        return Ok(1);
    }
    to.put(Record::clone(&record), None).await?;
    Ok(0)
}

/// The credentials after `after`; `None` at the end.
async fn credentials(
    store: &impl Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<Arc<Record>>>, StoreError> {
    let page = store.page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.user_id.clone());
    Ok((!page.is_empty()).then_some(page))
}

/// The bindings after `after`; `None` at the end.
async fn bindings(
    store: &impl Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<BindingRecord>>, StoreError> {
    let page = store.binding_page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.person_id.clone());
    Ok((!page.is_empty()).then_some(page))
}

/// The login flows after `after`; `None` at the end.
async fn flows(
    store: &impl Store,
    after: &mut Option<Arc<str>>,
) -> Result<Option<Vec<FlowRecord>>, StoreError> {
    let page = store.flow_page(after.as_deref(), PAGE).await?;
    *after = page.last().map(|it| it.flow_id.clone());
    Ok((!page.is_empty()).then_some(page))
}
