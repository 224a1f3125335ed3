//! Ways in which a developer is paid (reference/programme.md#payout-settings).

use std::sync::LazyLock;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{Grants, Member, SignedIn},
    graphql::Int64,
    validate::{self, MAX_EMAIL_LENGTH},
};
use developer_access::credentials;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry, Scope};
use iban::{Iban, IbanLike};
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use regex::Regex;
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature, TeamPermission};
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    db,
    details::Details,
    method::DeveloperPayoutMethod,
    payee::{DeveloperPayeeQuery, Payee},
};
use crate::masking::masked;

/// Length of the id of a connected account, in characters (reference/programme.md#payout-settings).
const MAX_CONNECT_ID_LENGTH: usize = 255;
/// Length of an IBAN with spaces, in characters (reference/programme.md#payout-settings).
const MAX_IBAN_LENGTH: usize = 50;
/// Length of a BIC, in characters (reference/programme.md#payout-settings).
const MAX_BIC_LENGTH: usize = 11;
/// Length of the name of a bank, in characters (reference/programme.md#payout-settings).
const MAX_BANK_NAME_LENGTH: usize = 100;

/// Form of a BIC.
static BIC: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$").ok());

/// Ways in which the caller is paid. Of each account, the last four characters are shown.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct DeveloperPayoutSettings {
    /// Developer profile that the settings belong to; for a team that of its owner.
    pub id: Uuid,
    /// Person; for a team its owner.
    pub user_id: Uuid,
    /// Team that is paid. Null: the developer.
    pub team_id: Option<Uuid>,
    /// Id of the connected account, masked. Null: none.
    pub payment_connect_id: Option<String>,
    /// E-mail address of the wallet, masked. Null: none.
    pub paypal_style_email: Option<String>,
    /// IBAN, masked. Null: none.
    pub bank_iban: Option<String>,
    /// BIC, masked. Null: none.
    pub bank_bic: Option<String>,
    /// Name of the bank. Null: none.
    pub bank_name: Option<String>,
    /// Method of the next payout. Null: none is chosen.
    pub payout_method: Option<DeveloperPayoutMethod>,
    /// Amount that can be paid out, in cents.
    pub revenue_balance: Int64,
    /// Share of all payments, in cents.
    pub total_earned: Int64,
    /// Time of the first settings, or of the profile before them.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// Changes of the payout settings. An absent field stays as it is. It has no `Debug`, so that it is in no log.
#[derive(Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "payout_method": "paypal_style", "paypal_style_email": "ada@example.org" }))]
pub struct UpdateDeveloperPayoutSettingsInput {
    /// Team that is paid; the caller when absent.
    pub team_id: Option<Uuid>,
    /// Method of payouts. Its account must be among the settings.
    pub payout_method: Option<DeveloperPayoutMethod>,
    /// Id of the connected account, at most 255 characters; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_CONNECT_ID_LENGTH))))]
    pub payment_connect_id: Patch<String>,
    /// E-mail address of the wallet; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_EMAIL_LENGTH))))]
    pub paypal_style_email: Patch<String>,
    /// IBAN with or without spaces; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_IBAN_LENGTH))))]
    pub bank_iban: Patch<String>,
    /// BIC of 8 or 11 characters; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_BIC_LENGTH))))]
    pub bank_bic: Patch<String>,
    /// Name of the bank, at most 100 characters; null for none.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_BANK_NAME_LENGTH))))]
    pub bank_name: Patch<String>,
}

/// Checked changes.
struct Changes {
    method: Option<DeveloperPayoutMethod>,
    payment_connect_id: Option<Option<String>>,
    paypal_style_email: Option<Option<String>>,
    bank_iban: Option<Option<String>>,
    bank_bic: Option<Option<String>>,
    bank_name: Option<Option<String>>,
}

pub static DEVELOPER_PAYOUT_SETTINGS: Operation<Member> =
    Operation::member("developerPayoutSettings", AccountPermission::ExtensionDevPayouts, Grants::Nothing)
        .feature(Feature::ExtensionDevelopment)
        .in_team(READERS);

/// Permission of a member who reads the balance of the team.
pub(super) const READERS: &[TeamPermission] = &[TeamPermission::TeamPayoutsRead];
/// Permission of a member who changes settings of the team and requests its payouts.
pub(super) const EDITORS: &[TeamPermission] = &[TeamPermission::TeamPayoutsEdit];

/// Returns the ways in which the caller, or a team, is paid, and the balance.
///
/// Of each account, the last four characters are returned.
///
/// # Errors
/// Refusals of the access rule; 403 for a member of the team without `team-payouts:read`; 404 for a person who
/// is no developer, and for a team that the caller does not belong to.
#[api_core::operation]
pub async fn developer_payout_settings(
    cx: &Cx,
    query: Input<DeveloperPayeeQuery>,
) -> Result<DeveloperPayoutSettings> {
    let member = cx.authorize(&DEVELOPER_PAYOUT_SETTINGS).await?;
    let of = (query?.team_id, TeamPermission::TeamPayoutsRead);
    let mut connection = member.db().await?;
    let payee = Payee::find(&mut connection, member.user, of).await?;
    shown(cx, &mut connection, &payee).await
}

pub static UPDATE_DEVELOPER_PAYOUT_SETTINGS: Operation<SignedIn> =
    Operation::first_party("updateDeveloperPayoutSettings", Grants::Nothing).in_team(EDITORS).idempotent();

/// Changes the ways in which the caller, or a team, is paid.
///
/// The accounts are stored encrypted. A payout that was requested keeps its method. The developer is notified,
/// and the owner of the team.
///
/// # Errors
/// Refusals of the access rule; 403 for a personal key without `extension-dev:payouts`, and for a member of the
/// team without `team-payouts:edit`; 400 for an invalid field, and for a method whose account is missing; 404
/// for a person who is no developer, and for a team that the caller does not belong to.
#[api_core::operation]
pub async fn update_developer_payout_settings(
    cx: &Cx,
    input: Input<UpdateDeveloperPayoutSettingsInput>,
) -> Result<DeveloperPayoutSettings> {
    let person = cx.authorize(&UPDATE_DEVELOPER_PAYOUT_SETTINGS).await?;
    credentials::carries(cx, AccountPermission::ExtensionDevPayouts)?;
    let input = input?;
    let of = (input.team_id, TeamPermission::TeamPayoutsEdit);
    let (changes, now) = (input.check()?, cx.state().clock.now());
    let mut connection = person.db().await?;
    connection
        .transaction(async |connection| {
            let payee = Payee::lock(connection, person.user, of).await?;
            let stored = stored(cx, connection, &payee).await?;
            let method = changes.method.or(stored.method);
            let fields = changes.fields();
            if fields.is_empty() {
                return shown(cx, connection, &payee).await;
            }
            let details = changes.applied_to(stored.details);
            method.map_or(Ok(()), |method| details.check_for(method))?;
            let sealed = details.seal(&cx.state().keyring, &payee)?;
            db::put_settings(connection, &payee, (method, &sealed), now).await?;
            let metadata = json!({ "fields": fields, "payout_method": method });
            let (resource, id) = payee.resource();
            let entry = cx.audit("developer:payout_settings_updated", resource, id);
            audit::record(connection, Entry { scope: Scope::User, metadata, ..entry }).await?;
            notify::notify(connection, &payee.notified(person.user), &Notice::PayoutSettings, now).await?;
            shown(cx, connection, &payee).await
        })
        .await
}

/// Opened settings of a payee.
pub(super) struct Stored {
    /// Method of payouts.
    pub method: Option<DeveloperPayoutMethod>,
    details: Details,
    times: Option<(Timestamp, Timestamp)>,
}

/// Opens the settings of a payee, which are empty before the first ones.
pub(super) async fn stored(cx: &Cx, connection: &mut AsyncPgConnection, payee: &Payee) -> Result<Stored> {
    let Some(row) = db::settings(connection, payee).await? else {
        return Ok(Stored { method: None, details: Details::default(), times: None });
    };
    Ok(Stored {
        method: row.payout_method.as_deref().map(DeveloperPayoutMethod::stored).transpose()?,
        details: Details::open(&cx.state().keyring, payee, &row.details)?,
        times: Some((row.created_at, row.updated_at)),
    })
}

async fn shown(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    payee: &Payee,
) -> Result<DeveloperPayoutSettings> {
    let Stored { method, details, times } = stored(cx, connection, payee).await?;
    let balance = db::balance(connection, payee).await?;
    let developer = &payee.developer;
    let (created_at, updated_at) = times.unwrap_or((developer.created_at, developer.created_at));
    Ok(DeveloperPayoutSettings {
        id: developer.id,
        user_id: developer.user_id.0,
        team_id: payee.team,
        payment_connect_id: details.payment_connect_id.as_deref().map(masked),
        paypal_style_email: details.paypal_style_email.as_deref().map(masked),
        bank_iban: details.bank_iban.as_deref().map(masked),
        bank_bic: details.bank_bic.as_deref().map(masked),
        bank_name: details.bank_name,
        payout_method: method,
        revenue_balance: Int64(balance.available()),
        total_earned: Int64(balance.earned),
        created_at,
        updated_at,
    })
}

impl UpdateDeveloperPayoutSettingsInput {
    fn check(self) -> Result<Changes> {
        let connect = |text: String| validate::text("payment_connect_id", &text, 1, MAX_CONNECT_ID_LENGTH);
        let email = |text: String| validate::email("paypal_style_email", &text);
        let bank = |text: String| validate::text("bank_name", &text, 1, MAX_BANK_NAME_LENGTH);
        Ok(Changes {
            method: self.payout_method,
            payment_connect_id: self.payment_connect_id.try_map(connect)?.into_change(),
            paypal_style_email: self.paypal_style_email.try_map(email)?.into_change(),
            bank_iban: self.bank_iban.try_map(|text| checked_iban(&text))?.into_change(),
            bank_bic: self.bank_bic.try_map(|text| checked_bic(&text))?.into_change(),
            bank_name: self.bank_name.try_map(bank)?.into_change(),
        })
    }
}

impl Changes {
    /// Names of the fields that the client gave.
    fn fields(&self) -> Vec<&'static str> {
        let given = [
            ("payout_method", self.method.is_some()),
            ("payment_connect_id", self.payment_connect_id.is_some()),
            ("paypal_style_email", self.paypal_style_email.is_some()),
            ("bank_iban", self.bank_iban.is_some()),
            ("bank_bic", self.bank_bic.is_some()),
            ("bank_name", self.bank_name.is_some()),
        ];
        given.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }

    fn applied_to(self, before: Details) -> Details {
        Details {
            payment_connect_id: self.payment_connect_id.unwrap_or(before.payment_connect_id),
            paypal_style_email: self.paypal_style_email.unwrap_or(before.paypal_style_email),
            bank_iban: self.bank_iban.unwrap_or(before.bank_iban),
            bank_bic: self.bank_bic.unwrap_or(before.bank_bic),
            bank_name: self.bank_name.unwrap_or(before.bank_name),
        }
    }
}

/// Checks country, length, form and checksum; returns the IBAN without spaces.
fn checked_iban(text: &str) -> Result<String> {
    let compact: String = text.chars().filter(|character| !character.is_whitespace()).collect();
    let parsed: Option<Iban> = (text.chars().count() <= MAX_IBAN_LENGTH)
        .then(|| compact.to_ascii_uppercase().parse().ok())
        .flatten();
    let iban = parsed.ok_or_else(|| ApiError::invalid("bank_iban must be an IBAN with a valid checksum"))?;
    Ok(iban.electronic_str().to_owned())
}

fn checked_bic(text: &str) -> Result<String> {
    let bic = text.trim().to_ascii_uppercase();
    if BIC.as_ref().is_some_and(|form| form.is_match(&bic)) {
        return Ok(bic);
    }
    Err(ApiError::invalid("bank_bic must be a BIC of 8 or 11 characters"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_iban_and_bic_are_compacted() {
        assert_eq!(checked_iban("de44 5001 0517 5407 3249 31").as_deref(), Ok("DE44500105175407324931"));
        for wrong in ["", "DE45500105175407324931", "XX44500105175407324931", "DE4450010517540732493"] {
            assert!(checked_iban(wrong).is_err(), "{wrong}");
        }
        assert_eq!(checked_bic(" deutdeff ").as_deref(), Ok("DEUTDEFF"));
        for wrong in ["", "DEUTDEF", "DEUTDEFF5", "1EUTDEFF", "DEUTDEFF500X"] {
            assert!(checked_bic(wrong).is_err(), "{wrong}");
        }
    }
}
