//! Views of shared reports: a client address counts once in a while (reference/history.md#views).

use api_core::{Cx, Result, access::Visitor, http::rate_key, token};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};

use super::db::{self, Link};

/// Time after a view in which the same address is not counted again (reference/history.md#views).
const VIEW_TTL_SECS: i64 = 30 * 60;

/// Counts a view of a report, unless the address viewed it shortly before. Without Redis no view is counted.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub(super) async fn count(cx: &Cx, visitor: &Visitor, link: &Link, token: &str) -> Result<()> {
    match is_first(cx, token).await {
        Ok(true) => {
            let now = cx.state().clock.now();
            db::count_view(&mut *visitor.db().await?, (link.account_id, link.id), now).await
        }
        Ok(false) => Ok(()),
        Err(error) => {
            tracing::warn!(%error, "a view of a shared report is not counted");
            Ok(())
        }
    }
}

/// True for the first request of an address in a while. The token, which is stored nowhere, is the salt of the
/// stored hash: nothing in Redis leads to an address.
async fn is_first(cx: &Cx, token: &str) -> shared::Result<bool> {
    let viewer = token::hash(&format!("{token} {}", rate_key(cx.request().ip)));
    let redis = &cx.state().redis;
    let key = redis.key(format_args!("share_views:{}", URL_SAFE_NO_PAD.encode(viewer)));
    let mut connection = redis.get().await?;
    let set: Option<String> = redis::cmd("SET")
        .arg(key)
        .arg(1)
        .arg("NX")
        .arg("EX")
        .arg(VIEW_TTL_SECS)
        .query_async(&mut *connection)
        .await?;
    Ok(set.is_some())
}
