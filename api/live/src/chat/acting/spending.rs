//! What calls cost of YouTube's daily quota, the only one that counts calls (specification D §3).

use std::time::Duration;

use api_core::{Cx, Result};
use shared::{
    connections::quota::{Reserved, Share, Wish, reserve},
    platforms::Platform,
};

use super::{Acting, Obstacle, db::Channel};

/// An application that tokens were issued to.
#[derive(Debug, Clone, Default)]
pub(super) struct Application {
    /// None when the tokens were set by hand.
    pub client_id: Option<String>,
    /// Whether it is the account's own: then nobody else needs its quota.
    pub is_own: bool,
}

impl Application {
    pub fn of_channel(channel: &Channel) -> Self {
        Self { client_id: channel.client_id.clone(), is_own: channel.has_own_app }
    }
}

impl Acting {
    /// Spends units for a call that is about to be made. The account's own application is only counted; of one that
    /// accounts share, no account spends more than its share, and what the daemons must leave is for people.
    pub(super) async fn spend(
        &self,
        cx: &Cx,
        application: &Application,
        units: i64,
    ) -> Result<Result<(), Obstacle>> {
        let (state, now) = (cx.state(), cx.state().clock.now());
        let Some(client_id) = application.client_id.as_deref().filter(|_| self.platform == Platform::Youtube)
        else {
            return Ok(Ok(()));
        };
        let config = &state.config.ingest;
        let share = Share { account: self.account, percent: config.youtube_share_percent };
        let wish = Wish {
            platform: self.platform,
            client_id,
            units,
            budget: if application.is_own { i64::MAX } else { whole_quota(config.youtube_quota_per_day) },
            share: (!application.is_own).then_some(share),
        };
        let (is_share, until) = match reserve(&mut *state.databases.postgres.get().await?, &wish, now).await?
        {
            Reserved::Granted { .. } => return Ok(Ok(())),
            Reserved::Exhausted { until } => (false, until),
            Reserved::ShareExhausted { until } => (true, until),
        };
        let retry_after = (until - now).to_std().unwrap_or(Duration::from_secs(1));
        Ok(Err(Obstacle::QuotaSpent { is_share, retry_after }))
    }
}

/// The daemons leave a tenth of an application's quota: 1,000 of YouTube's usual 10,000 units.
fn whole_quota(of_daemons: u32) -> i64 {
    i64::from(of_daemons) * 10 / 9
}
