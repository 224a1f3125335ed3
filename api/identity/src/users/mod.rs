//! The current user (specification A §2.7, §4.3; C §3).

mod changes;
mod db;
mod email;
pub mod graphql;
pub mod rest;

use std::sync::Arc;

use api_core::{
    ApiError, Cx, Input, Operation, Patch, Result, Timestamp,
    access::{
        AccountFeatures, AnyOperation, FeatureStatus, Grants, Principal, SignedIn, account_creation,
        account_features, act_in, global_features, member_access, session_token, user_access,
    },
};
use diesel_async::AsyncConnection;
use juniper::{GraphQLInputObject, GraphQLObject};
use serde::{Deserialize, Serialize};
use shared::{
    audit,
    catalogue::AdminPermission,
    id::{AccountId, UserId},
    notify,
};
use utoipa::ToSchema;
use uuid::Uuid;

use changes::{Changes, Switch};

use crate::login_connections::{self, LoginConnection};

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&ME, &UPDATE_ME];

/// The person who calls.
#[derive(Clone, Serialize, GraphQLObject, ToSchema)]
pub struct CurrentUser {
    pub id: Uuid,
    pub display_name: String,
    pub username: String,
    pub email: Option<String>,
    /// An address that an API key asked for: it becomes `email` when a session of the person confirms it by the
    /// notification `login_linked`.
    pub pending_email: Option<String>,
    pub avatar_url: Option<String>,
    pub created_at: Timestamp,
    pub last_login_at: Option<Timestamp>,
    /// The account that the credential acts in; null when the person no longer belongs to it.
    pub active_account_id: Option<Uuid>,
    pub memberships: Vec<Membership>,
    /// Accounts that the person owns.
    pub owned_account_count: i32,
    /// Accounts that the person may own.
    pub max_accounts: i32,
    /// Every flag of the active account, and whether the person may create accounts.
    pub feature_statuses: Vec<FeatureStatus>,
    /// The keys of those that are on.
    pub enabled_features: Vec<String>,
    /// Permissions of operator staff that this credential has.
    pub admin_permissions: Vec<String>,
    /// Platform-wide permissions that this credential has.
    pub user_permissions: Vec<String>,
    /// Whether the person has a developer profile, or is operator staff with `extension_dev_mode` on.
    pub is_developer: bool,
    /// The person's own preference: whether extensions that they develop load in their latest draft or testing
    /// version. It makes a developer of operator staff only (A §2.7), because everybody sets it for themselves.
    pub extension_dev_mode: bool,
    /// Whether clients hide what must not be on stream.
    pub streamer_mode: bool,
    /// Without those of platforms that sign-in is switched off for.
    pub login_connections: Vec<LoginConnection>,
    /// Notifications that the person has not read.
    pub notifications_unread: i32,
    /// Only in the answer to a switch of the account: a session token that acts in the new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The person's place in an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Membership {
    pub account_id: Uuid,
    pub account_name: String,
    pub avatar_url: Option<String>,
    pub role: MembershipRole,
    pub is_owner: bool,
    pub plan_slug: String,
    pub joined_at: Timestamp,
}

/// The role that a member holds.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct MembershipRole {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    /// `#rrggbb`
    pub color: Option<String>,
}

/// What is to change; at least one field.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "display_name": "Ada", "streamer_mode": true }))]
pub struct UpdateMeInput {
    /// 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(changes::MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: Patch<String>,
    /// Null clears it, which needs a session. What an API key sets is `pending_email` until a session of the person
    /// confirms it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(api_core::validate::MAX_EMAIL_LENGTH))))]
    pub email: Patch<String>,
    /// An account that the person belongs to. Needs a session.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub active_account_id: Patch<Uuid>,
    /// True: act in no account. Needs a session.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub clear_active_account: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub streamer_mode: Patch<bool>,
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub extension_dev_mode: Patch<bool>,
}

/// The person who calls.
pub static ME: Operation<SignedIn> = Operation::first_party("me", Grants::Nothing);

/// The person who calls, as this credential sees it: what it may do, which features are on, where it belongs.
///
/// # Errors
/// As the rule.
pub async fn me(cx: &Cx) -> Result<CurrentUser> {
    let person = cx.authorize(&ME).await?;
    current_user(cx, &person, person.account, None).await
}

/// Changes the person who calls.
pub static UPDATE_ME: Operation<SignedIn> = Operation::first_party("updateMe", Grants::SignIn);

/// Changes the person who calls. A switch of the account answers a token that acts in the new one. An e-mail address
/// that an API key sets waits until a session of the person confirms it (E, 1).
///
/// # Errors
/// As the rule; 400 without a field or with a wrong one, 403 when a key asks for another account or for no address, 404
/// for an account that the person does not belong to, 429 for too many addresses that keys ask for.
pub async fn update_me(cx: &Cx, input: Input<UpdateMeInput>) -> Result<CurrentUser> {
    let person = cx.authorize(&UPDATE_ME).await?;
    let (changes, switch) = changes::checked(input?)?;
    email::check(cx, &person, &changes).await?;
    let Some(switch) = switch else {
        save(cx, &person, &changes, None).await?;
        return current_user(cx, &person, person.account, None).await;
    };
    let Principal::Session { session, .. } = cx.principal() else {
        // A key belongs to one account, and must not be able to make itself a session.
        return Err(ApiError::forbidden("Switching the account needs a session"));
    };
    let account = target(cx, person.user, switch).await?;
    save(cx, &person, &changes, Some((*session, account))).await?;
    let token = session_token(cx.state(), person.user, *session, account)?;
    current_user(cx, &person, account, Some(token.text.expose().to_owned())).await
}

async fn target(cx: &Cx, user: UserId, switch: Switch) -> Result<Option<AccountId>> {
    let Switch::To(account) = switch else { return Ok(None) };
    match member_access(cx.state(), account, user).await? {
        Some(_) => Ok(Some(account)),
        None => Err(ApiError::not_found("Account not found")),
    }
}

async fn save(
    cx: &Cx,
    person: &SignedIn,
    changes: &Changes,
    switch: Option<(Uuid, Option<AccountId>)>,
) -> Result<()> {
    let now = cx.state().clock.now();
    person
        .db()
        .await?
        .transaction(async |connection| {
            let changes = email::decided(cx, connection, person.user, changes).await?;
            db::update(connection, person.user, &changes, now).await?;
            if let Some((session, account)) = switch {
                act_in(connection, person.user, session, account).await?;
            }
            let entry =
                audit::Entry { scope: audit::Scope::User, ..cx.audit("user:updated", "user", person.user) };
            Ok(audit::record(connection, entry).await?)
        })
        .await
}

/// Everything about a person in a fixed number of statements, however many accounts they belong to.
async fn current_user(
    cx: &Cx,
    person: &SignedIn,
    account: Option<AccountId>,
    token: Option<String>,
) -> Result<CurrentUser> {
    // Before a connection is taken: these may take one of their own.
    let features = features(cx, account).await?;
    let mut feature_statuses = features.statuses();
    feature_statuses.push(account_creation(cx.state(), person.user).await?);
    let (admin, user) = (cx.admin_permissions().await?, cx.user_permissions().await?);
    // Of the person, whatever the credential carries of it.
    let is_staff = user_access(cx.state(), person.user).await?.admin.contains(AdminPermission::AdminAccess);

    let mut connection = person.db().await?;
    let profile = db::profile(&mut connection, person.user).await?;
    let ownership = shared::accounts::ownership(&mut connection, person.user).await?;
    let memberships = db::memberships(&mut connection, person.user).await?;
    let login_connections = login_connections::of_person(cx, &mut connection, person.user, &features).await?;
    let unread = notify::unread_count(&mut connection, person.user).await?;
    drop(connection);
    Ok(CurrentUser {
        id: person.user.0,
        display_name: profile.display_name,
        username: profile.username,
        email: profile.email,
        pending_email: profile.pending_email,
        avatar_url: profile.avatar_url,
        created_at: profile.created_at,
        last_login_at: profile.last_login_at,
        active_account_id: account.map(|account| account.0),
        memberships,
        owned_account_count: i32::try_from(ownership.owned).unwrap_or(i32::MAX),
        max_accounts: ownership.max_accounts,
        enabled_features: enabled_keys(&feature_statuses),
        feature_statuses,
        admin_permissions: admin.to_strings(),
        user_permissions: user.to_strings(),
        is_developer: profile.has_developer_profile || (is_staff && profile.extension_dev_mode),
        extension_dev_mode: profile.extension_dev_mode,
        streamer_mode: profile.streamer_mode,
        login_connections,
        notifications_unread: i32::try_from(unread).unwrap_or(i32::MAX),
        token,
    })
}

async fn features(cx: &Cx, account: Option<AccountId>) -> Result<Arc<AccountFeatures>> {
    match account {
        Some(account) => account_features(cx.state(), account).await,
        None => global_features(cx.state()).await,
    }
}

fn enabled_keys(statuses: &[FeatureStatus]) -> Vec<String> {
    statuses.iter().filter(|status| status.enabled).map(|status| status.key.clone()).collect()
}
