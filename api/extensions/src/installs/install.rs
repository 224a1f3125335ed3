//! Installation of extensions.

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, account_features},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use extension_model::{Category, Manifest, adopt_uploads, retained_data, sealed, system::needed_features};
use serde_json::Map;
use shared::{
    catalogue::{AccountPermission, Feature},
    id::AccountId,
};

use super::{
    Change, ExtensionInstall, InstallExtensionInput,
    db::{self, views},
    refused, settings,
};

/// Maximum number of installs of one account.
const MAX_INSTALLS: i64 = 500;

api_core::limits::submit! {
    api_core::limits::CountLimit::of_account(
        "extension_installs",
        MAX_INSTALLS,
        "SELECT count(*) FROM extension_installs WHERE account_id = $1",
    )
}

pub static INSTALL_EXTENSION: Operation<AccountCaller> =
    Operation::account("installExtension", AccountPermission::ExtensionStoreInstall, Grants::Extensions)
        .feature(Feature::Extensions)
        .idempotent();

/// Installs the current version of an extension.
///
/// - The developer of a private or unlisted extension gets its newest upload, reviewed or not, in accounts
///   that the developer owns. Testers get versions in testing in accounts that they own.
/// - `granted_permissions` is the account's consent and must be equal to what the extension asks for.
/// - An extension is installed once in an account. Widgets without a bot module and a node may be installed
///   repeatedly.
/// - Data of an earlier install of the account that is still kept is taken over.
///
/// Workers and open sockets are informed.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 when the consent differs from what the extension asks for, or a setting is invalid.
/// - 403 `Purchase required` for an extension that is not free.
/// - 403 `FEATURE_DISABLED` when a feature that it needs is off.
/// - 403 `PLAN_LIMIT_REACHED` above 500 installs.
/// - 404 when the extension does not exist or is not offered to the caller.
/// - 409 when it is installed already.
#[api_core::operation]
pub async fn install_extension(cx: &Cx, input: Input<InstallExtensionInput>) -> Result<ExtensionInstall> {
    let caller = cx.authorize(&INSTALL_EXTENSION).await?;
    let input = input?;
    let config = settings(input.config)?;
    let features = account_features(cx.state(), caller.account).await?;
    for feature in needed_features(input.extension_id) {
        features.require(&feature)?;
    }
    let install = caller
        .db()
        .await?
        .transaction(async |connection| {
            // Counted first: this locks the row, so that concurrent installs of one account run one after the
            // other.
            let offered = db::offered(connection, input.extension_id, caller.user, caller.account).await?;
            let offer = offered.ok_or_else(|| ApiError::not_found("Extension not found"))?;
            let manifest = Manifest::stored(offer.manifest.clone())?;
            consented(&input.granted_permissions, &manifest.permissions)?;
            manifest.config_schema.check(&config).map_err(refused)?;
            free_place(connection, caller.account, &offer, &manifest).await?;
            if !offer.is_own && (offer.visibility == "paid" || offer.pricing_type != "free") {
                return Err(ApiError::forbidden("Purchase required"));
            }
            let (id, now) = (shared::id::new(), cx.state().clock.now());
            let config = sealed(&cx.state().keyring, &manifest.config_schema, id, config, &Map::new())?;
            let new = db::NewInstall {
                id,
                account_id: caller.account,
                extension_id: input.extension_id,
                version_id: offer.version_id,
                config: config.into(),
                granted_permissions: manifest.permissions,
                installed_by: cx.principal().author(),
                created_at: now,
                updated_at: now,
            };
            db::insert(connection, new).await?;
            retained_data::adopt(connection, caller.account.uuid(), input.extension_id, id).await?;
            adopt_uploads(connection, caller.account, input.extension_id).await?;
            let mut entry = cx.audit("extension:installed", "extension_install", id);
            entry.metadata =
                serde_json::json!({ "extension_id": input.extension_id, "version": offer.version });
            foundation::audit::record(connection, entry).await?;
            views::find(connection, caller.account, id, &features).await?.ok_or_else(super::not_found)
        })
        .await?;
    Change::Created(&install).announce(cx, caller.account).await;
    Ok(install)
}

/// Checks that the consent is equal to the permissions that are asked for.
fn consented(granted: &[String], asked: &[String]) -> Result<()> {
    let covers =
        |these: &[String], those: &[String]| those.iter().all(|permission| these.contains(permission));
    if covers(granted, asked) && covers(asked, granted) {
        return Ok(());
    }
    Err(ApiError::invalid("All requested permissions must be granted"))
}

/// Checks for one install of an extension in an account. Widgets may be installed repeatedly, unless they
/// have a bot module or a node, which would act once for each install.
async fn free_place(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    offer: &db::Offer,
    manifest: &Manifest,
) -> Result<()> {
    let (all, of_extension) = db::count(connection, account, offer.extension_id).await?;
    let is_repeatable = manifest.category == Category::Widget
        && manifest.bot_module.is_none()
        && manifest.automation_node.is_none();
    if of_extension > 0 && !is_repeatable {
        return Err(ApiError::conflict("Extension is already installed"));
    }
    if all >= MAX_INSTALLS {
        let message = format!("An account can have at most {MAX_INSTALLS} extensions");
        return Err(ApiError::new(Code::PlanLimitReached, message));
    }
    Ok(())
}
