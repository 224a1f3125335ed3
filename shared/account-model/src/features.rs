//! Accounts that a feature flag is off for, for many accounts in one statement: for daemons, and where the
//! flag is known only from the input (reference/features.md#resolution).

use std::collections::HashSet;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use uuid::Uuid;

use shared::{
    Result,
    catalogue::{FEATURES, FeatureCategory},
};

/// Key of the flag of an event type. Custom types (`custom:`) have no flag.
#[must_use]
pub fn of_event(event_type: &str) -> String {
    format!("{}:{event_type}", FeatureCategory::Event.as_str())
}

/// Accounts that the flag is off for. A flag that does not exist is off for no account.
///
/// # Errors
/// Database failure.
pub async fn accounts_without(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    key: &str,
) -> Result<HashSet<Uuid>> {
    let off = switched_off(connection, accounts, &[key]).await?;
    Ok(off.into_iter().map(|(account, _)| account).collect())
}

/// Pairs of account and flag where the flag is off.
///
/// # Errors
/// Database failure.
pub async fn switched_off(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    keys: &[&str],
) -> Result<HashSet<(Uuid, String)>> {
    // The first layer that fails decides: the global switch, the plan, the account's override. A grant lifts
    // the plan's layer only.
    const OFF: &str = "
        SELECT asked.id, f.key FROM unnest($1) AS asked(id)
        INNER JOIN feature_flags f ON f.key = ANY($2)
        LEFT JOIN account_feature_overrides o ON o.feature_id = f.id AND o.account_id = asked.id
        LEFT JOIN accounts a ON a.id = asked.id
        LEFT JOIN plan_features p ON p.feature_id = f.id AND p.plan_id = a.plan_id
        WHERE NOT f.globally_enabled
            OR f.category <> 'system' AND o.enabled IS NOT TRUE
                AND (o.enabled IS FALSE OR f.category = ANY($3) AND p.enabled IS NOT TRUE)";
    let planned = FEATURES.iter().map(|(category, _)| category).filter(|category| category.is_planned());
    let planned: Vec<&str> = planned.map(|category| category.as_str()).collect();
    let rows: Vec<Off> = sql_query(OFF)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<Text>, _>(keys)
        .bind::<Array<Text>, _>(planned)
        .prepared()
        .load(connection)
        .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.key)).collect())
}

#[derive(QueryableByName)]
struct Off {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    key: String,
}
