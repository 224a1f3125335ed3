//! Status of the account's broadcasts (reference/connections.md#channel-status). Platforms push it or are
//! polled; the latest known status is stored.

use api_core::{
    Cx, Operation, Result,
    access::{AccountCaller, Grants, account_features},
};
use shared::{catalogue::AccountPermission, connection::ConnectionKind};

use super::broadcasts::{self, ChannelStatus};

pub static CHANNEL_STATUS: Operation<AccountCaller> = Operation::account_any(
    "channelStatus",
    &[AccountPermission::ConnectionsRead, AccountPermission::SpotifyRead],
    Grants::Nothing,
)
.polled();

/// Lists the broadcasts of the account's channels.
///
/// There is one row for each broadcast, and one for each channel without any. Channels of a platform that is
/// switched off are left out.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn channel_status(cx: &Cx) -> Result<Vec<ChannelStatus>> {
    let caller = cx.authorize(&CHANNEL_STATUS).await?;
    let features = account_features(cx.state(), caller.account).await?;
    let mut statuses = broadcasts::list(&mut *caller.db().await?, caller.account).await?;
    statuses.retain(|status| features.platform_allows(&status.platform, ConnectionKind::Channel.as_str()));
    Ok(statuses)
}
