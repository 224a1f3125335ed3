//! Profiles of Twitch: description, kind of broadcaster, followers and teams. Links and panels have no
//! documented interface.

use async_trait::async_trait;
use platforms::ListedChannel;
use shared::Result;

use super::{Profile, ProfileSource, Profiles, claims::Claims};
use crate::crawler::calls::NoAnswer;

/// Channels of a batch: one call for all, and two for each.
const BATCH_SIZE: usize = 20;

pub(super) struct Source;

#[async_trait]
impl ProfileSource for Source {
    fn batch_size(&self) -> usize {
        BATCH_SIZE
    }

    async fn read(&self, claims: &Claims<'_>, channels: &[String]) -> Result<Profiles, NoAnswer> {
        let ids: Vec<&str> = channels.iter().map(String::as_str).collect();
        let client = claims.crawler().context.platforms.twitch();
        let listed = claims.batch(&ids, |access, shown| async move {
            client.listed_channels(&access.client_id, &access.token, &shown, &[]).await
        });
        let listed = listed.await?;
        let unread = listed.left.into_iter().map(str::to_owned).collect();
        let mut profiles = Profiles { read: Vec::new(), unread };
        let mut is_spent = false;
        for channel in listed.rows {
            if is_spent {
                profiles.unread.push(channel.id);
                continue;
            }
            match read_one(claims, &channel).await {
                Ok(Some((followers, teams))) => {
                    let profile = Profile { bio: channel.bio.clone(), teams, ..Profile::default() };
                    profiles.read.push((ListedChannel { followers, ..channel }, profile));
                }
                Ok(None) => {}
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

/// Followers and teams.
type Parts = (Option<i64>, Option<Vec<String>>);

/// Followers and teams; `None` when the channel was opted out, or is no longer this copy's. A part that Twitch refuses
/// stays unknown.
async fn read_one(claims: &Claims<'_>, channel: &ListedChannel) -> Result<Option<Parts>, NoAnswer> {
    let (client, id) = (claims.crawler().context.platforms.twitch(), channel.id.as_str());
    let followers = claims
        .about(id, |access| async move { client.follower_count(&access.client_id, &access.token, id).await });
    let Some(followers) = unless_refused(followers.await)? else { return Ok(None) };
    let teams =
        claims.about(id, |access| async move { client.teams(&access.client_id, &access.token, id).await });
    Ok(unless_refused(teams.await)?.map(|teams| (followers, teams)))
}

/// Part that was reported; `None` when no call was made.
fn unless_refused<T>(answer: Result<Option<T>, NoAnswer>) -> Result<Option<Option<T>>, NoAnswer> {
    match answer {
        Ok(answer) => Ok(answer.map(Some)),
        Err(NoAnswer::Refused(_)) => Ok(Some(None)),
        Err(error) => Err(error),
    }
}
