//! What the workers read and write (specification B §4.4, C B5, B17). System keys only; raw bodies; types of
//! [`shared::feeds`].

mod automation_triggers;
mod db;
mod feeds;
pub mod rest;
mod secrets;
mod telemetry;

use api_core::{
    Cx, Input, Operation, Result,
    access::{AnyOperation, Grants, System},
    page::checked_limit,
};
use serde::Deserialize;
use shared::feeds::{ActiveAccounts, HandlerFeed, NodeFeed, TriggerFeed};
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

/// Which installs a handler feed holds; without either, all.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
pub struct HandlersQuery {
    pub account_id: Option<Uuid>,
    pub install_id: Option<Uuid>,
}

/// A page of the active accounts.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ActiveQuery {
    /// 1 to 10,000; 10,000 when absent.
    #[param(minimum = 1, maximum = 10000)]
    pub limit: Option<i64>,
    /// `next` of the page before.
    pub after: Option<Uuid>,
}

/// Code of bot modules.
pub static INTERNAL_BOT_MODULE_HANDLERS: Operation<System> =
    Operation::internal("internalBotModuleHandlers", Grants::Nothing);

/// Lists installed bot modules with their code, those that are switched off included.
///
/// # Errors
/// As the rule; 400 for a malformed id.
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

/// Triggers of bot modules.
pub static INTERNAL_BOT_MODULE_TRIGGERS: Operation<System> =
    Operation::internal("internalBotModuleTriggers", Grants::Nothing);

/// Lists what triggers an account's bot modules; those that are switched off or killed are left out.
///
/// # Errors
/// As the rule; 400 for a malformed id.
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

/// Code of automation nodes.
pub static INTERNAL_AUTOMATION_NODE_HANDLERS: Operation<System> =
    Operation::internal("internalAutomationNodeHandlers", Grants::Nothing);

/// Lists installed automation nodes with their code, those that are switched off included.
///
/// # Errors
/// As the rule; 400 for a malformed id.
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

/// Accounts that workers serve.
pub static INTERNAL_ACTIVE_ACCOUNTS: Operation<System> =
    Operation::internal("internalActiveAccounts", Grants::Nothing);

/// Lists accounts with an enabled bot or install.
///
/// # Errors
/// As the rule; 400 for a limit out of bounds.
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
