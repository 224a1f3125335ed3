//! Payments for extensions, which an operator reports because the service sells nothing itself
//! (reference/programme.md#revenue).

use anyhow::{Context, ensure};
use api_core::{State, validate};
use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::revenue::{self, Sale};
use foundation::{audit, db::Databases};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::people::entry;

/// Length of the reference of a payment, in characters.
const MAX_REFERENCE_LENGTH: usize = 255;

/// A payment as the provider reports it.
pub struct NewPayment {
    /// Extension that was paid.
    pub extension: Uuid,
    /// Reference of the payment at the provider.
    pub reference: String,
    /// Paid amount in cents.
    pub amount: i64,
    /// Time of the payment; now when absent.
    pub paid_at: Option<DateTime<Utc>>,
}

/// Result of a report.
#[derive(Debug, Serialize)]
pub struct RecordedPayment {
    /// False when the reference was recorded before, and nothing has changed.
    pub is_new: bool,
    /// Developer profile that is paid.
    pub developer_id: Uuid,
    /// Team that is paid. Null: the developer.
    pub team_id: Option<Uuid>,
    /// Share of the payment, in cents.
    pub share: i64,
}

/// Records a payment for an extension, once for each reference.
pub async fn record_payment(
    state: &State,
    databases: &Databases,
    payment: NewPayment,
) -> anyhow::Result<RecordedPayment> {
    let NewPayment { extension, reference, amount, paid_at } = payment;
    let reference = validate::text("reference", &reference, 1, MAX_REFERENCE_LENGTH)?;
    let now = state.clock.now();
    let paid_at = paid_at.unwrap_or(now);
    ensure!(paid_at <= now, "paid-at must not be in the future");
    let mut connection = databases.postgres.get().await?;
    connection
        .transaction(async |connection| {
            let is_known = revenue::recorded(connection, &reference).await?.is_some();
            let is_new = !is_known
                && record(connection, (extension, reference.as_str()), (amount, paid_at), now).await?;
            let stored = revenue::recorded(connection, &reference).await?;
            let stored = stored.context("a recorded payment is not there")?;
            ensure!(
                stored.extension_id == Some(extension) && stored.amount == amount,
                "the reference {reference} was recorded for another extension or amount"
            );
            let revenue::Recorded { developer_id, team_id, share, .. } = stored;
            Ok::<_, anyhow::Error>(RecordedPayment { is_new, developer_id, team_id, share })
        })
        .await
}

/// Records a payment with its audit entry. False when another process has recorded the reference meanwhile.
async fn record(
    connection: &mut AsyncPgConnection,
    (extension, reference): (Uuid, &str),
    (amount, paid_at): (i64, DateTime<Utc>),
    now: DateTime<Utc>,
) -> anyhow::Result<bool> {
    let payee = revenue::payee_of(connection, extension).await?;
    let payee = payee.with_context(|| format!("there is no extension {extension} whose owner is paid"))?;
    let sale = Sale {
        developer_id: payee.developer_id,
        team_id: payee.team_id,
        extension_id: extension,
        payment_reference: reference,
        amount,
        paid_at,
    };
    let is_new = revenue::record(connection, &sale, now).await?;
    if is_new {
        let mut recorded = entry("developer:payment_recorded", "extension", extension);
        recorded.metadata = json!({
            "by": "console", "reference": reference, "amount": amount, "team_id": payee.team_id,
        });
        audit::record(connection, recorded).await?;
    }
    Ok(is_new)
}
