//! Automations of an account (reference/automations.md#automations).

mod db;
mod fields;
pub mod graphql;
mod limit;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result,
    access::{AccountCaller, AnyOperation, Grants},
};
use automation_model::graph::Graph;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use foundation::audit::{self, Entry};
use juniper::GraphQLInputObject;
use serde::Deserialize;
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    id,
};
use surfaces::object_access::{ObjectAccess, ObjectKind};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    graphs::{self, check},
    objects::{Automation, AutomationSummary},
    stored::{self, Change, Row},
};
use fields::{Changes, Fields, MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &AUTOMATIONS,
    &AUTOMATION,
    &CREATE_AUTOMATION,
    &UPDATE_AUTOMATION,
    &DELETE_AUTOMATION,
    &DUPLICATE_AUTOMATION,
];

/// New automation.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "name": "Welcome", "description": "Greets raiders" }))]
pub struct CreateAutomationInput {
    /// 1 to 100 characters.
    #[schema(extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: String,
    /// At most 500 characters; empty is null.
    #[schema(extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Option<String>,
}

/// Changes of an automation. Absent fields stay.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(example = json!({ "name": "Welcome" }))]
pub struct AutomationChanges {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_NAME_LENGTH))))]
    pub name: Patch<String>,
    /// At most 500 characters; null or empty removes it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(MAX_DESCRIPTION_LENGTH))))]
    pub description: Patch<String>,
    /// True starts it by its triggers; its graph must be able to run.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub enabled: Patch<bool>,
}

pub static AUTOMATIONS: Operation<AccountCaller> =
    Operation::account("automations", AccountPermission::AutomationsRead, Grants::Nothing)
        .feature(Feature::Automations)
        .polled();

/// Lists the account's automations without their graphs, oldest first.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
pub async fn automations(cx: &Cx) -> Result<Vec<AutomationSummary>> {
    let caller = cx.authorize(&AUTOMATIONS).await?;
    let rows = db::list(&mut *caller.db().await?, caller.account).await?;
    Ok(rows.into_iter().map(AutomationSummary::of).collect())
}

pub static AUTOMATION: Operation<AccountCaller> =
    Operation::account("automation", AccountPermission::AutomationsRead, Grants::Nothing)
        .feature(Feature::Automations)
        .polled();

/// Returns one of the account's automations with its graph.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such automation.
#[api_core::operation]
pub async fn automation(cx: &Cx, id: Input<Uuid>) -> Result<Automation> {
    let caller = cx.authorize(&AUTOMATION).await?;
    let id = id?;
    let connection = &mut *caller.db().await?;
    // The version is read before the graph: a change between them makes the next one stale, never lost.
    let row = stored::find(connection, caller.account, id).await?;
    let graph = stored::graph_of(connection, caller.account, id).await?;
    Ok(Automation::of(row, graph))
}

pub static CREATE_AUTOMATION: Operation<AccountCaller> =
    Operation::account("createAutomation", AccountPermission::AutomationsCreate, Grants::Nothing)
        .feature(Feature::Automations)
        .idempotent();

/// Creates a disabled automation with an empty graph.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field; 403 `PLAN_LIMIT_REACHED` beyond the automations of
/// the plan.
#[api_core::operation]
pub async fn create_automation(cx: &Cx, input: Input<CreateAutomationInput>) -> Result<Automation> {
    let caller = cx.authorize(&CREATE_AUTOMATION).await?;
    let fields = Fields::new(input?)?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = insert(cx, connection, &caller, &fields).await?;
            let metadata = json!({ "name": fields.name });
            let entry = Entry { metadata, ..cx.audit("automation:created", "automation", row.id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(Automation::of(row, Graph::default()))
        })
        .await
}

pub static UPDATE_AUTOMATION: Operation<AccountCaller> =
    Operation::account("updateAutomation", AccountPermission::AutomationsEdit, Grants::Nothing)
        .feature(Feature::Automations);

/// Changes an automation, enables or disables it.
///
/// Without a field nothing changes. Runs that have begun go on when it is disabled.
///
/// # Errors
/// Refusals of the access rule; 400 for an invalid field, or when it is enabled with a graph that cannot run,
/// with an entry for each problem in `details.nodes`; 404 when the account has no such automation; 403
/// `FEATURE_DISABLED` when it is enabled with an action whose flag is off; 403 `PLAN_LIMIT_REACHED` when it is
/// enabled while the account has more automations than its plan includes.
#[api_core::operation]
pub async fn update_automation(
    cx: &Cx,
    id: Input<Uuid>,
    changes: Input<AutomationChanges>,
) -> Result<Automation> {
    let caller = cx.authorize(&UPDATE_AUTOMATION).await?;
    let (id, changes) = (id?, Changes::new(changes?)?);
    let account = caller.account;
    let (updated, has_changed) = caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, id).await?;
            let graph = stored::graph_of(connection, account, id).await?;
            let names = changes.names();
            if names.is_empty() {
                return Ok((Automation::of(row, graph), false));
            }
            let set = prepared(cx, connection, (&row, &graph), changes).await?;
            let now = cx.state().clock.now();
            let row = db::change(connection, account, id, &set, now).await?;
            stored::publish(connection, account, (id, row.version), Change::Updated, now).await?;
            let metadata = json!({ "fields": names, "enabled": row.enabled });
            let entry = Entry { metadata, ..cx.audit("automation:updated", "automation", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>((Automation::of(row, graph), true))
        })
        .await?;
    if has_changed {
        stored::announce(cx, account).await;
    }
    Ok(updated)
}

pub static DELETE_AUTOMATION: Operation<AccountCaller> =
    Operation::account("deleteAutomation", AccountPermission::AutomationsDelete, Grants::Nothing)
        .feature(Feature::Automations);

/// Deletes an automation with its graph, runs and webhook secrets.
///
/// Runs that have not ended stop before their next step.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such automation.
#[api_core::operation]
pub async fn delete_automation(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let caller = cx.authorize(&DELETE_AUTOMATION).await?;
    let (id, account) = (id?, caller.account);
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = stored::lock(connection, account, id).await?;
            db::delete(connection, account, id).await?;
            let now = cx.state().clock.now();
            stored::publish(connection, account, (id, row.version), Change::Deleted, now).await?;
            let metadata = json!({ "name": row.name });
            let entry = Entry { metadata, ..cx.audit("automation:deleted", "automation", id) };
            audit::record(connection, entry).await?;
            Ok::<_, ApiError>(())
        })
        .await?;
    stored::announce(cx, account).await;
    Ok(())
}

pub static DUPLICATE_AUTOMATION: Operation<AccountCaller> =
    Operation::account("duplicateAutomation", AccountPermission::AutomationsCreate, Grants::Nothing)
        .feature(Feature::Automations)
        .idempotent();

/// Copies an automation with its graph.
///
/// The copy is disabled and has ` (copy)` at the end of its name. Its nodes keep their ids. Runs and webhook
/// secrets are not copied.
///
/// # Errors
/// Refusals of the access rule; 404 when the account has no such automation; 403 for a node that shows or hides
/// layers of an overlay whose access entries do not let the caller change it; 403 `PLAN_LIMIT_REACHED` beyond the
/// automations of the plan.
#[api_core::operation]
pub async fn duplicate_automation(cx: &Cx, id: Input<Uuid>) -> Result<Automation> {
    let caller = cx.authorize(&DUPLICATE_AUTOMATION).await?;
    let (id, account) = (id?, caller.account);
    let access = ObjectAccess::of(cx, account, ObjectKind::Overlay).await?;
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let source = stored::lock(connection, account, id).await?;
            let graph = stored::graph_of(connection, account, id).await?;
            graphs::layers::require_access(connection, &access, &graph, &[]).await?;
            let fields = Fields::of_copy(source);
            let copy = insert(cx, connection, &caller, &fields).await?.id;
            graphs::save(connection, account, (copy, false), &graph, cx.state().clock.now()).await?;
            let metadata = json!({ "name": fields.name, "source_id": id });
            let entry = Entry { metadata, ..cx.audit("automation:duplicated", "automation", copy) };
            audit::record(connection, entry).await?;
            Ok(Automation::of(stored::find(connection, account, copy).await?, graph))
        })
        .await
}

/// Takes a place of the plan and stores an empty automation.
async fn insert(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    caller: &AccountCaller,
    fields: &Fields,
) -> Result<Row> {
    let (account, now) = (caller.account, cx.state().clock.now());
    limit::require_place(connection, account).await?;
    let new = db::NewAutomation {
        id: id::new(),
        account_id: account,
        name: &fields.name,
        description: fields.description.as_deref(),
        created_by: cx.principal().author().map(|user| user.0),
        created_at: now,
        updated_at: now,
    };
    let row = db::insert(connection, &new).await?;
    stored::publish(connection, account, (row.id, row.version), Change::Created, now).await?;
    Ok(row)
}

/// Columns of a change. An automation that is enabled must be able to run, within the plan.
async fn prepared(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    (row, graph): (&Row, &Graph),
    changes: Changes,
) -> Result<db::Changes> {
    let account = row.account_id;
    let mut set = db::Changes {
        name: changes.name,
        description: changes.description,
        enabled: changes.enabled,
        next_run_at: None,
    };
    match changes.enabled {
        Some(true) if !row.enabled => {
            check::require_runnable(cx, connection, account, graph).await?;
            limit::require_within(connection, account).await?;
            let now = cx.state().clock.now();
            set.next_run_at = Some(graphs::next_run(connection, account, graph, now).await?);
        }
        Some(false) => set.next_run_at = Some(None),
        Some(true) | None => {}
    }
    Ok(set)
}
