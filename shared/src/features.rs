//! Which accounts a feature flag is off for (specification C §7.1), for many accounts in one statement: for daemons,
//! and wherever the flag follows from what comes in.

use std::collections::HashSet;

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::{
    Result,
    catalogue::{FEATURES, FeatureCategory},
};

/// The key of the flag of a type of event. Types of an account's own (`custom:`) have none.
#[must_use]
pub fn of_event(event_type: &str) -> String {
    format!("{}:{event_type}", FeatureCategory::Event.as_str())
}

/// Which of the accounts the flag is off for. A flag that there is none of is off for nobody.
///
/// # Errors
/// When the database fails.
pub async fn accounts_without(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    key: &str,
) -> Result<HashSet<Uuid>> {
    let off = switched_off(connection, accounts, &[key]).await?;
    Ok(off.into_iter().map(|(account, _)| account).collect())
}

/// Which of the flags are off for which of the accounts.
///
/// # Errors
/// When the database fails.
pub async fn switched_off(
    connection: &mut AsyncPgConnection,
    accounts: &[Uuid],
    keys: &[&str],
) -> Result<HashSet<(Uuid, String)>> {
    // The first layer that fails wins: the global switch, the plan, the account's override, of which a grant lifts the
    // plan's layer only.
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
