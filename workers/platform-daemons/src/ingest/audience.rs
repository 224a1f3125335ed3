//! Accounts that a delivery concerns, read once for the deliveries of a batch.

use foundation::db::Database;
use shared::{Result, platform::Platform};

use super::{
    accounts::{self, Listening},
    inbox::Delivery,
};

/// Accounts that have connected a channel.
pub(super) struct Audience {
    platform: Platform,
    channel_id: String,
    accounts: Vec<Listening>,
}

/// Returns the accounts that have connected a channel: the known ones, or those in the database.
pub(super) async fn audience<'a>(
    postgres: &Database,
    delivery: &Delivery,
    platform: Platform,
    channel_id: &str,
    known: &'a mut Option<Audience>,
) -> Result<&'a [Listening]> {
    let is_known =
        known.as_ref().is_some_and(|known| known.platform == platform && known.channel_id == channel_id);
    if !is_known {
        let accounts = match delivery.listening_to(channel_id) {
            Some(accounts) => accounts.to_vec(),
            None => accounts::listening(&mut *postgres.get().await?, platform.slug(), channel_id).await?,
        };
        *known = Some(Audience { platform, channel_id: channel_id.to_owned(), accounts });
    }
    Ok(known.as_ref().map(|known| known.accounts.as_slice()).unwrap_or_default())
}
