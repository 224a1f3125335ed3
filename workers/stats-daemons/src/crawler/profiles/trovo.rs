//! Profiles of Trovo: description, links and followers. Panels have no documented interface.

use async_trait::async_trait;
use shared::Result;

use super::{Profile, ProfileSource, Profiles, claims::Claims};
use crate::crawler::calls::NoAnswer;

/// Channels of a batch, with a call for each.
const BATCH_SIZE: usize = 20;

pub(super) struct Source;

#[async_trait]
impl ProfileSource for Source {
    fn batch_size(&self) -> usize {
        BATCH_SIZE
    }

    async fn read(&self, claims: &Claims<'_>, channels: &[String]) -> Result<Profiles, NoAnswer> {
        let (client, mut profiles) = (claims.crawler().context.platforms.trovo(), Profiles::default());
        for (number, id) in channels.iter().enumerate() {
            let details =
                claims.about(id, |access| async move { client.channel_details(&access.client_id, id).await });
            match details.await {
                Ok(found) => profiles.read.extend(found.flatten().map(|details| {
                    let channel = details.channel;
                    let profile = Profile {
                        bio: channel.bio.clone(),
                        links: channel.links.clone(),
                        ..Profile::default()
                    };
                    (channel, profile)
                })),
                Err(NoAnswer::Refused(_)) => {}
                Err(NoAnswer::Failed(error)) => return Err(error.into()),
                Err(_later) => {
                    profiles.unread.extend(channels.iter().skip(number).cloned());
                    break;
                }
            }
        }
        Ok(profiles)
    }
}
