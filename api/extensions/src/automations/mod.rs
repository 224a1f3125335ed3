//! Automation nodes of installed extensions, and the webhooks of trigger nodes
//! (reference/automations.md#installed-nodes).

mod db;
pub mod graphql;
mod receive;
pub mod rest;

use api_core::token;
use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants},
    graphql::Json,
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{AutomationNode, Manifest, TriggerMode, feeds::NodeType};
use foundation::{
    audit::{self, Entry},
    crypto::{SecretLocation, row},
};
use juniper::{GraphQLEnum, GraphQLObject};
use rand::RngExt;
use serde::Serialize;
use serde_json::json;
use shared::{catalogue::AccountPermission, secret::Secret};
use utoipa::ToSchema;
use uuid::Uuid;

pub(crate) use db::without_automations;
pub use receive::{RECEIVE_AUTOMATION_WEBHOOK, receive_automation_webhook};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&INSTALLED_AUTOMATION_NODES, &AUTOMATION_WEBHOOK_URL, &RECEIVE_AUTOMATION_WEBHOOK];

/// Maximum body of a webhook, in bytes (reference/automations.md#receiving).
pub const MAX_BODY_BYTES: usize = 64 * 1024;
const SECRET_BYTES: usize = 32;
const NO_TRIGGER: &str = "Automation trigger not found";

/// An automation node of an installed extension (docs/reference/automations.md#installed-nodes).
#[derive(Debug, Clone, PartialEq, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct ExtensionAutomationNode {
    /// Extension of the node.
    pub extension_id: Uuid,
    /// Install of the extension.
    pub install_id: Uuid,
    /// Display name.
    pub name: String,
    /// Role of the node in an automation.
    pub node_type: AutomationNodeType,
    /// JSON Schema; null when the node declares none.
    pub input_schema: Option<Json>,
    /// JSON Schema; null when the node declares none.
    pub output_schema: Option<Json>,
    /// Source of a trigger node's starts; null for other nodes.
    pub trigger_mode: Option<AutomationTriggerMode>,
    /// Icon, or null.
    pub icon: Option<String>,
    /// Colour, or null.
    pub color: Option<String>,
}

/// Role of a node in an automation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationNodeType {
    /// Starts the automation.
    Trigger,
    /// Has an effect.
    Action,
    /// Decides on the path.
    Logic,
}

/// Source of a trigger node's starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AutomationTriggerMode {
    /// A webhook.
    Webhook,
    /// Calls at an interval.
    Polling,
    /// Webhook and calls at an interval.
    Both,
}

/// Webhook of a trigger node.
#[derive(Clone, PartialEq, Eq, Serialize, GraphQLObject, ToSchema)]
pub struct AutomationWebhook {
    /// Address that other services send to.
    pub webhook_url: String,
    /// Secret for the header `X-Webhook-Secret`.
    pub webhook_secret: String,
}

pub static INSTALLED_AUTOMATION_NODES: Operation<AccountCaller> =
    Operation::account("installedAutomationNodes", AccountPermission::AutomationsRead, Grants::Nothing);

/// Lists the automation nodes of the account's installed extensions.
///
/// The list holds nodes of installs that run, in the order of their installation, at most 1,000. An install
/// whose manifest cannot be read is left out.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn installed_automation_nodes(cx: &Cx) -> Result<Vec<ExtensionAutomationNode>> {
    let caller = cx.authorize(&INSTALLED_AUTOMATION_NODES).await?;
    let installs = db::nodes(&mut *caller.db().await?, caller.account).await?;
    Ok(installs.into_iter().filter_map(node).collect())
}

pub static AUTOMATION_WEBHOOK_URL: Operation<AccountCaller> =
    Operation::account("automationWebhookUrl", AccountPermission::AutomationsRead, Grants::Nothing);

/// Returns address and secret of a trigger node's webhook.
///
/// The secret is created by the first call and then kept; its creation is an audit entry. The address is the
/// same for all automations of an install: the secret selects the trigger node.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 404 when the account's automation has no such node with a webhook.
#[api_core::operation]
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
            let held = db::lock_webhook(connection, caller.account, install_id, automation_id).await?;
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

/// Opens the secret of a locked trigger, or creates it.
async fn secret(cx: &Cx, connection: &mut AsyncPgConnection, held: &db::Webhook) -> Result<Secret> {
    let name = row(held.id);
    let place =
        SecretLocation { table: "automation_trigger_registrations", column: "webhook_secret", row: &name };
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

/// `None` for an install whose manifest cannot be read; it does not run.
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
