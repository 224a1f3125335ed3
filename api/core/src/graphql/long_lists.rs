//! Long lists without pages, which an answer of GraphQL holds in memory until it is sent
//! (reference/limits.md#concurrent-work-of-a-process).

use std::time::Duration;

use crate::{
    Cx, Result,
    http::{SharedPermits, rate_key_of},
};

/// Requests of a process whose answers hold long lists.
const MAX_REQUESTS: usize = 4;
/// Requests of one person, key or address whose answers hold long lists.
const MAX_REQUESTS_PER_CALLER: usize = 2;
/// Longest wait for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Permits of this process.
struct LongLists(SharedPermits<String>);

impl Cx {
    /// Waits until the answer may hold a long list. The first list of a request takes a permit for all of its lists,
    /// which the request keeps until its answer is made. Call it before the list is read.
    ///
    /// # Errors
    /// 429 when other answers hold long lists for too long.
    pub async fn admit_long_list(&self) -> Result<()> {
        let new = || SharedPermits::new(MAX_REQUESTS, MAX_REQUESTS_PER_CALLER);
        let lists = self.state().component(|_| LongLists(new()));
        let caller = rate_key_of(self.principal(), self.request().ip);
        let acquire = || async {
            let permit = lists.0.acquire(caller, PERMIT_TIMEOUT).await;
            permit.ok_or(shared::Error::Busy)
        };
        self.long_list_permit().get_or_try_init(acquire).await?;
        Ok(())
    }
}
