//! Cost of calls in YouTube's daily quota, the only one that counts calls (reference/platforms.md#quota).

use std::time::Duration;

use api_core::{Cx, Result, access::SystemReason};
use connection_model::quota::{QuotaRequest, Reserved, Share, reserve};
use shared::platform::Platform;

use super::{Acting, Obstacle, db::Channel};

/// Application that issued tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Application {
    /// Client id; `None` when the tokens were set by hand.
    pub client_id: Option<String>,
    /// True when it belongs to the account: no other account needs its quota then.
    pub is_own: bool,
}

impl Application {
    /// Application of a channel's tokens.
    pub fn of_channel(channel: &Channel) -> Self {
        Self { client_id: channel.client_id.clone(), is_own: channel.has_own_app }
    }
}

impl Acting {
    /// Spends units before a call. The account's own application is only counted. Of a shared application no
    /// account spends more than its share, and the part that the daemons leave is for people.
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
        let request = QuotaRequest {
            platform: self.platform,
            client_id,
            units,
            budget: if application.is_own { i64::MAX } else { whole_quota(config.youtube_quota_per_day) },
            share: (!application.is_own).then_some(share),
        };
        let (is_share, until) =
            match reserve(&mut *state.system(SystemReason::ChannelCall).db().await?, &request, now).await? {
                Reserved::Granted { .. } => return Ok(Ok(())),
                Reserved::Exhausted { until } => (false, until),
                Reserved::ShareExhausted { until } => (true, until),
            };
        let retry_after = (until - now).to_std().unwrap_or(Duration::from_secs(1));
        Ok(Err(Obstacle::QuotaSpent { is_share, retry_after }))
    }
}

/// Whole quota of an application. The daemons leave a tenth of it: 1,000 of YouTube's usual 10,000 units.
fn whole_quota(of_daemons: u32) -> i64 {
    i64::from(of_daemons) * 10 / 9
}
