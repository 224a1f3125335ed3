//! Limits on requests in fixed windows (reference/limits.md#rate-limits).

use api_core::{
    Cx, Timestamp,
    graphql::Int64,
    http::{Present, Tier, WINDOW_SECS, rate_key, rate_key_of},
    limits::{Holder, windows},
};
use chrono::DateTime;
use futures::future::join_all;
use shared::id::{AccountId, UserId};

use super::{PresentLimit, PresentLimitScope, PresentLimitSource};

/// Tiers that count by the address of a request, whatever its credential.
const OF_ADDRESSES: [Tier; 3] = [Tier::Anonymous, Tier::AuthExchange, Tier::UnknownCredential];

/// One count.
struct Window {
    name: &'static str,
    scope: PresentLimitScope,
    holder: String,
    limit: u32,
    seconds: i64,
    source: PresentLimitSource,
}

/// Tiers of the credential and its address, and limits of single operations.
pub(super) async fn present(
    cx: &Cx,
    account: Option<AccountId>,
    person: Option<UserId>,
) -> Vec<PresentLimit> {
    let address = rate_key(cx.request().ip);
    let mut all: Vec<Window> = Tier::of(cx.principal())
        .map(|tier| {
            tier_of(cx, tier, PresentLimitScope::Credential, rate_key_of(cx.principal(), cx.request().ip))
        })
        .into_iter()
        .collect();
    all.extend(OF_ADDRESSES.map(|tier| tier_of(cx, tier, PresentLimitScope::Address, address.clone())));
    for window in windows() {
        let holder = match window.holder {
            Holder::Credential => Some(rate_key_of(cx.principal(), cx.request().ip)),
            Holder::Account => account.map(|account| account.to_string()),
            Holder::Person => person.map(|person| person.to_string()),
            Holder::Address => Some(address.clone()),
        };
        all.extend(holder.map(|holder| Window {
            name: window.name,
            scope: window.holder.into(),
            holder,
            limit: window.limit,
            seconds: window.seconds,
            source: PresentLimitSource::Constant,
        }));
    }
    let limiter = &cx.state().limiter;
    join_all(all.into_iter().map(|window| async move {
        let present = limiter.present(window.name, &window.holder, window.seconds).await;
        window.shown(present)
    }))
    .await
}

fn tier_of(cx: &Cx, tier: Tier, scope: PresentLimitScope, holder: String) -> Window {
    Window {
        name: tier.as_str(),
        scope,
        holder,
        limit: tier.limit(&cx.state().config.rate_limits),
        seconds: WINDOW_SECS,
        source: PresentLimitSource::Configuration,
    }
}

impl Window {
    fn shown(self, present: Present) -> PresentLimit {
        let used = i64::try_from(present.used).unwrap_or(i64::MAX);
        let remaining = i64::from(self.limit).saturating_sub(used).max(0);
        PresentLimit {
            name: self.name.to_owned(),
            scope: self.scope,
            limit: Int64(self.limit.into()),
            unit: "requests".to_owned(),
            window_secs: i32::try_from(self.seconds).ok(),
            used: Some(Int64(used)),
            remaining: Some(Int64(remaining)),
            resets_at: DateTime::from_timestamp(present.ends, 0).map(Timestamp::from),
            source: self.source,
        }
    }
}
