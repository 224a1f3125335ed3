//! Choice of the chat on YouTube.

use api_core::{Cx, Result, access::SystemReason};
use connection_model::quota::youtube::LIST_BROADCASTS;
use platform_access::PlatformAccess as _;
use platform_credentials::tokens::Holder;
use platforms::youtube::{Broadcast, BroadcastStatus};
use shared::platform::Platform;

use super::{Acting, Obstacle, db, without_token};

impl Acting {
    /// Target of the platform's chat calls: the channel. On YouTube it is the given chat, when it belongs to
    /// a broadcast of the channel, else the chat of the active broadcast.
    ///
    /// # Errors
    /// An error when the database fails.
    pub async fn chat_id(&self, cx: &Cx, given: Option<&str>) -> Result<Result<String, Obstacle>> {
        if self.platform != Platform::Youtube {
            return Ok(Ok(self.channel_id.clone()));
        }
        let now = cx.state().clock.now();
        let mut connection = cx.state().system(SystemReason::ChannelCall).db().await?;
        let known = match given {
            Some(given) => {
                let is_own = db::is_live_chat_of(&mut connection, self.connection_id, given).await?;
                is_own.then(|| given.to_owned())
            }
            None => db::live_chat(&mut connection, self.connection_id, now).await?,
        };
        drop(connection);
        if let Some(known) = known {
            return Ok(Ok(known));
        }
        let broadcasts = match self.broadcasts(cx).await? {
            Ok(broadcasts) => broadcasts.into_iter(),
            Err(obstacle) => return Ok(Err(obstacle)),
        };
        Ok(match given {
            // A chat of another channel would be accessible to an identity that also moderates there.
            Some(given) => {
                let mut chats = broadcasts.filter_map(|found| found.live_chat_id);
                chats.find(|chat| chat == given).ok_or(Obstacle::UnknownChat)
            }
            None => {
                let mut live = broadcasts.filter(|found| found.status == BroadcastStatus::Live);
                live.find_map(|found| found.live_chat_id).ok_or(Obstacle::NotLive)
            }
        })
    }

    /// Reads the broadcasts in the name of the channel, independent of the acting identity.
    async fn broadcasts(&self, cx: &Cx) -> Result<Result<Vec<Broadcast>, Obstacle>> {
        if let Err(obstacle) = self.spend(cx, &self.channel_application, LIST_BROADCASTS).await? {
            return Ok(Err(obstacle));
        }
        let (youtube, holder) = (cx.state().platforms().youtube(), Holder::Channel(self.connection_id));
        let asked =
            cx.state().tokens().call(holder, |access| async move { youtube.broadcasts(&access.token).await });
        Ok(match asked.await {
            Ok(broadcasts) => Ok(broadcasts),
            Err(unavailable) => Err(without_token(self.platform, holder, unavailable)?),
        })
    }
}
