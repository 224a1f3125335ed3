//! Bot modules (specification B §4.4, C B8): the built-in ones with their settings, those of installed extensions beside
//! them, and the kill switch.

mod changed;
mod db;
pub mod graphql;
mod kill;
pub mod rest;
mod settings;

use api_core::{
    ApiError, Cx, Input, Operation, Result,
    access::{AccountCaller, AnyOperation, Grants, account_features},
    graphql::Json,
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use shared::{
    audit,
    catalogue::{AccountPermission, Feature},
    extensions::system::{BOT_MODULES, SystemModule},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use kill::{KILL_BOT_MODULE, KillBotModuleInput, kill_bot_module};

use changed::Change;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&BOT_MODULES_LIST, &BOT_MODULE, &UPDATE_BOT_MODULE, &DELETE_BOT_MODULE, &KILL_BOT_MODULE];

/// A bot module of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BotModule {
    pub source: BotModuleSource,
    /// `link_protection`, `spam_protection`, `word_filter` or `timed_messages`; of an extension its name.
    pub name: String,
    /// Null when a built-in module was never installed.
    pub install_id: Option<Uuid>,
    /// False when switched off or killed.
    pub enabled: bool,
    /// Settings; of a built-in module with the defaults where the account set nothing.
    pub config: Json,
    /// Chatters whose messages it does not look at.
    pub exempt_roles: ExemptRoles,
    /// Stopped by the kill switch. Switching the install on lifts it.
    pub killed: bool,
}

/// Where a module comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotModuleSource {
    Builtin,
    Extension,
}

/// Chatters whose messages a module does not look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, GraphQLObject, ToSchema)]
pub struct ExemptRoles {
    pub moderator: bool,
    pub vip: bool,
    pub subscriber: bool,
}

/// Chatters whose messages a module is not to look at; who is left out is looked at.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ExemptRolesInput {
    pub moderator: Option<bool>,
    pub vip: Option<bool>,
    pub subscriber: Option<bool>,
}

/// How a built-in module is to be; it replaces what was.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "enabled": true,
    "config": { "action": "timeout", "timeout_secs": 30 },
    "exempt_roles": { "moderator": true, "vip": true },
}))]
pub struct UpdateBotModuleInput {
    pub enabled: bool,
    /// Settings of C B8; the defaults for those that are absent.
    pub config: Option<Json>,
    /// Moderators when absent.
    pub exempt_roles: Option<ExemptRolesInput>,
}

/// The account's modules.
pub static BOT_MODULES_LIST: Operation<AccountCaller> =
    Operation::account("botModules", AccountPermission::BotModulesRead, Grants::Nothing)
        .feature(Feature::BotModules);

/// Lists the built-in modules, then those of installed extensions in the order of their installation.
///
/// # Errors
/// As the rule.
pub async fn bot_modules(cx: &Cx) -> Result<Vec<BotModule>> {
    let caller = cx.authorize(&BOT_MODULES_LIST).await?;
    let (built_in, installed): (Vec<_>, Vec<_>) = db::list(&mut *caller.db().await?, caller.account)
        .await?
        .into_iter()
        .partition(|row| SystemModule::of(row.extension_id).is_some());
    let find = |module: &SystemModule| built_in.iter().find(|row| row.extension_id == module.extension_id);
    let built_in = BOT_MODULES.iter().map(|module| db::built_in(module, find(module)));
    built_in.chain(installed.into_iter().map(db::Row::into_module)).collect()
}

/// A built-in module.
pub static BOT_MODULE: Operation<AccountCaller> =
    Operation::account("botModule", AccountPermission::BotModulesRead, Grants::Nothing)
        .feature(Feature::BotModules);

/// Reads a built-in module.
///
/// # Errors
/// As the rule; 400 for a name that is no built-in module's.
pub async fn bot_module(cx: &Cx, name: &str) -> Result<BotModule> {
    let caller = cx.authorize(&BOT_MODULE).await?;
    let module = named(name)?;
    let row = db::find(&mut *caller.db().await?, caller.account, module.extension_id).await?;
    db::built_in(module, row.as_ref())
}

/// Sets a built-in module.
pub static UPDATE_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("updateBotModule", AccountPermission::BotModulesEdit, Grants::Nothing)
        .feature(Feature::BotModules);

/// Replaces the settings of a built-in module and switches it on or off. A kill stays until the install is switched on
/// (C B8).
///
/// # Errors
/// As the rule; 400 for a name that is no built-in module's; 403 `FEATURE_DISABLED` when the module's own flag is off;
/// 400 for a wrong setting.
pub async fn update_bot_module(cx: &Cx, name: &str, input: Input<UpdateBotModuleInput>) -> Result<BotModule> {
    let caller = cx.authorize(&UPDATE_BOT_MODULE).await?;
    let module = named(name)?;
    require_flag(cx, caller.account, module).await?;
    let input = input?;
    let config = settings::checked(module, input.config)?;
    let exempt = settings::exempt(input.exempt_roles);
    let (row, updated) = caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = db::locked(connection, caller.account, module.extension_id).await?;
            let now = cx.state().clock.now();
            let set = db::Settings { enabled: input.enabled, config: config.into(), exempt_roles: exempt };
            let row = db::set(connection, caller.account, row.id, set, now).await?;
            let mut entry = cx.audit("bot_module:updated", "extension_install", row.id);
            entry.metadata = json!({ "name": module.name, "enabled": input.enabled });
            audit::record(connection, entry).await?;
            let updated = db::built_in(module, Some(&row))?;
            Ok::<_, ApiError>((row, updated))
        })
        .await?;
    Change::Updated(module, &row, &updated).announce(cx, caller.account).await;
    Ok(updated)
}

/// Gives up the settings of a built-in module.
pub static DELETE_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("deleteBotModule", AccountPermission::BotModulesEdit, Grants::Nothing)
        .feature(Feature::BotModules);

/// Switches a built-in module off and forgets its settings; it stays installed (C B4).
///
/// # Errors
/// As the rule; 400 for a name that is no built-in module's.
pub async fn delete_bot_module(cx: &Cx, name: &str) -> Result<()> {
    let caller = cx.authorize(&DELETE_BOT_MODULE).await?;
    let module = named(name)?;
    let (row, updated) = caller
        .db()
        .await?
        .transaction(async |connection| {
            let row = db::locked(connection, caller.account, module.extension_id).await?;
            let set = db::Settings {
                enabled: false,
                config: Map::new().into(),
                exempt_roles: settings::exempt(None),
            };
            let row = db::set(connection, caller.account, row.id, set, cx.state().clock.now()).await?;
            let mut entry = cx.audit("bot_module:deleted", "extension_install", row.id);
            entry.metadata = json!({ "name": module.name });
            audit::record(connection, entry).await?;
            let updated = db::built_in(module, Some(&row))?;
            Ok::<_, ApiError>((row, updated))
        })
        .await?;
    Change::Updated(module, &row, &updated).announce(cx, caller.account).await;
    Ok(())
}

fn named(name: &str) -> Result<&'static SystemModule> {
    SystemModule::named(name).ok_or_else(|| {
        let names: Vec<&str> = BOT_MODULES.iter().map(|module| module.name).collect();
        ApiError::invalid(format!("name must be one of {}", names.join(", ")))
    })
}

/// Beside `feature:bot_modules` each built-in module has a flag of its own (C §7.2).
async fn require_flag(cx: &Cx, account: AccountId, module: &SystemModule) -> Result<()> {
    account_features(cx.state(), account).await?.require(&module.flag())
}
