//! Profiles of Twitch: description, kind of broadcaster, followers and teams. Links and panels have no
//! documented interface.

use async_trait::async_trait;
use platforms::ListedChannel;
use shared::Result;

use super::{Profile, ProfileSource, Profiles};
use crate::crawler::{PlatformCrawler, budget::Priority, calls::NoAnswer};

/// Channels of a batch: one call for all, and two for each.
const BATCH_SIZE: usize = 20;

pub(super) struct Source;

#[async_trait]
impl ProfileSource for Source {
    fn batch_size(&self) -> usize {
        BATCH_SIZE
    }

    async fn read(&self, crawler: &PlatformCrawler, channels: &[String]) -> Result<Profiles, NoAnswer> {
        let ids: Vec<&str> = channels.iter().map(String::as_str).collect();
        let (client, ids) = (crawler.context.platforms.twitch(), ids.as_slice());
        let listed = crawler.calls.call(Priority::Background, |access| async move {
            client.listed_channels(&access.client_id, &access.token, ids, &[]).await
        });
        let mut profiles = Profiles::default();
        let mut is_spent = false;
        for channel in listed.await? {
            if is_spent {
                profiles.unread.push(channel.id);
                continue;
            }
            match read_one(crawler, &channel).await {
                Ok((followers, teams)) => {
                    let profile = Profile { bio: channel.bio.clone(), teams, ..Profile::default() };
                    profiles.read.push((ListedChannel { followers, ..channel }, profile));
                }
                Err(NoAnswer::Failed(error)) => return Err(error.into()),
                Err(_later) => {
                    is_spent = true;
                    profiles.unread.push(channel.id);
                }
            }
        }
        Ok(profiles)
    }
}

/// Followers and teams. A part that Twitch refuses stays unknown.
async fn read_one(
    crawler: &PlatformCrawler,
    channel: &ListedChannel,
) -> Result<(Option<i64>, Option<Vec<String>>), NoAnswer> {
    let (client, id) = (crawler.context.platforms.twitch(), channel.id.as_str());
    let followers = crawler.calls.call(Priority::Background, |access| async move {
        client.follower_count(&access.client_id, &access.token, id).await
    });
    let followers = unless_refused(followers.await)?;
    let teams = crawler.calls.call(Priority::Background, |access| async move {
        client.teams(&access.client_id, &access.token, id).await
    });
    Ok((followers, unless_refused(teams.await)?))
}

fn unless_refused<T>(answer: Result<T, NoAnswer>) -> Result<Option<T>, NoAnswer> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(NoAnswer::Refused(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
