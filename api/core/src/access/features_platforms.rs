//! Switches of platforms: `platform:{x}` and below it one for each use
//! (reference/features.md#platform-switches).

use super::{AccountFeatures, Cx, account_features, global_features};
use crate::{ApiError, Code, Result};

/// Use of a platform that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PlatformUse {
    /// Signing in with the platform.
    Login,
    /// Connecting a channel of the platform.
    Channel,
    /// Running a bot on the platform.
    Bot,
}

impl PlatformUse {
    /// Every use.
    pub const ALL: [Self; 3] = [Self::Login, Self::Channel, Self::Bot];

    /// Last part of the flag's key.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Channel => "channel",
            Self::Bot => "bot",
        }
    }
}

impl AccountFeatures {
    /// True when the switch of a platform and the one of the use (`login`, `channel`, `bot`) are both on. A
    /// use without a flag is off.
    #[must_use]
    pub fn platform_allows(&self, platform: &str, kind: &str) -> bool {
        self.is_on(&format!("platform:{platform}:{kind}"))
    }
}

/// Checks that a use of a platform is on: for the active account, or globally without one.
///
/// # Errors
/// 403 `FEATURE_DISABLED`.
pub async fn require_platform(cx: &Cx, platform: &str, purpose: PlatformUse) -> Result<()> {
    let features = match (purpose, cx.active_account().await?) {
        // Signing in comes before any account.
        (PlatformUse::Login, _) | (_, None) => global_features(cx.state()).await?,
        (PlatformUse::Channel | PlatformUse::Bot, Some(account)) => {
            account_features(cx.state(), account).await?
        }
    };
    let kind = purpose.as_str();
    if features.platform_allows(platform, kind) {
        return Ok(());
    }
    Err(ApiError::new(Code::FeatureDisabled, format!("Feature is disabled: platform:{platform}:{kind}")))
}
