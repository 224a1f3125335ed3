//! Objects that operations store (reference/storage.md#unclaimed-objects).

use foundation::unclaimed;

use crate::{ApiError, Cx, access::DatabaseAccess};

/// Removes the object of an operation that has ended without a row that names it, once the store has confirmed the
/// object. The key is recorded as unclaimed, and no other operation is about to name it. After a failure, and when the
/// store takes too long, the sweep removes the object.
pub async fn discard(cx: &Cx, access: &impl DatabaseAccess, key: &str) {
    let discarded = async {
        let mut connection = access.db().await?;
        unclaimed::discard(&mut connection, &cx.state().storage, key).await.map_err(ApiError::from)
    };
    if let Err(error) = discarded.await {
        tracing::warn!(%error, key, "an object without a row is left to the sweep");
    }
}
