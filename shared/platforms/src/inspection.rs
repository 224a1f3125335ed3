//! Inspection of tokens and of the platform's clock, for diagnosis (reference/connections.md#doctor).

use std::{cell::Cell, time::Duration};

use chrono::{DateTime, Utc};
use reqwest::header::{DATE, HeaderMap};

/// A token as its platform describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenInspection {
    /// Granted scopes; `None` where the platform does not report them.
    pub scopes: Option<Vec<String>>,
    /// Remaining lifetime; `None` where the platform does not report it.
    pub expires_in: Option<Duration>,
}

tokio::task_local! {
    static SERVER_TIME: Cell<Option<DateTime<Utc>>>;
}

/// Awaits calls to platforms. Returns with their output the time that the header `Date` of the last response stated;
/// `None` without a response.
pub async fn with_server_time<F: Future>(calls: F) -> (F::Output, Option<DateTime<Utc>>) {
    let observed = async {
        let output = calls.await;
        (output, SERVER_TIME.with(Cell::get))
    };
    SERVER_TIME.scope(Cell::new(None), observed).await
}

/// Records the time of a response for [`with_server_time`], if it is awaited there.
pub(super) fn observe(headers: &HeaderMap) {
    let stated = headers.get(DATE).and_then(|date| date.to_str().ok());
    let Some(at) = stated.and_then(|date| DateTime::parse_from_rfc2822(date.trim()).ok()) else { return };
    // Outside of such a call there is no place to record it.
    SERVER_TIME.try_with(|time| time.set(Some(at.to_utc()))).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn headers(date: &'static str) -> HeaderMap {
        [(DATE, HeaderValue::from_static(date))].into_iter().collect()
    }

    #[tokio::test]
    async fn with_server_time_is_that_of_the_last_response_within_the_call() {
        observe(&headers("Tue, 14 Nov 2023 22:13:20 GMT"));
        let (output, time) = with_server_time(async {
            observe(&headers("Tue, 14 Nov 2023 22:13:20 GMT"));
            observe(&headers("Tue, 14 Nov 2023 22:13:21 GMT"));
            observe(&headers("soon"));
            7
        })
        .await;
        assert_eq!((output, time.map(|at| at.timestamp())), (7, Some(1_700_000_001)));
        assert_eq!(with_server_time(async {}).await, ((), None));
    }
}
