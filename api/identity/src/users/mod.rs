//! The current user (reference/users.md#current-user).

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
        account_features, act_in, global_features, named_account, session_token, user_access,
    },
};
use diesel_async::AsyncConnection;
use foundation::audit;
use juniper::{GraphQLInputObject, GraphQLObject};
use notices::notify;
use serde::{Deserialize, Serialize};
use shared::{
    catalogue::AdminPermission,
    id::{AccountId, UserId},
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
    /// Id of the person.
    pub id: Uuid,
    /// Display name.
    pub display_name: String,
    /// User name.
    pub username: String,
    /// E-mail address; null when there is none.
    pub email: Option<String>,
    /// Address that an API key requested. It becomes `email` when a session of the person confirms it by the
    /// notification `login_linked`.
    pub pending_email: Option<String>,
    /// Address of the avatar; null when there is none.
    pub avatar_url: Option<String>,
    /// Time of the first sign-in.
    pub created_at: Timestamp,
    /// Time of the last sign-in.
    pub last_login_at: Option<Timestamp>,
    /// Account that the credential acts in; null when the person no longer belongs to it.
    pub active_account_id: Option<Uuid>,
    /// Memberships of the person, oldest first, at most 500.
    pub memberships: Vec<Membership>,
    /// Number of accounts that the person owns.
    pub owned_account_count: i32,
    /// Maximum number of accounts that the person may own.
    pub max_accounts: i32,
    /// Every flag of the active account, and `system:account_creation` of the person.
    pub feature_statuses: Vec<FeatureStatus>,
    /// Keys of the flags that are on.
    pub enabled_features: Vec<String>,
    /// Admin permissions that this credential has.
    pub admin_permissions: Vec<String>,
    /// Platform-wide permissions that this credential has.
    pub user_permissions: Vec<String>,
    /// True for a person with a developer profile, and for staff with `extension_dev_mode` on.
    pub is_developer: bool,
    /// Preference of the person: extensions that they develop load in their latest draft or testing version.
    /// It makes a developer of staff only, because every person sets it for themselves.
    pub extension_dev_mode: bool,
    /// Preference of the person: clients hide what must not be on stream.
    pub streamer_mode: bool,
    /// Login connections, without those of platforms for which sign-in is switched off.
    pub login_connections: Vec<LoginConnection>,
    /// Number of unread notifications.
    pub notifications_unread: i32,
    /// Session token that acts in the new account. Only in the answer to a switch of the account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A person's membership of an account.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct Membership {
    /// Id of the account.
    pub account_id: Uuid,
    /// Name of the account.
    pub account_name: String,
    /// Address of the avatar of the account's primary login, else of its owner; null when there is none.
    pub avatar_url: Option<String>,
    /// Role of the person in the account.
    pub role: MembershipRole,
    /// True when the person owns the account.
    pub is_owner: bool,
    /// Slug of the account's plan.
    pub plan_slug: String,
    /// Time at which the person joined.
    pub joined_at: Timestamp,
}

/// Role of a member.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct MembershipRole {
    /// Id of the role.
    pub id: Uuid,
    /// Slug of the role.
    pub slug: String,
    /// Name of the role.
    pub name: String,
    /// Colour as `#rrggbb`; null when it has none.
    pub color: Option<String>,
}

/// Changes of the current user, at least one field.
#[derive(Debug, Clone, Default, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "display_name": "Ada", "streamer_mode": true }))]
pub struct UpdateMeInput {
    /// Display name, 1 to 100 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(changes::MAX_DISPLAY_NAME_LENGTH))))]
    pub display_name: Patch<String>,
    /// E-mail address. Null clears it, which needs a session. An address that an API key sets is
    /// `pending_email` until a session of the person confirms it.
    #[serde(default)]
    #[schema(value_type = Option<String>, extensions(("maxLength" = json!(api_core::validate::MAX_EMAIL_LENGTH))))]
    pub email: Patch<String>,
    /// Account of the person to act in; null: none. Needs a session.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    pub active_account_id: Patch<Uuid>,
    /// True: act in no account. Needs a session.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub clear_active_account: Patch<bool>,
    /// Preference: clients hide what must not be on stream.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub streamer_mode: Patch<bool>,
    /// Preference: extensions that the person develops load in their latest draft or testing version.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    pub extension_dev_mode: Patch<bool>,
}

pub static ME: Operation<SignedIn> = Operation::first_party("me", Grants::Nothing);

/// Returns the current user as the credential sees it.
///
/// The answer has the profile, memberships, permissions of the credential, feature flags of the active
/// account and login connections.
///
/// # Errors
/// - 401 or 403 by the access rule.
#[api_core::operation]
pub async fn me(cx: &Cx) -> Result<CurrentUser> {
    let person = cx.authorize(&ME).await?;
    current_user(cx, &person, person.account, None).await
}

pub static UPDATE_ME: Operation<SignedIn> = Operation::first_party("updateMe", Grants::SignIn);

/// Updates the current user.
///
/// Absent fields stay as they are. A switch of the account needs a session; its answer has a `token` that
/// acts in the new account. A session sets the e-mail address at once. An address that an API key sets waits
/// until a session of the person confirms it.
///
/// (reference/users.md#e-mail-address)
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400: no field is given, or one is malformed.
/// - 403: an API key switches the account or clears the address.
/// - 404: the person is not a member of the account.
/// - 429: keys of the person requested too many addresses.
#[api_core::operation]
pub async fn update_me(cx: &Cx, input: Input<UpdateMeInput>) -> Result<CurrentUser> {
    let person = cx.authorize(&UPDATE_ME).await?;
    let (changes, switch) = changes::checked(input?)?;
    email::check(cx, &person, &changes).await?;
    let Some(switch) = switch else {
        save(cx, &person, &changes, None).await?;
        return current_user(cx, &person, person.account, None).await;
    };
    let Principal::Session { session, .. } = cx.principal() else {
        // A key belongs to one account. A session token would give it more than its scopes.
        return Err(ApiError::forbidden("Switching the account needs a session"));
    };
    let account = target(cx, person.user, switch).await?;
    save(cx, &person, &changes, Some((*session, account))).await?;
    let token = session_token(cx.state(), person.user, *session, account)?;
    current_user(cx, &person, account, Some(token.text.expose().to_owned())).await
}

async fn target(cx: &Cx, user: UserId, switch: Switch) -> Result<Option<AccountId>> {
    let Switch::To(named) = switch else { return Ok(None) };
    let account = named_account(cx.state(), named, user).await?;
    account.map(Some).ok_or_else(|| ApiError::not_found("Account not found"))
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

/// Loads the current user in a fixed number of statements, independent of the number of memberships.
async fn current_user(
    cx: &Cx,
    person: &SignedIn,
    account: Option<AccountId>,
    token: Option<String>,
) -> Result<CurrentUser> {
    // Read before a connection is taken: these calls may take one of their own.
    let features = features(cx, account).await?;
    let mut feature_statuses = features.statuses();
    feature_statuses.push(account_creation(cx.state(), person.user).await?);
    let (admin, user) = (cx.admin_permissions().await?, cx.user_permissions().await?);
    // Permissions of the person, independent of the scopes of the credential.
    let is_staff = user_access(cx.state(), person.user).await?.admin.contains(AdminPermission::AdminAccess);

    let mut connection = person.db().await?;
    let profile = db::profile(&mut connection, person.user).await?;
    let ownership = account_model::accounts::ownership(&mut connection, person.user).await?;
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
        active_account_id: account.map(AccountId::uuid),
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
