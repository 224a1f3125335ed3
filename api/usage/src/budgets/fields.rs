//! Checked fields of a budget.

use api_core::{ApiError, Result};
use serde_json::{Value, json};
use shared::id::AccountId;
use usage_model::{
    Period, SubjectKind, Unit,
    budgets::{MAX_MAXIMUM, MIN_MAXIMUM},
};
use uuid::Uuid;

use super::SetUsageBudgetInput;

/// Share of the maximum at which members are notified unless another one is given, in percent.
const DEFAULT_WARN_PERCENT: i16 = 80;
/// Largest share at which members are notified, in percent.
pub(super) const MAX_WARN_PERCENT: i16 = 99;

/// Fields of a budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub subject: SubjectKind,
    pub subject_id: Uuid,
    pub unit: Unit,
    pub period: Period,
    pub maximum: i64,
    pub warn_percent: Option<i16>,
    pub is_stopping: bool,
}

impl Fields {
    /// Checks the fields of a budget of an account.
    ///
    /// # Errors
    /// 400 that names the field.
    pub fn new(account: AccountId, input: SetUsageBudgetInput) -> Result<Self> {
        let (subject, subject_id) = match (input.extension_id, input.key_id) {
            (None, None) => (SubjectKind::Account, account.uuid()),
            (Some(id), None) => (SubjectKind::Extension, id),
            (None, Some(id)) => (SubjectKind::Key, id),
            (Some(_), Some(_)) => {
                return Err(ApiError::invalid("key_id must be absent when extension_id is given"));
            }
        };
        let unit = Unit::from(input.unit);
        if subject == SubjectKind::Key && !matches!(unit, Unit::Requests | Unit::Messages) {
            return Err(ApiError::invalid("unit must be requests or messages for a key"));
        }
        let maximum = input.maximum.0;
        if !(MIN_MAXIMUM..=MAX_MAXIMUM).contains(&maximum) {
            return Err(ApiError::invalid(format!(
                "maximum must be between {MIN_MAXIMUM} and {MAX_MAXIMUM}"
            )));
        }
        Ok(Self {
            subject,
            subject_id,
            unit,
            period: input.period.into(),
            maximum,
            warn_percent: warn_percent(input.warn_percent)?,
            is_stopping: input.is_stopping.unwrap_or(true),
        })
    }

    /// Metadata of the audit entry.
    pub fn metadata(&self) -> Value {
        json!({
            "subject": self.subject.as_str(), "subject_id": self.subject_id, "unit": self.unit.as_str(),
            "period": self.period.as_str(), "maximum": self.maximum, "warn_percent": self.warn_percent,
            "is_stopping": self.is_stopping,
        })
    }
}

fn warn_percent(given: Option<i32>) -> Result<Option<i16>> {
    let Some(given) = given else { return Ok(Some(DEFAULT_WARN_PERCENT)) };
    match i16::try_from(given) {
        Ok(0) => Ok(None),
        Ok(percent @ 1..=MAX_WARN_PERCENT) => Ok(Some(percent)),
        _ => Err(ApiError::invalid(format!("warn_percent must be between 0 and {MAX_WARN_PERCENT}"))),
    }
}
