//! Players, tracks, devices and playlists.

/// State of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybackState {
    /// True while it plays.
    pub is_playing: bool,
    /// Position in the item in milliseconds.
    pub progress_ms: Option<i64>,
    /// True when the tracks play in random order.
    pub shuffle: bool,
    /// Repetition.
    pub repeat: Repeat,
    /// Device that plays.
    pub device: Option<Device>,
    /// Track; `None` for an episode, an advertisement, and when there is nothing.
    pub item: Option<Track>,
}

/// Repetition of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Repeat {
    /// Nothing.
    #[default]
    Off,
    /// The track.
    Track,
    /// The playlist or album.
    Context,
}

/// Track of the catalogue, or a local file of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Track {
    /// Id of the track; `None` for a local file.
    pub id: Option<String>,
    /// Address of the form `spotify:track:{id}`, or `spotify:local:…`.
    pub uri: String,
    /// Title.
    pub name: String,
    /// Names of the artists.
    pub artists: Vec<String>,
    /// Name of the album.
    pub album: Option<String>,
    /// Address of the largest cover.
    pub image_url: Option<String>,
    /// Duration in milliseconds.
    pub duration_ms: i64,
    /// International Standard Recording Code.
    pub isrc: Option<String>,
    /// Address of the track's page.
    pub url: Option<String>,
}

/// Device that can play.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Device {
    /// Id; `None` for a device that cannot be addressed.
    pub id: Option<String>,
    /// Name.
    pub name: String,
    /// Kind of device as Spotify names it, for example `Computer`.
    pub kind: String,
    /// Volume, 0 to 100; `None` when it has none.
    pub volume_percent: Option<i64>,
    /// True for the device that plays.
    pub is_active: bool,
    /// True when it accepts no commands of applications.
    pub is_restricted: bool,
    /// True when its volume can be set.
    pub supports_volume: bool,
}

/// Playlist in the library of a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserPlaylist {
    /// Id.
    pub id: String,
    /// Address of the form `spotify:playlist:{id}`.
    pub uri: String,
    /// Name.
    pub name: String,
    /// Name of the owner.
    pub owner: Option<String>,
    /// Address of the largest picture.
    pub image_url: Option<String>,
    /// Address of the playlist's page.
    pub url: Option<String>,
    /// Number of entries.
    pub track_count: i64,
}

impl Repeat {
    /// Text of Spotify.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Track => "track",
            Self::Context => "context",
        }
    }
}
