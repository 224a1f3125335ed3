//! Rate limits of a developer (reference/developers.md#rates).

use api_core::{
    Cx,
    access::Developer,
    limits::{Holder, WindowLimit},
};

use crate::envelope::Result;

/// A rate limit of the developer API.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rate {
    Get,
    CreateExtension,
    CreateVersion,
    Delete,
}

impl Rate {
    /// Name, requests, window in seconds.
    const fn figures(self) -> (&'static str, u32, i64) {
        match self {
            Self::Get => ("developer_get", 120, 60),
            Self::CreateExtension => ("developer_create_extension", 10, 3600),
            Self::CreateVersion => ("developer_create_version", 30, 3600),
            Self::Delete => ("developer_delete", 30, 60),
        }
    }

    const fn listed(self) -> WindowLimit {
        let (name, limit, seconds) = self.figures();
        WindowLimit { name, limit, seconds, holder: Holder::Person }
    }

    /// Counts a request of a developer, whichever key it came with.
    ///
    /// # Errors
    /// 429 `rate_limited` with `Retry-After`.
    pub(super) async fn count(self, cx: &Cx, developer: &Developer) -> Result<()> {
        let (name, limit, seconds) = self.figures();
        let verdict = cx.state().limiter.count(name, &developer.user.to_string(), limit, seconds).await;
        verdict.refusal().map_or(Ok(()), |refusal| Err(refusal.into()))
    }
}

api_core::limits::submit! { Rate::Get.listed() }
api_core::limits::submit! { Rate::CreateExtension.listed() }
api_core::limits::submit! { Rate::CreateVersion.listed() }
api_core::limits::submit! { Rate::Delete.listed() }
