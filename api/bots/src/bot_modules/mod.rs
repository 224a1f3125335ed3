//! Bot modules (reference/bots.md#bot-modules): the built-in ones with their settings, those of installed
//! extensions, and the kill switch.

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
use extension_model::system::{BOT_MODULES, SystemModule};
use foundation::audit;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};
use utoipa::ToSchema;
use uuid::Uuid;

pub use kill::{KILL_BOT_MODULE, KillBotModuleInput, kill_bot_module};

use changed::Change;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] =
    &[&BOT_MODULES_LIST, &BOT_MODULE, &UPDATE_BOT_MODULE, &DELETE_BOT_MODULE, &KILL_BOT_MODULE];

/// Bot module of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct BotModule {
    /// Source of the module.
    pub source: BotModuleSource,
    /// `link_protection`, `spam_protection`, `word_filter` or `timed_messages`; for an extension its name.
    pub name: String,
    /// Identifier of the install. Null when a built-in module was never installed.
    pub install_id: Option<Uuid>,
    /// False when it is switched off or killed.
    pub enabled: bool,
    /// Settings; for a built-in module with the defaults of absent ones.
    pub config: Json,
    /// Roles of chatters whose messages the module skips.
    pub exempt_roles: ExemptRoles,
    /// True when it is stopped by the kill switch. Enabling the install lifts it.
    pub killed: bool,
}

/// Source of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BotModuleSource {
    /// Built-in module.
    Builtin,
    /// Installed extension.
    Extension,
}

/// Roles of chatters whose messages a module skips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, GraphQLObject, ToSchema)]
pub struct ExemptRoles {
    /// True: messages of moderators are skipped.
    pub moderator: bool,
    /// True: messages of VIPs are skipped.
    pub vip: bool,
    /// True: messages of subscribers are skipped.
    pub subscriber: bool,
}

/// Roles of chatters whose messages a module skips. An absent role is not skipped.
#[derive(Debug, Clone, Copy, Default, Deserialize, GraphQLInputObject, ToSchema)]
pub struct ExemptRolesInput {
    /// True: messages of moderators are skipped.
    pub moderator: Option<bool>,
    /// True: messages of VIPs are skipped.
    pub vip: Option<bool>,
    /// True: messages of subscribers are skipped.
    pub subscriber: Option<bool>,
}

/// Complete state of a built-in module, which replaces the present one.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[graphql(scalar = juniper::DefaultScalarValue)]
#[schema(example = json!({
    "enabled": true,
    "config": { "action": "timeout", "timeout_secs": 30 },
    "exempt_roles": { "moderator": true, "vip": true },
}))]
pub struct UpdateBotModuleInput {
    /// True switches the module on.
    pub enabled: bool,
    /// Settings of the module; absent ones have their defaults.
    pub config: Option<Json>,
    /// Roles that are skipped; moderators when absent.
    pub exempt_roles: Option<ExemptRolesInput>,
}

pub static BOT_MODULES_LIST: Operation<AccountCaller> =
    Operation::account("botModules", AccountPermission::BotModulesRead, Grants::Nothing)
        .feature(Feature::BotModules)
        .polled();

/// Lists the bot modules of the account.
///
/// The built-in modules are first, then those of installed extensions in the order of their installation.
///
/// # Errors
/// Refusals of the access rule.
#[api_core::operation]
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

pub static BOT_MODULE: Operation<AccountCaller> =
    Operation::account("botModule", AccountPermission::BotModulesRead, Grants::Nothing)
        .feature(Feature::BotModules);

/// Returns a built-in module.
///
/// # Errors
/// Refusals of the access rule; 400 for a name that no built-in module has.
#[api_core::operation]
pub async fn bot_module(cx: &Cx, name: &str) -> Result<BotModule> {
    let caller = cx.authorize(&BOT_MODULE).await?;
    let module = named(name)?;
    let row = db::find(&mut *caller.db().await?, caller.account, module.extension_id).await?;
    db::built_in(module, row.as_ref())
}

pub static UPDATE_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("updateBotModule", AccountPermission::BotModulesEdit, Grants::Nothing)
        .feature(Feature::BotModules);

/// Replaces the settings of a built-in module and switches it on or off.
///
/// A kill stays until the install is enabled. The settings of each module are described in the reference
/// (reference/bots.md#built-in-modules).
///
/// # Errors
/// Refusals of the access rule; 400 for a name that no built-in module has; 403 `FEATURE_DISABLED` when the
/// module's own flag is off; 400 for an invalid setting.
#[api_core::operation]
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

pub static DELETE_BOT_MODULE: Operation<AccountCaller> =
    Operation::account("deleteBotModule", AccountPermission::BotModulesEdit, Grants::Nothing)
        .feature(Feature::BotModules);

/// Switches a built-in module off and deletes its settings.
///
/// The module stays installed.
///
/// # Errors
/// Refusals of the access rule; 400 for a name that no built-in module has.
#[api_core::operation]
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

/// Requires the module's own flag, which each built-in module has beside `feature:bot_modules`
/// (reference/features.md#flags-of-installs).
async fn require_flag(cx: &Cx, account: AccountId, module: &SystemModule) -> Result<()> {
    account_features(cx.state(), account).await?.require(&module.flag())
}
