//! Profiles of Kick: the description. Followers, links and panels have no documented interface.

use async_trait::async_trait;
use platforms::kick::MAX_LISTED;
use shared::Result;

use super::{Profile, ProfileSource, Profiles, claims::Claims};
use crate::crawler::calls::NoAnswer;

pub(super) struct Source;

#[async_trait]
impl ProfileSource for Source {
    fn batch_size(&self) -> usize {
        MAX_LISTED
    }

    async fn read(&self, claims: &Claims<'_>, channels: &[String]) -> Result<Profiles, NoAnswer> {
        let ids: Vec<&str> = channels.iter().map(String::as_str).collect();
        let client = claims.crawler().context.platforms.kick();
        let listed = claims
            .batch(&ids, |access, shown| async move { client.listed_channels(&access.token, &shown).await });
        let listed = listed.await?;
        let read = listed.rows.into_iter().map(|channel| {
            let profile = Profile { bio: channel.bio.clone(), ..Profile::default() };
            (channel, profile)
        });
        Ok(Profiles { read: read.collect(), unread: listed.left.into_iter().map(str::to_owned).collect() })
    }
}
