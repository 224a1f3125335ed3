//! Queries over `feature_flags`, which belong to the deployment.

use api_core::{Result, Timestamp};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use shared::{
    catalogue,
    schema::feature_flags::{self, dsl},
};
use uuid::Uuid;

use super::{FeatureCategory, FeatureFlag};

/// Maximum number of listed flags. No release has as many; the query is bounded nevertheless.
const MAX_FLAGS: i64 = 1000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = feature_flags)]
struct Row {
    id: Uuid,
    key: String,
    label: String,
    description: String,
    category: String,
    globally_enabled: bool,
    default_for_accounts: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

#[derive(Debug, AsChangeset)]
#[diesel(table_name = feature_flags)]
pub(super) struct Changes {
    pub globally_enabled: Option<bool>,
    pub default_for_accounts: Option<bool>,
    pub label: Option<String>,
    pub description: Option<String>,
}

pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    category: Option<FeatureCategory>,
    search: Option<&str>,
) -> Result<Vec<FeatureFlag>> {
    let mut flags = feature_flags::table.into_boxed();
    if let Some(category) = category {
        flags = flags.filter(dsl::category.eq(category.as_str()));
    }
    if let Some(search) = search {
        let pattern = containing(search);
        flags = flags.filter(dsl::key.ilike(pattern.clone()).or(dsl::label.ilike(pattern)));
    }
    let rows: Vec<Row> = flags.limit(MAX_FLAGS).select(Row::as_select()).load(connection).await?;
    let mut known: Vec<(catalogue::FeatureCategory, FeatureFlag)> =
        rows.into_iter().filter_map(flag).collect();
    known.sort_unstable_by(|(a, one), (b, other)| (a, &one.key).cmp(&(b, &other.key)));
    Ok(known.into_iter().map(|(_, flag)| flag).collect())
}

/// Pattern that matches texts which contain this one.
fn containing(text: &str) -> String {
    let escaped = text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    format!("%{escaped}%")
}

pub(super) async fn find(connection: &mut AsyncPgConnection, id: Uuid) -> Result<Option<FeatureFlag>> {
    let row: Option<Row> =
        feature_flags::table.find(id).select(Row::as_select()).first(connection).await.optional()?;
    Ok(row.and_then(flag).map(|(_, flag)| flag))
}

pub(super) async fn update(
    connection: &mut AsyncPgConnection,
    id: Uuid,
    changes: &Changes,
    now: DateTime<Utc>,
) -> Result<Option<FeatureFlag>> {
    let row: Option<Row> = diesel::update(feature_flags::table.find(id))
        .set((changes, dsl::updated_at.eq(now)))
        .returning(Row::as_returning())
        .get_result(connection)
        .await
        .optional()?;
    Ok(row.and_then(flag).map(|(_, flag)| flag))
}

/// Flag with its category. `None` for a category of a newer release.
fn flag(row: Row) -> Option<(catalogue::FeatureCategory, FeatureFlag)> {
    let category = catalogue::FeatureCategory::parse(&row.category)?;
    let flag = FeatureFlag {
        id: row.id,
        key: row.key,
        label: row.label,
        description: row.description,
        category: category.into(),
        globally_enabled: row.globally_enabled,
        default_for_accounts: row.default_for_accounts,
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    Some((category, flag))
}
