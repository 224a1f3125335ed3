//! What automations have of extensions: the nodes that are installed, and the webhooks of trigger nodes (specification
//! B §4.4, C B9.3).

mod db;
pub mod graphql;
mod receive;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use juniper::{GraphQLEnum, GraphQLObject};
use rand::RngExt;
use serde::Serialize;
use serde_json::json;
use shared::{
    audit::{self, Entry},
    catalogue::AccountPermission,
    crypto::{Place, row},
    extensions::{AutomationNode, Manifest, TriggerMode},
    feeds::NodeType,
    secret::Secret,
    token,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use receive::{RECEIVE_AUTOMATION_WEBHOOK, receive_automation_webhook};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&INSTALLED_AUTOMATION_NODES, &AUTOMATION_WEBHOOK_URL, &RECEIVE_AUTOMATION_WEBHOOK];

/// Largest body that a webhook forwards (C B9.3).
pub const MAX_BODY_BYTES: usize = 64 * 1024;
const SECRET_BYTES: usize = 32;
const NO_TRIGGER: &str = "Automation trigger not found";

/// A node that an installed extension brings (B §2.6).
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionAutomationNode {
    pub extension_id: Uuid,
    pub install_id: Uuid,
    pub name: String,
    pub node_type: AutomationNodeType,
    /// JSON Schema; null when the node declares none.
    pub input_schema: Option<Json>,
    /// JSON Schema; null when the node declares none.
    pub output_schema: Option<Json>,
    /// Of trigger nodes.
    pub trigger_mode: Option<AutomationTriggerMode>,
    pub icon: Option<String>,
    pub color: Option<String>,
}

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationNodeType {
    Trigger,
    Action,
    Logic,
}

/// How a trigger node learns that something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationTriggerMode {
    Webhook,
    Polling,
    Both,
}

/// Where others tell a trigger node that something happened.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AutomationWebhook {
    pub webhook_url: String,
    /// To be sent as `X-Webhook-Secret`.
    pub webhook_secret: String,
}

/// The nodes of installed extensions.
pub static INSTALLED_AUTOMATION_NODES: Operation<AccountCaller> =
    Operation::account("installedAutomationNodes", AccountPermission::AutomationsRead, Grants::Nothing);

/// Lists the automation nodes of the account's installs that run, in the order of their installation.
///
/// # Errors
/// As the rule.
pub async fn installed_automation_nodes(cx: &Cx) -> Result<Vec<ExtensionAutomationNode>> {
    let caller = cx.authorize(&INSTALLED_AUTOMATION_NODES).await?;
    let installs = db::nodes(&mut *caller.db().await?, caller.account).await?;
    Ok(installs.into_iter().filter_map(node).collect())
}

/// The webhook of a trigger node.
pub static AUTOMATION_WEBHOOK_URL: Operation<AccountCaller> =
    Operation::account("automationWebhookUrl", AccountPermission::AutomationsRead, Grants::Nothing);

/// Shows address and secret of an install's trigger node in an automation. The secret is made when it is first asked
/// for and stays.
///
/// # Errors
/// As the rule; 404 when the account's automation has no such node that listens to a webhook.
pub async fn automation_webhook_url(
    cx: &Cx,
    install_id: Input<Uuid>,
    automation_id: Input<Uuid>,
) -> Result<AutomationWebhook> {
    let caller = cx.authorize(&AUTOMATION_WEBHOOK_URL).await?;
    let (install_id, automation_id) = (install_id?, automation_id?);
    let trigger = caller
        .db()
        .await?
        .transaction(async |connection| {
            let held = db::hold_webhook(connection, caller.account, install_id, automation_id).await?;
            let held = held.ok_or_else(|| ApiError::not_found(NO_TRIGGER))?;
            let secret = secret(cx, connection, &held).await?;
            Ok::<_, ApiError>((held.extension_id, secret))
        })
        .await?;
    let (extension_id, secret) = trigger;
    let base = cx.state().config.http.public_url.as_str().trim_end_matches('/').to_owned();
    Ok(AutomationWebhook {
        webhook_url: format!("{base}/v1/automation/webhooks/{extension_id}/{install_id}"),
        webhook_secret: secret.expose().to_owned(),
    })
}

/// The secret of a trigger that is held.
async fn secret(cx: &Cx, connection: &mut AsyncPgConnection, held: &db::Webhook) -> Result<Secret> {
    let name = row(held.id);
    let place = Place { table: "automation_trigger_registrations", column: "webhook_secret", row: &name };
    let keyring = &cx.state().keyring;
    if let Some(sealed) = &held.secret {
        return Ok(keyring.open(place, sealed)?);
    }
    let secret = Secret::new(URL_SAFE_NO_PAD.encode(rand::rng().random::<[u8; SECRET_BYTES]>()));
    let sealed = keyring.seal(place, &secret)?;
    let now = cx.state().clock.now();
    db::put_secret(connection, held.id, &sealed, &token::hash(secret.expose()), now).await?;
    let entry = Entry {
        metadata: json!({ "automation_id": held.automation_id, "install_id": held.install_id }),
        ..cx.audit("automation_webhook:secret_made", "automation_trigger", held.id)
    };
    audit::record(connection, entry).await?;
    Ok(secret)
}

/// `None` for an install whose manifest cannot be read: it does not run either.
fn node(install: db::NodeRow) -> Option<ExtensionAutomationNode> {
    let manifest = Manifest::stored(install.manifest).inspect_err(|error| {
        tracing::error!(install_id = %install.id, %error, "the manifest of an install cannot be read");
    });
    let AutomationNode { node_type, name, icon, color, input_schema, output_schema, trigger_mode, .. } =
        manifest.ok()?.automation_node?;
    let declared = |schema: serde_json::Value| (!schema.is_null()).then_some(Json(schema));
    Some(ExtensionAutomationNode {
        extension_id: install.extension_id,
        install_id: install.id,
        name,
        node_type: match node_type {
            NodeType::Trigger => AutomationNodeType::Trigger,
            NodeType::Action => AutomationNodeType::Action,
            NodeType::Logic => AutomationNodeType::Logic,
        },
        input_schema: declared(input_schema),
        output_schema: declared(output_schema),
        trigger_mode: trigger_mode.map(|mode| match mode {
            TriggerMode::Webhook => AutomationTriggerMode::Webhook,
            TriggerMode::Polling => AutomationTriggerMode::Polling,
            TriggerMode::Both => AutomationTriggerMode::Both,
        }),
        icon,
        color,
    })
}
