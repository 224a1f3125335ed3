//! Tokens of the pages of an install (reference/extensions.md#extension-tokens).

mod db;
pub mod graphql;
pub mod rest;

use api_core::token::{NewToken, TokenKind};
use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
};
use chrono::Duration;
use diesel_async::AsyncConnection;
use extension_calls::Installed;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ISSUE_EXTENSION_TOKEN];

/// Validity of a token.
const TOKEN_TTL: Duration = Duration::minutes(15);
const SURFACES: [&str; 3] = ["editor", "layer", "interactive"];

/// Page that the token is for.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "surface": "interactive" }))]
pub struct IssueExtensionTokenInput {
    /// `editor`, `layer` or `interactive`: a surface that the extension has code for.
    #[schema(extensions(("enum" = json!(SURFACES))))]
    pub surface: String,
}

/// A token for a page of an extension. It opens the socket and uploads, and no other route.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionToken {
    /// `lm_ext_…`
    pub token: String,
    /// End of its validity.
    pub expires_at: Timestamp,
}

pub static ISSUE_EXTENSION_TOKEN: Operation<Member> = Operation::session_member(
    "issueExtensionToken",
    AccountPermission::ExtensionStoreRead,
    Grants::Credentials,
)
.feature(Feature::Extensions)
.idempotent()
.secret_answer();

/// Issues a token for a page of an install, valid for 15 minutes.
///
/// The token opens the socket and uploads files, and opens no other route. It has the permissions of the
/// member it was issued to. The token is returned by this call only.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for a surface that the extension has no code for.
/// - 404 when the account has no such install.
/// - 409 when the install is switched off.
#[api_core::operation]
pub async fn issue_extension_token(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<IssueExtensionTokenInput>,
) -> Result<ExtensionToken> {
    let member = cx.authorize(&ISSUE_EXTENSION_TOKEN).await?;
    let (id, input) = (id?, input?);
    must_be_one_of(&input.surface, &SURFACES)?;
    let install = Installed::find(&member, member.account, id).await?;
    let targets = install.targets();
    if !targets.is_empty() {
        must_be_one_of(&input.surface, &targets)?;
    }
    if !install.runs() {
        return Err(ApiError::conflict("The extension install is switched off"));
    }
    let (now, token) = (cx.state().clock.now(), NewToken::generate(TokenKind::Extension));
    let row = db::NewSurfaceToken {
        id: shared::id::new(),
        kind: "extension",
        account_id: member.account,
        subject: install.id.to_string(),
        user_id: member.user,
        token_hash: token.hash,
        token_prefix: token.prefix,
        surface: input.surface,
        created_at: now,
        expires_at: now + TOKEN_TTL,
    };
    let expires_at = row.expires_at.into();
    member
        .db()
        .await?
        .transaction(async |connection| {
            let mut entry = cx.audit("extension:token_issued", "extension_install", install.id);
            entry.metadata = json!({ "surface": row.surface });
            db::replace_expired(connection, row, now).await?;
            Ok::<_, ApiError>(foundation::audit::record(connection, entry).await?)
        })
        .await?;
    Ok(ExtensionToken { token: token.text.expose().to_owned(), expires_at })
}

fn must_be_one_of(surface: &str, allowed: &[impl AsRef<str>]) -> Result<()> {
    let allowed: Vec<&str> = allowed.iter().map(AsRef::as_ref).collect();
    if allowed.contains(&surface) {
        return Ok(());
    }
    Err(ApiError::invalid(format!("surface must be one of {}", allowed.join(", "))))
}
