//! Queries over `audit_log`.

use api_core::{Page, Result, Timestamp, graphql::Json, page::Window};
use chrono::{DateTime, Utc};
use diesel::{pg::Pg, prelude::*};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use shared::schema::{account_service_keys, audit_log, automations, extension_installs, extensions, users};
use uuid::Uuid;

use super::{AuditActor, AuditActorType, AuditEntry, AuditScope};

/// Filter of entries.
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

#[derive(Queryable)]
struct Row {
    id: Uuid,
    account_id: Option<Uuid>,
    actor_type: String,
    actor_id: Option<Uuid>,
    user: Option<String>,
    service_key: Option<String>,
    extension: Option<String>,
    automation: Option<String>,
    action: String,
    resource_type: String,
    resource_id: Option<String>,
    metadata: Value,
    ip: Option<String>,
    created_at: Timestamp,
}

pub(super) async fn page(
    connection: &mut AsyncPgConnection,
    wanted: &AuditFilter<'_>,
    window: Window,
) -> Result<Page<AuditEntry>> {
    let total = audit_log::table.filter(condition(wanted)).count().get_result(connection).await?;
    // The page is selected first, so that names are joined for its entries only.
    let shown = audit_log::table
        .filter(condition(wanted))
        .order((audit_log::created_at.desc(), audit_log::id.desc()))
        .limit(window.limit)
        .offset(window.offset())
        .select(audit_log::id)
        .load::<Uuid>(connection)
        .await?;
    let rows: Vec<Row> = audit_log::table
        .left_join(users::table.on(users::id.nullable().eq(audit_log::actor_id)))
        .left_join(
            account_service_keys::table.on(account_service_keys::id.nullable().eq(audit_log::actor_id)),
        )
        .left_join(
            extension_installs::table
                .inner_join(extensions::table)
                .on(extension_installs::id.nullable().eq(audit_log::actor_id)),
        )
        .left_join(automations::table.on(automations::id.nullable().eq(audit_log::actor_id)))
        .filter(audit_log::id.eq_any(shown))
        .order((audit_log::created_at.desc(), audit_log::id.desc()))
        .select((
            audit_log::id,
            audit_log::account_id,
            audit_log::actor_type,
            audit_log::actor_id,
            users::display_name.nullable(),
            account_service_keys::label.nullable(),
            extensions::name.nullable(),
            automations::name.nullable(),
            audit_log::action,
            audit_log::resource_type,
            audit_log::resource_id,
            audit_log::metadata,
            audit_log::ip,
            audit_log::created_at,
        ))
        .load(connection)
        .await?;
    Ok(Page { items: rows.into_iter().map(entry).collect(), total, window })
}

type Condition<'a> = Box<
    dyn BoxableExpression<
            audit_log::table,
            Pg,
            SqlType = diesel::sql_types::Nullable<diesel::sql_types::Bool>,
        > + 'a,
>;

fn condition<'a>(wanted: &'a AuditFilter<'_>) -> Condition<'a> {
    let scopes = wanted.scopes.iter().map(|scope| match scope {
        AuditScope::System => "system",
        AuditScope::Account => "account",
        AuditScope::User => "user",
    });
    let mut condition: Condition<'a> = Box::new(audit_log::scope.eq_any(scopes).nullable());
    if let Some(account) = wanted.account {
        condition = Box::new(condition.and(audit_log::account_id.eq(account)));
    }
    if let Some(action) = &wanted.action {
        condition = Box::new(condition.and(audit_log::action.eq(action)));
    }
    if let Some(actor) = wanted.actor {
        condition = Box::new(condition.and(audit_log::actor_id.eq(actor)));
    }
    if let Some(resource_type) = &wanted.resource_type {
        condition = Box::new(condition.and(audit_log::resource_type.eq(resource_type)));
    }
    if let Some(from) = wanted.from {
        condition = Box::new(condition.and(audit_log::created_at.ge(from)));
    }
    if let Some(to) = wanted.to {
        condition = Box::new(condition.and(audit_log::created_at.lt(to)));
    }
    condition
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
        created_at: row.created_at,
    }
}
