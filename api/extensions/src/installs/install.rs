//! Installing.

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result,
    access::{AccountCaller, Grants, account_features},
};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use serde_json::Map;
use shared::{
    catalogue::{AccountPermission, Feature},
    extensions::{Category, Manifest, adopt_uploads, kept_data, sealed},
    id::AccountId,
};

use super::{Change, ExtensionInstall, InstallExtensionInput, db, needed_features, refused, settings};

/// Installs of one account.
const MAX_INSTALLS: i64 = 500;

/// Installs an extension.
pub static INSTALL_EXTENSION: Operation<AccountCaller> =
    Operation::account("installExtension", AccountPermission::ExtensionStoreInstall, Grants::Extensions)
        .feature(Feature::Extensions);

/// Installs the newest published version of an extension. The developer of a private or unlisted extension installs
/// its newest upload, reviewed or not, in accounts that the developer owns; testers install what is in testing in theirs.
///
/// # Errors
/// As the rule; 404 when the extension does not exist or is not offered to the caller; 400 when the consent differs
/// from what is asked for or a setting is wrong; 409 when it is installed already; 403 `Purchase required` for an
/// extension that is not free, 403 `FEATURE_DISABLED` when a feature that it needs is off, 403 `PLAN_LIMIT_REACHED`
/// beyond 500 installs.
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
            // Counted first: the row is then held, so that two installs of one account come one after the other.
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
            kept_data::adopt(connection, caller.account.0, input.extension_id, id).await?;
            adopt_uploads(connection, caller.account, input.extension_id).await?;
            let mut entry = cx.audit("extension:installed", "extension_install", id);
            entry.metadata =
                serde_json::json!({ "extension_id": input.extension_id, "version": offer.version });
            shared::audit::record(connection, entry).await?;
            db::find(connection, caller.account, id, &features).await?.ok_or_else(super::not_found)
        })
        .await?;
    Change::Created(&install).announce(cx, caller.account).await;
    Ok(install)
}

/// Consent is to everything that is asked for and to nothing else.
fn consented(granted: &[String], asked: &[String]) -> Result<()> {
    let covers =
        |these: &[String], those: &[String]| those.iter().all(|permission| these.contains(permission));
    if covers(granted, asked) && covers(asked, granted) {
        return Ok(());
    }
    Err(ApiError::invalid("All requested permissions must be granted"))
}

/// One install an account and extension, except of widgets, which stand in several places. A widget that also answers
/// chat or has a node would do so once for each, so that it is installed once like the others.
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
