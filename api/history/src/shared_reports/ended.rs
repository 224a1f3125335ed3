//! End of a download through a link (reference/history.md#shared-reports).

use std::{sync::Arc, time::Duration};

use api_core::{Cx, Result, access::Visitor};
use futures::{FutureExt, future::BoxFuture};

use super::{
    access::has_feature,
    db::{self, Link},
};

/// Time between two checks of the link.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Failed checks in a row after which the download ends.
const MAX_FAILURES: u32 = 3;

/// Completes when the link is no longer active, or cannot be checked. It checks as long as it is polled.
pub(super) fn ended(cx: &Cx, visitor: &Visitor, link: &Link) -> BoxFuture<'static, ()> {
    let watch = Watch { cx: cx.clone(), visitor: visitor.clone(), link: link.clone() };
    watch.until_ended().boxed()
}

struct Watch {
    cx: Cx,
    visitor: Visitor,
    link: Link,
}

impl Watch {
    async fn until_ended(self) {
        let mut failures = 0;
        while failures < MAX_FAILURES {
            tokio::time::sleep(CHECK_INTERVAL).await;
            // Within the share of the request's caller, which has ended when its response is written.
            match Arc::clone(self.cx.connections()).run(self.is_active()).await {
                Ok(true) => failures = 0,
                Ok(false) => return,
                Err(error) => {
                    tracing::warn!(%error, "the link of a download cannot be checked");
                    failures += 1;
                }
            }
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
