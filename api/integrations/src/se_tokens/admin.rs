//! Tokens of all accounts, for staff (reference/tips.md#administration).

use api_core::{
    Cx, Input, Operation, Page, PageRequest, Result,
    access::{Admin, AnyOperation, Grants},
};
use diesel_async::AsyncConnection;
use foundation::audit;
use serde::Deserialize;
use serde_json::json;
use shared::catalogue::AdminPermission;
use utoipa::IntoParams;
use uuid::Uuid;

use super::{AdminSeToken, db, delete, not_found};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ADMIN_SE_TOKENS, &ADMIN_DELETE_SE_TOKEN];

/// Query of the tokens of all accounts.
#[derive(Debug, Clone, Copy, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AdminSeTokensQuery {
    /// Page number, from 1; 1 when absent.
    #[param(value_type = Option<api_core::page::PageNumber>, inline)]
    pub page: Option<i64>,
    /// Entries a page, 1 to 100; 25 when absent.
    #[param(value_type = Option<api_core::page::PageLimit>, inline)]
    pub limit: Option<i64>,
}

pub static ADMIN_SE_TOKENS: Operation<Admin> =
    Operation::admin("adminSeTokens", AdminPermission::SeTokensRead, Grants::Nothing);

/// Lists the tokens of StreamElements of all accounts, newest first.
///
/// A token itself is never returned.
///
/// # Errors
/// Refusals of the access rule; 400 for a page out of bounds.
#[api_core::operation]
pub async fn admin_se_tokens(cx: &Cx, query: Input<AdminSeTokensQuery>) -> Result<Page<AdminSeToken>> {
    let admin = cx.authorize(&ADMIN_SE_TOKENS).await?;
    let query = query?;
    let window = PageRequest { page: query.page, limit: query.limit }.check()?;
    let (items, total) = db::page(&mut *admin.db().await?, &cx.state().keyring, window).await?;
    Ok(Page { items, total, window })
}

pub static ADMIN_DELETE_SE_TOKEN: Operation<Admin> =
    Operation::admin("adminDeleteSeToken", AdminPermission::SeTokensDelete, Grants::Nothing);

/// Deletes a token of an account. Tips of its channel are no longer received.
///
/// The audit entry is in the log of the account.
///
/// # Errors
/// Refusals of the access rule; 404 when there is no such token.
#[api_core::operation]
pub async fn admin_delete_se_token(cx: &Cx, id: Input<Uuid>) -> Result<()> {
    let admin = cx.authorize(&ADMIN_DELETE_SE_TOKEN).await?;
    let id = id?;
    admin
        .db()
        .await?
        .transaction(async |connection| {
            let account = db::account_of(connection, id).await?.ok_or_else(not_found)?;
            let platform = delete(connection, account, id).await?;
            let entry = audit::Entry {
                scope: audit::Scope::Account(account.uuid()),
                metadata: json!({ "platform": platform }),
                ..cx.audit("se_token:deleted", "se_token", id)
            };
            audit::record(connection, entry).await?;
            Ok(())
        })
        .await
}
