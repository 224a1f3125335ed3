//! Which of YouTube's chats is meant.

use api_core::{Cx, Result};
use shared::{
    connections::quota::youtube::LIST_BROADCASTS,
    platforms::{
        Platform,
        youtube::{Broadcast, BroadcastStatus},
    },
    tokens::Holder,
};

use super::{Acting, Obstacle, db, without_token};

impl Acting {
    /// What the platform's chat calls name: the channel, and on YouTube the chat that was given, when it is of one of
    /// the channel's broadcasts, else that of the active one.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn chat_id(&self, cx: &Cx, given: Option<&str>) -> Result<Result<String, Obstacle>> {
        if self.platform != Platform::Youtube {
            return Ok(Ok(self.channel_id.clone()));
        }
        let now = cx.state().clock.now();
        let mut connection = cx.state().databases.postgres.get().await?;
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
            // Another channel's chat would be within the reach of whoever moderates there too.
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

    /// Asks in the name of the channel, whoever acts in it.
    async fn broadcasts(&self, cx: &Cx) -> Result<Result<Vec<Broadcast>, Obstacle>> {
        if let Err(obstacle) = self.spend(cx, &self.channel_application, LIST_BROADCASTS).await? {
            return Ok(Err(obstacle));
        }
        let (youtube, holder) = (cx.state().platforms.youtube(), Holder::Channel(self.connection_id));
        let asked =
            cx.state().tokens.call(holder, |access| async move { youtube.broadcasts(&access.token).await });
        Ok(match asked.await {
            Ok(broadcasts) => Ok(broadcasts),
            Err(unavailable) => Err(without_token(self.platform, holder, unavailable)?),
        })
    }
}
