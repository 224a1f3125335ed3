//! Flags `platform:{slug}` and `platform:{slug}:{use}` of each platform, read and written together
//! (reference/features.md#platform-switches).

use api_core::{
    ApiError, Cx, Result,
    access::{FeaturesOf, PlatformUse},
};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::{Map, Value};
use shared::{
    catalogue::{FEATURES, FeatureCategory},
    schema::feature_flags::{self, dsl},
};

use super::{AdminPlatform, PlatformSwitchesInput};

/// Validated switches to set.
#[derive(Debug)]
pub(crate) struct SwitchChange {
    platform: &'static str,
    /// Key of each flag, name of its switch, and new value.
    flags: Vec<(String, &'static str, bool)>,
}

impl SwitchChange {
    /// Validates the platform and the switches.
    ///
    /// # Errors
    /// 400 for an unknown platform, for null and for a switch that the platform does not have.
    pub fn checked(platform: &str, input: PlatformSwitchesInput) -> Result<Self> {
        let platform = known(platform)?;
        let of_use = |purpose: PlatformUse| match purpose {
            PlatformUse::Login => input.login,
            PlatformUse::Channel => input.channel,
            PlatformUse::Bot => input.bot,
        };
        let mut flags = Vec::new();
        if let Some(on) = input.enabled.not_null("enabled")? {
            flags.push((format!("platform:{platform}"), "enabled", on));
        }
        for purpose in PlatformUse::ALL {
            let name = purpose.as_str();
            let Some(on) = of_use(purpose).not_null(name)? else { continue };
            if !is_flag(&format!("{platform}:{name}")) {
                return Err(ApiError::invalid(format!("{platform} has no {name} to switch")));
            }
            flags.push((format!("platform:{platform}:{name}"), name, on));
        }
        Ok(Self { platform, flags })
    }
}

/// Platforms in the order of the catalogue.
pub(crate) async fn all(connection: &mut AsyncPgConnection) -> Result<Vec<AdminPlatform>> {
    let flags: Vec<(String, bool)> = feature_flags::table
        .filter(dsl::category.eq(FeatureCategory::Platform.as_str()))
        .select((dsl::key, dsl::globally_enabled))
        .load(connection)
        .await?;
    let flag = |key: String| flags.iter().find(|(known, _)| *known == key).map(|(_, on)| *on);
    let platform = |slug: &'static str| {
        let of_use = |purpose: PlatformUse| flag(format!("platform:{slug}:{}", purpose.as_str()));
        AdminPlatform {
            platform: slug.to_owned(),
            enabled: flag(format!("platform:{slug}")).unwrap_or(false),
            login: of_use(PlatformUse::Login),
            channel: of_use(PlatformUse::Channel),
            bot: of_use(PlatformUse::Bot),
        }
    };
    Ok(slugs().map(platform).collect())
}

/// Sets switches and returns all of the platform. The change takes effect in every process at once.
pub(crate) async fn set(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    change: &SwitchChange,
) -> Result<AdminPlatform> {
    let now = cx.state().clock.now();
    let platforms = connection
        .transaction(async |connection| {
            for (key, _, on) in &change.flags {
                diesel::update(feature_flags::table.filter(dsl::key.eq(key)))
                    .set((dsl::globally_enabled.eq(on), dsl::updated_at.eq(now)))
                    .execute(connection)
                    .await?;
            }
            if !change.flags.is_empty() {
                let mut entry = cx.audit_system("platform:updated", "platform", change.platform);
                let set = change.flags.iter().map(|(_, name, on)| ((*name).to_owned(), Value::from(*on)));
                entry.metadata = set.collect::<Map<_, _>>().into();
                foundation::audit::record(connection, entry).await?;
            }
            all(connection).await
        })
        .await?;
    if !change.flags.is_empty() {
        cx.features_changed(FeaturesOf::All).await;
    }
    let turned = platforms.into_iter().find(|platform| platform.platform == change.platform);
    turned.ok_or_else(|| ApiError::internal("a platform has no switches"))
}

fn known(platform: &str) -> Result<&'static str> {
    let found = slugs().find(|slug| *slug == platform);
    found.ok_or_else(|| {
        let all = slugs().collect::<Vec<_>>().join(", ");
        ApiError::invalid(format!("platform must be one of {all}"))
    })
}

/// Slugs of the platforms that have a switch.
fn slugs() -> impl Iterator<Item = &'static str> {
    keys().filter(|key| !key.contains(':'))
}

fn is_flag(key: &str) -> bool {
    keys().any(|known| known == key)
}

/// Keys of the category `platform`, without the category.
fn keys() -> impl Iterator<Item = &'static str> {
    let of_platforms = FEATURES.iter().filter(|(category, _)| *category == FeatureCategory::Platform);
    of_platforms.flat_map(|(_, keys)| keys.iter().copied())
}

#[cfg(test)]
mod tests {
    use api_core::Patch;

    use super::*;

    #[test]
    fn switch_change_refuses_switches_that_a_platform_lacks() {
        let bot = PlatformSwitchesInput { bot: Patch::Value(false), ..Default::default() };
        let change = SwitchChange::checked("kick", bot).unwrap();
        assert_eq!(change.flags, [("platform:kick:bot".to_owned(), "bot", false)]);
        let refused = SwitchChange::checked("spotify", bot).unwrap_err();
        assert_eq!(refused, ApiError::invalid("spotify has no bot to switch"));
        let null = PlatformSwitchesInput { enabled: Patch::Null, ..Default::default() };
        assert_eq!(
            SwitchChange::checked("kick", null).unwrap_err(),
            ApiError::invalid("enabled cannot be null")
        );
        let unknown = SwitchChange::checked("Kick", bot).unwrap_err();
        assert_eq!(
            unknown,
            ApiError::invalid(
                "platform must be one of twitch, youtube, kick, trovo, discord, spotify, streamelements"
            )
        );
    }
}
