//! Platforms with public statistics (reference/public-stats.md#operations).

use api_core::{ApiError, Result};
use juniper::GraphQLEnum;
use serde::Deserialize;
use shared::platform::Platform;
use utoipa::ToSchema;

/// Platforms with public statistics.
pub(crate) const PLATFORMS: [Platform; 4] =
    [Platform::Twitch, Platform::Youtube, Platform::Kick, Platform::Trovo];

/// Platform of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PublicStatsPlatform {
    /// Twitch.
    Twitch,
    /// YouTube.
    Youtube,
    /// Kick.
    Kick,
    /// Trovo.
    Trovo,
}

impl From<PublicStatsPlatform> for Platform {
    fn from(platform: PublicStatsPlatform) -> Self {
        match platform {
            PublicStatsPlatform::Twitch => Self::Twitch,
            PublicStatsPlatform::Youtube => Self::Youtube,
            PublicStatsPlatform::Kick => Self::Kick,
            PublicStatsPlatform::Trovo => Self::Trovo,
        }
    }
}

/// Parses a platform with public statistics.
///
/// # Errors
/// 400 that names these platforms.
pub(crate) fn supported(field: &str, text: &str) -> Result<Platform> {
    let known = text.parse().ok().filter(|platform| PLATFORMS.contains(platform));
    known.ok_or_else(|| {
        let slugs = PLATFORMS.map(Platform::slug).join(", ");
        ApiError::invalid(format!("{field} must be one of {slugs}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_platforms_have_public_statistics() {
        for platform in PLATFORMS {
            assert_eq!(supported("platform", platform.slug()), Ok(platform));
        }
        for other in ["", "discord", "spotify", "Twitch", "twitch ", "myspace"] {
            let refusal = supported("platform", other).unwrap_err();
            assert_eq!(refusal.message, "platform must be one of twitch, youtube, kick, trovo", "{other}");
        }
    }
}
