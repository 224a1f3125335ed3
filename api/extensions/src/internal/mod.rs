//! Internal routes of the workers (reference/telemetry.md#internal-feeds). They require a system key and have
//! raw bodies of the types in [`extension_model::feeds`].

mod automation_triggers;
mod db;
mod feeds;
pub mod rest;
mod secrets;
mod telemetry;
mod version;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, System},
    page::checked_limit,
};
use extension_model::feeds::{ActiveAccounts, HandlerFeed, NodeFeed, TriggerFeed};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

pub use automation_triggers::{
    INTERNAL_AUTOMATION_POLLS, INTERNAL_AUTOMATION_TRIGGER_STATE, INTERNAL_FIRE_AUTOMATION_TRIGGER,
    PollsQuery, internal_automation_polls, internal_automation_trigger_state,
    internal_fire_automation_trigger,
};
pub use secrets::{INTERNAL_EXTENSION_SECRETS, internal_extension_secrets};
pub use telemetry::{INTERNAL_TELEMETRY, internal_telemetry};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[
    &INTERNAL_BOT_MODULE_HANDLERS,
    &INTERNAL_BOT_MODULE_TRIGGERS,
    &INTERNAL_AUTOMATION_NODE_HANDLERS,
    &INTERNAL_AUTOMATION_POLLS,
    &INTERNAL_AUTOMATION_TRIGGER_STATE,
    &INTERNAL_FIRE_AUTOMATION_TRIGGER,
    &INTERNAL_ACTIVE_ACCOUNTS,
    &INTERNAL_EXTENSION_SECRETS,
    &INTERNAL_TELEMETRY,
];

const MAX_PAGE_SIZE: i64 = 10_000;

/// Filter of a handler feed; without either field the feed holds all installs.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct HandlersQuery {
    /// Account of the installs.
    pub account_id: Option<Uuid>,
    /// One install.
    pub install_id: Option<Uuid>,
}

/// Page of the active accounts.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActiveQuery {
    /// 1 to 10,000; 10,000 when absent.
    #[param(minimum = 1, maximum = 10000)]
    pub limit: Option<i64>,
    /// `next` of the page before.
    pub after: Option<Uuid>,
}

pub static INTERNAL_BOT_MODULE_HANDLERS: Operation<System> =
    Operation::internal("internalBotModuleHandlers", Grants::Nothing);

/// Lists installed bot modules with their code.
///
/// Disabled installs are included. Without a filter the feed is a full snapshot.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a malformed id.
#[api_core::operation]
pub async fn internal_bot_module_handlers(cx: &Cx, query: Input<HandlersQuery>) -> Result<HandlerFeed> {
    let system = cx.authorize(&INTERNAL_BOT_MODULE_HANDLERS).await?;
    let query = query?;
    let mut connection = system.db().await?;
    let installs = db::installs(&mut connection, db::Part::BotModule, query).await?;
    let versions = db::versions(&mut connection, &installs).await?;
    drop(connection);
    let installs =
        installs.into_iter().map(|install| feeds::handler_install(&cx.state().keyring, install, &versions));
    Ok(HandlerFeed { installs: installs.collect::<Result<_>>()? })
}

pub static INTERNAL_BOT_MODULE_TRIGGERS: Operation<System> =
    Operation::internal("internalBotModuleTriggers", Grants::Nothing);

/// Lists the triggers of an account's bot modules.
///
/// Disabled and killed installs are left out.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a malformed id.
#[api_core::operation]
pub async fn internal_bot_module_triggers(cx: &Cx, account_id: Input<Uuid>) -> Result<TriggerFeed> {
    let system = cx.authorize(&INTERNAL_BOT_MODULE_TRIGGERS).await?;
    let query = HandlersQuery { account_id: Some(account_id?), install_id: None };
    let mut connection = system.db().await?;
    let installs = db::installs(&mut connection, db::Part::BotModule, query).await?;
    let versions = db::versions(&mut connection, &installs).await?;
    let running = installs.into_iter().filter(|install| feeds::runs(install, &versions));
    let installs = running
        .map(|install| feeds::trigger_install(&cx.state().keyring, install, &versions))
        .collect::<Result<_>>()?;
    Ok(TriggerFeed { installs, killed: false })
}

pub static INTERNAL_AUTOMATION_NODE_HANDLERS: Operation<System> =
    Operation::internal("internalAutomationNodeHandlers", Grants::Nothing);

/// Lists installed automation nodes with their code.
///
/// Disabled installs are included. An install whose manifest cannot be read is left out. Without a filter the
/// feed is a full snapshot.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a malformed id.
#[api_core::operation]
pub async fn internal_automation_node_handlers(cx: &Cx, query: Input<HandlersQuery>) -> Result<NodeFeed> {
    let system = cx.authorize(&INTERNAL_AUTOMATION_NODE_HANDLERS).await?;
    let query = query?;
    let mut connection = system.db().await?;
    let installs = db::installs(&mut connection, db::Part::AutomationNode, query).await?;
    let versions = db::versions(&mut connection, &installs).await?;
    drop(connection);
    let installs = installs
        .into_iter()
        .map(|install| feeds::node_install(&cx.state().keyring, install, &versions).transpose());
    Ok(NodeFeed { installs: installs.flatten().collect::<Result<_>>()? })
}

pub static INTERNAL_ACTIVE_ACCOUNTS: Operation<System> =
    Operation::internal("internalActiveAccounts", Grants::Nothing);

/// Lists the accounts with an enabled bot or install, by id.
///
/// Installs of built-in widgets do not count, because they have nothing for a worker to run.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a limit out of bounds.
#[api_core::operation]
pub async fn internal_active_accounts(cx: &Cx, query: Input<ActiveQuery>) -> Result<ActiveAccounts> {
    let system = cx.authorize(&INTERNAL_ACTIVE_ACCOUNTS).await?;
    let query = query?;
    let limit = checked_limit(query.limit, MAX_PAGE_SIZE, MAX_PAGE_SIZE)?;
    let mut account_ids = db::active_accounts(&mut *system.db().await?, query.after, limit + 1).await?;
    let page = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = account_ids.len() > page;
    account_ids.truncate(page);
    Ok(ActiveAccounts { next: account_ids.last().copied().filter(|_| more), account_ids })
}
