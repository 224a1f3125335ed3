//! Watch over a link while its report is sent (reference/history.md#shared-reports).

use std::{sync::Arc, time::Duration};

use api_core::{Cx, Result, access::Visitor};
use futures::FutureExt;

use super::{
    access::{has_feature, refused},
    db::{self, Link},
};
use crate::Right;

/// Checks of a link that may fail in a row.
const MAX_ATTEMPTS: u32 = 3;
/// Time between a check that failed and the next one.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Right of a reader with a link: it ends when the link is no longer active, or cannot be checked.
pub(super) fn right(cx: &Cx, visitor: &Visitor, link: &Link) -> Right {
    let watch = Arc::new(Watch { cx: cx.clone(), visitor: visitor.clone(), link: link.clone() });
    Right::until(Box::new(move || {
        let watch = Arc::clone(&watch);
        async move { watch.check().await }.boxed()
    }))
}

struct Watch {
    cx: Cx,
    visitor: Visitor,
    link: Link,
}

impl Watch {
    async fn check(&self) -> Result<()> {
        let mut attempt = 1;
        loop {
            // Within the share of the request's caller, which has ended when its response is written.
            match Arc::clone(self.cx.connections()).run(self.is_active()).await {
                Ok(true) => return Ok(()),
                Ok(false) => return Err(refused()),
                Err(error) if attempt == MAX_ATTEMPTS => return Err(error),
                Err(error) => tracing::warn!(%error, "the link of a shared report cannot be checked"),
            }
            attempt += 1;
            tokio::time::sleep(RETRY_DELAY).await;
        }
    }

    async fn is_active(&self) -> Result<bool> {
        let (state, link) = (self.cx.state(), &self.link);
        let now = state.clock.now();
        let is_active =
            db::is_active(&mut *self.visitor.db().await?, (link.account_id, link.id), now).await?;
        Ok(is_active && has_feature(state, link).await?)
    }
}
