//! Tokens of the pages of an install (specification A §5.1, C B4).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Cx, Input, Operation, Result, Timestamp,
    access::{AnyOperation, Grants, Member},
    extension_data::Installed,
};
use chrono::Duration;
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::{
    catalogue::{AccountPermission, Feature},
    token::{NewToken, TokenKind},
};
use utoipa::ToSchema;
use uuid::Uuid;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ISSUE_EXTENSION_TOKEN];

/// How long a token works (C §2.1).
const LIFETIME: Duration = Duration::minutes(15);
const SURFACES: [&str; 3] = ["editor", "layer", "interactive"];

/// Which page the token is for.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "surface": "interactive" }))]
pub struct IssueExtensionTokenInput {
    /// `editor`, `layer` or `interactive`: one that the extension has code for.
    #[schema(extensions(("enum" = json!(SURFACES))))]
    pub surface: String,
}

/// A token for a page of an extension. It opens the socket and uploads, and no other route.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionToken {
    /// `lm_ext_…`
    pub token: String,
    pub expires_at: Timestamp,
}

/// A token for a page of an install.
pub static ISSUE_EXTENSION_TOKEN: Operation<Member> = Operation::session_member(
    "issueExtensionToken",
    AccountPermission::ExtensionStoreRead,
    Grants::Credentials,
)
.feature(Feature::Extensions);

/// Issues a token for a page of an install, for fifteen minutes.
///
/// # Errors
/// As the rule; 400 for a surface that the extension has no code for; 404 when the account has no such install; 409
/// when it is switched off.
pub async fn issue_extension_token(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<IssueExtensionTokenInput>,
) -> Result<ExtensionToken> {
    let member = cx.authorize(&ISSUE_EXTENSION_TOKEN).await?;
    let (id, input) = (id?, input?);
    must_be_one_of(&input.surface, &SURFACES)?;
    let install = Installed::find(cx.state(), member.account, id).await?;
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
        expires_at: now + LIFETIME,
    };
    let expires_at = row.expires_at.into();
    member
        .db()
        .await?
        .transaction(async |connection| {
            let mut entry = cx.audit("extension:token_issued", "extension_install", install.id);
            entry.metadata = json!({ "surface": row.surface });
            db::replace_expired(connection, row, now).await?;
            Ok::<_, ApiError>(shared::audit::record(connection, entry).await?)
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
