//! Queries over `audit_log`.

use api_core::{CursorPage, Position, Result, cursor::Part, graphql::Json};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Jsonb, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;

use super::{AuditActor, AuditActorType, AuditEntry, AuditScope};

/// Filter of entries.
#[derive(Hash)]
pub(super) struct AuditFilter<'a> {
    pub scopes: &'a [AuditScope],
    pub account: Option<Uuid>,
    pub action: Option<String>,
    pub actor: Option<Uuid>,
    pub resource_type: Option<String>,
    pub from: Option<DateTime<Utc>>,
    /// Exclusive end.
    pub to: Option<DateTime<Utc>>,
}

/// Condition of a filter. Both statements are planned with its values, so an absent condition costs nothing.
const WANTED: &str = "
    scope = ANY($1) AND ($2 IS NULL OR account_id = $2) AND ($3 IS NULL OR action = $3)
    AND ($4 IS NULL OR actor_id = $4) AND ($5 IS NULL OR resource_type = $5)
    AND ($6 IS NULL OR created_at >= $6) AND ($7 IS NULL OR created_at < $7)";

/// Number of entries, for a page beyond the last.
const COUNT: &str = "SELECT count(*) AS total FROM audit_log WHERE <wanted>";

/// One part, and unless it continues a list the number of all entries. It is selected first, so that names are joined
/// for its entries only.
const PART: &str = "
    SELECT CASE WHEN $8 IS NULL THEN (SELECT count(*) FROM audit_log WHERE <wanted>) END AS total, part.id, part.account_id, part.actor_type, part.actor_id, u.display_name AS \"user\",
        k.label AS service_key, e.name AS extension, a.name AS automation, part.action, part.resource_type,
        part.resource_id, part.metadata, part.ip, part.created_at
    FROM (
        SELECT * FROM audit_log
        WHERE <wanted> AND ($8 IS NULL OR (created_at, id) < ($8, $9))
        ORDER BY created_at DESC, id DESC LIMIT $10 OFFSET $11
    ) AS part
    LEFT JOIN users u ON u.id = part.actor_id
    LEFT JOIN account_service_keys k ON k.id = part.actor_id
    LEFT JOIN extension_installs i ON i.id = part.actor_id
    LEFT JOIN extensions e ON e.id = i.extension_id
    LEFT JOIN automations a ON a.id = part.actor_id
    ORDER BY part.created_at DESC, part.id DESC";

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<BigInt>)]
    total: Option<i64>,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    account_id: Option<Uuid>,
    #[diesel(sql_type = Text)]
    actor_type: String,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    actor_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    user: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    service_key: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    extension: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    automation: Option<String>,
    #[diesel(sql_type = Text)]
    action: String,
    #[diesel(sql_type = Text)]
    resource_type: String,
    #[diesel(sql_type = Nullable<Text>)]
    resource_id: Option<String>,
    #[diesel(sql_type = Jsonb)]
    metadata: Value,
    #[diesel(sql_type = Nullable<Text>)]
    ip: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
}

/// Binds the parameters of [`WANTED`]. Each bind has a type of its own, so that this is no function.
macro_rules! bound {
    ($sql:expr, $wanted:expr) => {
        sql_query($sql.replace("<wanted>", WANTED))
            .bind::<Array<Text>, _>($wanted.scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>())
            .bind::<Nullable<SqlUuid>, _>($wanted.account)
            .bind::<Nullable<Text>, _>($wanted.action.as_deref())
            .bind::<Nullable<SqlUuid>, _>($wanted.actor)
            .bind::<Nullable<Text>, _>($wanted.resource_type.as_deref())
            .bind::<Nullable<Timestamptz>, _>($wanted.from)
            .bind::<Nullable<Timestamptz>, _>($wanted.to)
    };
}

pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    wanted: &AuditFilter<'_>,
    part: Part,
) -> Result<CursorPage<AuditEntry>> {
    let rows: Vec<Row> = bound!(PART, wanted)
        .bind::<Nullable<Timestamptz>, _>(part.after_at())
        .bind::<Nullable<SqlUuid>, _>(part.after_id())
        .bind::<BigInt, _>(part.limit())
        .bind::<BigInt, _>(part.offset())
        .load(connection)
        .await?;
    let total = match part.total_or(rows.as_slice().first().and_then(|row| row.total)) {
        Some(total) => total,
        None => bound!(COUNT, wanted).get_result::<Count>(connection).await?.total,
    };
    let position = |row: &Row| Position { at: row.created_at, id: row.id };
    Ok(part.page(rows.into_iter().map(|row| (position(&row), entry(row))).collect(), total))
}

fn entry(row: Row) -> AuditEntry {
    let (kind, display_name) = match row.actor_type.as_str() {
        "user" => (AuditActorType::User, row.user),
        "service_key" => (AuditActorType::ServiceKey, row.service_key),
        "extension" => (AuditActorType::Extension, row.extension),
        "automation" => (AuditActorType::Automation, row.automation),
        // The column has no other value.
        _ => (AuditActorType::System, None),
    };
    AuditEntry {
        id: row.id,
        account_id: row.account_id,
        actor: AuditActor { kind, id: row.actor_id, display_name },
        action: row.action,
        resource_type: row.resource_type,
        resource_id: row.resource_id,
        metadata: Json(row.metadata),
        ip: row.ip,
        created_at: row.created_at.into(),
    }
}
