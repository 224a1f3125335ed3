//! Validated form of a partial update of the settings (reference/accounts.md#settings).

use std::collections::HashSet;

use api_core::{ApiError, Patch, Result, validate};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    AccountSettings, Locale,
    currencies::{CURRENCIES, is_currency},
};

/// Platforms that have a chat.
const CHAT_PLATFORMS: [&str; 4] = ["twitch", "youtube", "kick", "trovo"];
const MAX_PREFIX_LENGTH: usize = 3;
const FONT_SIZES: std::ops::RangeInclusive<i32> = 8..=72;
const VOLUMES: std::ops::RangeInclusive<i32> = 0..=100;

/// Changes of the settings. Absent fields stay as they are; unknown ones are refused.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateAccountSettingsInput {
    /// Language.
    #[serde(default)]
    #[schema(value_type = Option<Locale>)]
    pub locale: Patch<Locale>,
    /// Name of a time zone of the IANA database.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "Europe/Berlin", extensions(("maxLength" = json!(max_timezone_length()))))]
    pub timezone: Patch<String>,
    /// Code of a currency, three letters of ISO 4217.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "EUR", extensions(("enum" = json!(CURRENCIES.as_slice()))))]
    pub currency: Patch<String>,
    /// Prefix of chat commands, 1 to 3 characters without white space.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "!", extensions(("maxLength" = json!(MAX_PREFIX_LENGTH))))]
    pub command_prefix: Patch<String>,
    /// Chat settings.
    #[serde(default)]
    #[schema(value_type = Option<UpdateChatSettingsInput>)]
    pub chat: Patch<UpdateChatSettingsInput>,
    /// Alert settings.
    #[serde(default)]
    #[schema(value_type = Option<UpdateAlertSettingsInput>)]
    pub alerts: Patch<UpdateAlertSettingsInput>,
    /// Privacy settings.
    #[serde(default)]
    #[schema(value_type = Option<UpdatePrivacySettingsInput>)]
    pub privacy: Patch<UpdatePrivacySettingsInput>,
    /// Overlay to show by default; null: none.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub default_overlay_id: Patch<Uuid>,
}

/// Changes of the chat settings.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateChatSettingsInput {
    /// Platforms to write to by default: `twitch`, `youtube`, `kick`, `trovo`, each at most once.
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>, example = json!(["twitch"]), extensions(("enum" = json!(CHAT_PLATFORMS))))]
    pub default_platforms: Patch<Vec<String>>,
    /// True: messages are shown with their time.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub show_timestamps: Patch<bool>,
    /// True: messages that mention the channel are highlighted.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub highlight_mentions: Patch<bool>,
    /// Font size in pixels, 8 to 72.
    #[serde(default)]
    #[schema(value_type = Option<i32>, example = 14, extensions(("minimum" = json!(FONT_SIZES.start())), ("maximum" = json!(FONT_SIZES.end()))))]
    pub font_size: Patch<i32>,
}

/// Changes of the alert settings.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateAlertSettingsInput {
    /// True: alerts make no sound.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub muted: Patch<bool>,
    /// Volume in percent, 0 to 100.
    #[serde(default)]
    #[schema(value_type = Option<i32>, example = 100, extensions(("minimum" = json!(VOLUMES.start())), ("maximum" = json!(VOLUMES.end()))))]
    pub volume: Patch<i32>,
}

/// Changes of the privacy settings.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdatePrivacySettingsInput {
    /// True: chat messages are stored.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub store_chat: Patch<bool>,
    /// True: counters and profiles of those who write are stored.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub store_user_profiles: Patch<bool>,
}

/// Validated changes; `None` leaves a setting as it is.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    locale: Option<Locale>,
    timezone: Option<String>,
    currency: Option<String>,
    command_prefix: Option<String>,
    default_platforms: Option<Vec<String>>,
    show_timestamps: Option<bool>,
    highlight_mentions: Option<bool>,
    font_size: Option<i32>,
    muted: Option<bool>,
    volume: Option<i32>,
    store_chat: Option<bool>,
    store_user_profiles: Option<bool>,
    default_overlay_id: Option<Option<Uuid>>,
}

impl UpdateAccountSettingsInput {
    pub(super) fn checked(self) -> Result<Changes> {
        let chat = self.chat.not_null("chat")?.unwrap_or_default();
        let alerts = self.alerts.not_null("alerts")?.unwrap_or_default();
        let privacy = self.privacy.not_null("privacy")?.unwrap_or_default();
        Ok(Changes {
            locale: self.locale.not_null("locale")?,
            timezone: self.timezone.not_null("timezone")?.map(timezone).transpose()?,
            currency: self.currency.not_null("currency")?.map(currency).transpose()?,
            command_prefix: self.command_prefix.not_null("command_prefix")?.map(prefix).transpose()?,
            default_platforms: chat
                .default_platforms
                .not_null("chat.default_platforms")?
                .map(platforms)
                .transpose()?,
            show_timestamps: chat.show_timestamps.not_null("chat.show_timestamps")?,
            highlight_mentions: chat.highlight_mentions.not_null("chat.highlight_mentions")?,
            font_size: within("chat.font_size", chat.font_size, FONT_SIZES)?,
            muted: alerts.muted.not_null("alerts.muted")?,
            volume: within("alerts.volume", alerts.volume, VOLUMES)?,
            store_chat: privacy.store_chat.not_null("privacy.store_chat")?,
            store_user_profiles: privacy.store_user_profiles.not_null("privacy.store_user_profiles")?,
            default_overlay_id: self.default_overlay_id.into_change(),
        })
    }
}

impl Changes {
    /// Returns the settings with the changes.
    pub fn applied_to(&self, mut settings: AccountSettings) -> AccountSettings {
        set(&mut settings.locale, &self.locale);
        set(&mut settings.timezone, &self.timezone);
        set(&mut settings.currency, &self.currency);
        set(&mut settings.command_prefix, &self.command_prefix);
        set(&mut settings.chat.default_platforms, &self.default_platforms);
        set(&mut settings.chat.show_timestamps, &self.show_timestamps);
        set(&mut settings.chat.highlight_mentions, &self.highlight_mentions);
        set(&mut settings.chat.font_size, &self.font_size);
        set(&mut settings.alerts.muted, &self.muted);
        set(&mut settings.alerts.volume, &self.volume);
        set(&mut settings.privacy.store_chat, &self.store_chat);
        set(&mut settings.privacy.store_user_profiles, &self.store_user_profiles);
        set(&mut settings.default_overlay_id, &self.default_overlay_id);
        settings
    }

    /// Names of the settings that are given.
    pub fn names(&self) -> Vec<&'static str> {
        [
            ("locale", self.locale.is_some()),
            ("timezone", self.timezone.is_some()),
            ("currency", self.currency.is_some()),
            ("command_prefix", self.command_prefix.is_some()),
            ("chat.default_platforms", self.default_platforms.is_some()),
            ("chat.show_timestamps", self.show_timestamps.is_some()),
            ("chat.highlight_mentions", self.highlight_mentions.is_some()),
            ("chat.font_size", self.font_size.is_some()),
            ("alerts.muted", self.muted.is_some()),
            ("alerts.volume", self.volume.is_some()),
            ("privacy.store_chat", self.store_chat.is_some()),
            ("privacy.store_user_profiles", self.store_user_profiles.is_some()),
            ("default_overlay_id", self.default_overlay_id.is_some()),
        ]
        .into_iter()
        .filter_map(|(name, is_given)| is_given.then_some(name))
        .collect()
    }
}

fn set<T: Clone>(setting: &mut T, change: &Option<T>) {
    if let Some(value) = change {
        setting.clone_from(value);
    }
}

/// Length of the longest name of a time zone.
fn max_timezone_length() -> Option<usize> {
    chrono_tz::TZ_VARIANTS.iter().map(|zone| zone.name().len()).max()
}

fn timezone(name: String) -> Result<String> {
    match name.parse::<chrono_tz::Tz>() {
        Ok(zone) => Ok(zone.name().to_owned()),
        Err(_unknown) => {
            Err(ApiError::invalid("timezone must be an IANA time zone, for example Europe/Berlin"))
        }
    }
}

fn currency(code: String) -> Result<String> {
    if is_currency(&code) {
        return Ok(code);
    }
    Err(ApiError::invalid("currency must be a code of ISO 4217, for example EUR"))
}

fn prefix(text: String) -> Result<String> {
    let text = validate::text("command_prefix", &text, 1, MAX_PREFIX_LENGTH)?;
    if text.contains(char::is_whitespace) {
        return Err(ApiError::invalid("command_prefix must not contain spaces"));
    }
    Ok(text)
}

fn platforms(slugs: Vec<String>) -> Result<Vec<String>> {
    let distinct: HashSet<&str> = slugs.iter().map(String::as_str).collect();
    if distinct.len() == slugs.len() && distinct.iter().all(|slug| CHAT_PLATFORMS.contains(slug)) {
        return Ok(slugs);
    }
    Err(ApiError::invalid(format!(
        "chat.default_platforms must hold each of {} at most once",
        CHAT_PLATFORMS.join(", ")
    )))
}

fn within(field: &str, number: Patch<i32>, allowed: std::ops::RangeInclusive<i32>) -> Result<Option<i32>> {
    let number = number.not_null(field)?;
    if number.is_none_or(|number| allowed.contains(&number)) {
        return Ok(number);
    }
    Err(ApiError::invalid(format!("{field} must be between {} and {}", allowed.start(), allowed.end())))
}
