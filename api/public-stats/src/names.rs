//! Channels by the names of paths: the platform's id or the login (reference/public-stats.md#channels).

use api_core::{ApiError, Result, Timestamp};
use diesel::{
    OptionalExtension, QueryableByName, sql_query,
    sql_types::{Array, Nullable, Text, Timestamptz},
};
use foundation::db::{Prepare, Reader, column};
use shared::platform::Platform;

use crate::platforms::PLATFORMS;

/// Length of an id or login, in characters.
pub(crate) const MAX_NAME_LENGTH: usize = 128;

/// Channel that is shown.
#[derive(Debug, QueryableByName)]
pub(crate) struct Channel {
    #[diesel(sql_type = Text)]
    pub platform_channel_id: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub display_name: Option<String>,
    #[diesel(sql_type = Text)]
    pub source: String,
    #[diesel(sql_type = Nullable<Text>)]
    pub broadcaster_type: Option<String>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub last_streamed_at: Option<Timestamp>,
}

/// A former login may be that of another channel too: the id goes first, then the profile read last.
const FIND: &str = "
    SELECT platform_channel_id, display_name, source, broadcaster_type, last_streamed_at
    FROM (SELECT 0 AS place, by_id.* FROM public_channels AS by_id
          WHERE by_id.platform = $1 AND by_id.platform_channel_id = $2
          UNION ALL
          SELECT 1 AS place, by_login.* FROM public_channels AS by_login
          WHERE by_login.platform = $1 AND lower(by_login.login) = lower($2)) AS named
    WHERE NOT is_hidden
    ORDER BY place, profile_at DESC NULLS LAST, platform_channel_id LIMIT 1";

/// As [`FIND`], one channel of each platform.
const FIND_EACH: &str = "
    SELECT DISTINCT ON (platform) platform, platform_channel_id
    FROM (SELECT 0 AS place, by_id.* FROM public_channels AS by_id
          WHERE by_id.platform = ANY ($1) AND by_id.platform_channel_id = $2
          UNION ALL
          SELECT 1 AS place, by_login.* FROM public_channels AS by_login
          WHERE by_login.platform = ANY ($1) AND lower(by_login.login) = lower($2)) AS named
    WHERE NOT is_hidden
    ORDER BY platform, place, profile_at DESC NULLS LAST, platform_channel_id LIMIT 4";

#[derive(QueryableByName)]
struct Key {
    #[diesel(sql_type = Text)]
    platform: String,
    #[diesel(sql_type = Text)]
    platform_channel_id: String,
}

/// Finds a channel by its id or login; the login in any case. A hidden channel is not found.
///
/// # Errors
/// 404 when there is none, or the text cannot be a name. A failure of the database.
pub(crate) async fn channel(reader: &mut Reader<'_>, platform: Platform, name: &str) -> Result<Channel> {
    find(reader, platform, name).await?.ok_or_else(channel_not_found)
}

/// Like [`channel`]; `None` when there is none.
///
/// # Errors
/// A failure of the database.
pub(crate) async fn find(reader: &mut Reader<'_>, platform: Platform, name: &str) -> Result<Option<Channel>> {
    if !is_name(name) {
        return Ok(None);
    }
    let query = sql_query(FIND).bind::<Text, _>(platform.slug()).bind::<Text, _>(name).prepared();
    Ok(reader.row(query).await.optional()?)
}

/// Like [`channel`], without a platform one of each. Returns platforms and ids.
///
/// # Errors
/// 404 when there is none. A failure of the database.
pub(crate) async fn channels(
    reader: &mut Reader<'_>,
    platform: Option<Platform>,
    name: &str,
) -> Result<Vec<(String, String)>> {
    if !is_name(name) {
        return Err(channel_not_found());
    }
    let platforms = platform.map_or_else(|| PLATFORMS.to_vec(), |platform| vec![platform]);
    let query = sql_query(FIND_EACH)
        .bind::<Array<Text>, _>(column(platforms, Platform::slug))
        .bind::<Text, _>(name)
        .prepared();
    let found: Vec<Key> = reader.rows(query).await?;
    if found.is_empty() {
        return Err(channel_not_found());
    }
    Ok(column(found, |key| (key.platform, key.platform_channel_id)))
}

/// True for a text that the database can compare with an id or a login.
pub(crate) fn is_name(text: &str) -> bool {
    let length = text.chars().count();
    (1..=MAX_NAME_LENGTH).contains(&length) && !text.chars().any(char::is_control)
}

/// 404 for a channel that is unknown or hidden.
pub(crate) fn channel_not_found() -> ApiError {
    ApiError::not_found("Channel not found")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_name_refuses_texts_that_no_channel_has() {
        for name in ["12345", "some_login", "UC0123456789012345678901", "@käse", "a/b", "%", "'; --"] {
            assert!(is_name(name), "{name}");
        }
        for other in ["", "a\0b", "a\nb", &"x".repeat(MAX_NAME_LENGTH + 1)] {
            assert!(!is_name(other), "{other:?}");
        }
    }
}
