//! Inputs of sounds and their checks.

use api_core::{ApiError, Patch, Result, graphql::Int64, validate};
use juniper::{GraphQLEnum, GraphQLInputObject};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;
use uuid::Uuid;

use super::MAX_NAME_LENGTH;

/// Maximum length of a sound, in milliseconds: a day (reference/media.md#sounds).
const MAX_DURATION_MS: i64 = 86_400_000;
/// Maximum number of peaks that a client gives (reference/media.md#sounds).
const MAX_PEAKS: usize = 1024;

/// Changes of a sound. Absent fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Air horn" }))]
pub struct UpdateSoundInput {
    /// Name, 1 to 100 characters.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// Length in milliseconds, at most a day. Null: not known.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 86_400_000)]
    pub duration_ms: Patch<Int64>,
    /// Peaks in equal parts of the sound, 1 to 1,024 numbers from 0 to 1. Null: not known.
    #[serde(default)]
    #[graphql(default)]
    #[schema(value_type = Option<Vec<Peak>>, min_items = 1, max_items = 1024)]
    pub waveform: Patch<Vec<f64>>,
}

/// Peak of a part of a sound.
#[derive(ToSchema)]
#[schema(minimum = 0, maximum = 1)]
#[expect(dead_code, reason = "names the bounds of a number in the document")]
struct Peak(f64);

/// Checked changes.
pub(super) struct Changes {
    pub name: Option<String>,
    pub duration_ms: Option<Option<i64>>,
    pub waveform: Option<Option<serde_json::Value>>,
}

/// Kind of a browser source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SoundTargetType {
    /// A widget.
    Widget,
    /// An overlay.
    Overlay,
}

/// Browser source that plays a sound.
#[derive(Debug, Clone, Copy, Deserialize, GraphQLInputObject, ToSchema)]
pub struct SoundTargetInput {
    /// Kind of the browser source.
    #[serde(rename = "type")]
    #[graphql(name = "type")]
    pub target_type: SoundTargetType,
    /// Widget or overlay of the account.
    pub id: Uuid,
}

/// Playing of a sound.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "volume": 0.5 }))]
pub struct PlaySoundInput {
    /// Volume from 0 to 1; 1 when absent.
    #[schema(minimum = 0, maximum = 1)]
    pub volume: Option<f64>,
    /// Browser source that plays it; every one of the account when absent.
    pub target: Option<SoundTargetInput>,
}

/// Ending of a sound.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "target": null }))]
pub struct StopSoundInput {
    /// Browser source in which it ends; every one of the account when absent.
    pub target: Option<SoundTargetInput>,
}

impl UpdateSoundInput {
    /// Checks every field.
    ///
    /// # Errors
    /// 400 that names the field.
    pub(super) fn check(self) -> Result<Changes> {
        let name = self.name.not_null("name")?;
        Ok(Changes {
            name: name.map(|name| validate::text("name", &name, 1, MAX_NAME_LENGTH)).transpose()?,
            duration_ms: self.duration_ms.try_map(duration)?.into_change(),
            waveform: self.waveform.try_map(peaks)?.into_change(),
        })
    }
}

impl PlaySoundInput {
    /// Checks the volume.
    ///
    /// # Errors
    /// 400 for a volume outside of 0 to 1.
    pub(super) fn volume(&self) -> Result<f64> {
        let volume = self.volume.unwrap_or(1.0);
        if (0.0..=1.0).contains(&volume) {
            return Ok(volume);
        }
        Err(ApiError::invalid("volume must be between 0 and 1"))
    }
}

impl Changes {
    /// True when no field was given.
    pub fn is_empty(&self) -> bool {
        self.names().is_empty()
    }

    /// Names of the changed fields.
    pub fn names(&self) -> Vec<&'static str> {
        let given = [
            ("name", self.name.is_some()),
            ("duration_ms", self.duration_ms.is_some()),
            ("waveform", self.waveform.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

fn duration(given: Int64) -> Result<i64> {
    if (0..=MAX_DURATION_MS).contains(&given.0) {
        return Ok(given.0);
    }
    Err(ApiError::invalid(format!("duration_ms must be between 0 and {MAX_DURATION_MS}")))
}

fn peaks(given: Vec<f64>) -> Result<serde_json::Value> {
    let is_valid =
        (1..=MAX_PEAKS).contains(&given.len()) && given.iter().all(|peak| (0.0..=1.0).contains(peak));
    if is_valid {
        return Ok(json!(given));
    }
    Err(ApiError::invalid(format!("waveform must have 1 to {MAX_PEAKS} numbers between 0 and 1")))
}
