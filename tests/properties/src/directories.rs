//! Pages of live channels in the public directories of the platforms.

use platforms::{ListedStream, is_channel_id, read_streams};
use shared::platform::Platform;

const PLATFORMS: [Platform; 4] = [Platform::Twitch, Platform::Kick, Platform::Trovo, Platform::Youtube];

/// Longest position that is stored and sent back.
const MAX_POSITION_LENGTH: usize = 4_000;
/// Longest id that an index of the database takes with the others of its row.
const MAX_ID_LENGTH: usize = 100;

/// The first byte selects the platform; the rest is the body.
pub fn check(input: &[u8]) {
    let Some((&choice, body)) = input.split_first() else { return };
    let platform = PLATFORMS[usize::from(choice) % PLATFORMS.len()];
    let page = read_streams(platform, body);
    assert_eq!(read_streams(platform, body), page, "the same body means the same");
    let Ok(page) = page else { return };
    page.items.iter().for_each(|stream| is_storable(platform, stream));
    if let Some(position) = page.next {
        assert!((1..=MAX_POSITION_LENGTH).contains(&position.len()), "{} bytes", position.len());
    }
}

fn is_storable(platform: Platform, stream: &ListedStream) {
    assert!(is_channel_id(platform, &stream.channel_id), "{stream:?}");
    for id in [Some(&stream.channel_id), stream.broadcast_id.as_ref(), stream.game_id.as_ref()]
        .into_iter()
        .flatten()
    {
        assert!((1..=MAX_ID_LENGTH).contains(&id.len()) && !id.contains(char::is_control), "{stream:?}");
    }
    for count in [stream.viewer_count, stream.followers].into_iter().flatten() {
        // Multiplied by the seconds of an hour and added up over a page, it is far from an overflow.
        assert!((0..=1_000_000_000).contains(&count), "{stream:?}");
    }
    if let Some(at) = stream.started_at {
        assert!((0..=4_102_444_800).contains(&at.timestamp()), "{stream:?}");
    }
}
