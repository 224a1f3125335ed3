//! Bodies of the pages of the public directories, by platform (reference/platforms.md#public-directories).

use shared::platform::Platform;

use crate::{DirectoryPage, ListedStream, Result, kick, trovo, twitch, youtube};

/// Reads the body of a page of live streams; on YouTube that of videos.
///
/// # Errors
/// [`crate::PlatformError::InvalidResponse`] for a body that has not the documented form as a whole.
pub fn read_streams(platform: Platform, body: &[u8]) -> Result<DirectoryPage<ListedStream>> {
    match platform {
        Platform::Twitch => twitch::read_streams(body),
        Platform::Kick => kick::read_streams(body),
        Platform::Trovo => trovo::read_streams(body),
        _ => youtube::read_streams(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directory::{MAX_COUNT, MAX_POSITION_LENGTH};

    fn read(platform: Platform, body: &str) -> DirectoryPage<ListedStream> {
        read_streams(platform, body.as_bytes()).expect("a page")
    }

    #[test]
    fn read_streams_drops_rows_without_the_documented_form_and_keeps_the_others() {
        let long = "1".repeat(5_000);
        let twitch = format!(
            r#"{{"data":[7,null,{{"id":1}},{{"id":"1","user_id":5}},{{"id":"1","user_id":"a\u0000"}},
                {{"id":"1","user_id":"{long}"}},{{"id":"1","user_id":"7","viewer_count":1e400}},
                {{"id":"a\u0000","user_id":"42","viewer_count":9000000000000000000,
                  "started_at":"+200000-01-01T00:00:00Z"}}],"pagination":{{"cursor":"next"}}}}"#
        );
        let page = read(Platform::Twitch, &twitch);
        let ids: Vec<&str> = page.items.iter().map(|stream| stream.channel_id.as_str()).collect();
        assert_eq!((ids, page.next.as_deref()), (vec!["42"], Some("next")));
        let stream = &page.items[0];
        assert_eq!((&stream.broadcast_id, stream.started_at), (&None, None));
        assert_eq!(stream.viewer_count, Some(MAX_COUNT));

        let kick = r#"{"data":[{"broadcaster_user":{"id":"x"}},{"broadcaster_user":{"id":8},"category":[]},
            {"broadcaster_user":{"id":9},"viewer_count":-4}],"pagination":{"next_cursor":""}}"#;
        let page = read(Platform::Kick, kick);
        assert_eq!((page.items.len(), page.items[0].viewer_count, page.next), (1, Some(0), None));

        let trovo = r#"{"top_channels_lists":[{"channel_id":null},{"channel_id":"1\u0000"},{"channel_id":"11",
            "stream_started_at":"8000000000000"}],"total_page":2,"cursor":1,"token":"t"}"#;
        let page = read(Platform::Trovo, trovo);
        assert_eq!((page.items.len(), page.items[0].started_at), (1, None));
        assert_eq!(page.next.as_deref(), Some("1:t"));

        let youtube = r#"{"items":[{"id":"v","snippet":{"channelId":"UC1","liveBroadcastContent":"live"}},
            {"id":"v","snippet":{"channelId":"UCaaaaaaaaaaaaaaaaaaaaaa","liveBroadcastContent":"live"}}]}"#;
        assert_eq!(read(Platform::Youtube, youtube).items.len(), 1);
    }

    #[test]
    fn read_streams_ends_at_a_page_without_rows_and_at_a_position_that_is_too_long() {
        let long = "c".repeat(MAX_POSITION_LENGTH + 1);
        for (data, cursor) in [("[]", "next"), (r#"[{"id":"1","user_id":"42"}]"#, long.as_str())] {
            let body = format!(r#"{{"data":{data},"pagination":{{"cursor":"{cursor}"}}}}"#);
            assert_eq!(read(Platform::Twitch, &body).next, None);
        }
        let malformed = r#"{"data":[5],"pagination":{"cursor":"next"}}"#;
        assert_eq!(read(Platform::Twitch, malformed).next.as_deref(), Some("next"), "others follow");
        assert!(read_streams(Platform::Twitch, b"{\"data\":5}").is_err());
    }
}
