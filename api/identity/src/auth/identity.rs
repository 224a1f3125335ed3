//! The user that a verified sign-in belongs to, and its effects on that user
//! (reference/credentials.md#first-sign-in).

use account_model::accounts::{NewAccount, create_with_default_roles};
use api_core::{ApiError, Cx, Result, access::global_features};
use connection_model::Update;
use diesel_async::AsyncPgConnection;
use foundation::{
    audit::{self, Actor, Scope},
    crypto::{self, SecretLocation},
};
use notices::notify::{self, Notice};
use shared::{
    catalogue::Feature,
    id::{AccountId, UserId},
};
use sign_in::{
    login_connections::{announce, lock_identity},
    sign_in_changes::is_by_session,
};
use uuid::Uuid;

use super::{
    db,
    login::{Login, record_change},
    unconfirmed,
};

/// A person who has signed in.
pub(super) struct SignedInPerson {
    pub user: UserId,
    /// Account to act in.
    pub account: Option<AccountId>,
    /// Login that the person signed in with.
    pub login_connection: Uuid,
    pub is_new: bool,
}

/// Result of linking an identity. `is_new` is false when the person had it already.
pub(super) enum Linked {
    /// A login connection.
    Confirmed { id: Uuid, is_new: bool },
    /// A login that waits for its confirmation.
    Unconfirmed { id: Uuid, is_new: bool },
}

/// True when a first sign-in creates an account.
pub(super) async fn may_create_account(cx: &Cx) -> Result<bool> {
    Ok(global_features(cx.state()).await?.has(Feature::AccountCreation))
}

/// User of an identity. An unknown identity becomes a user.
pub(super) async fn find_or_create(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    may_create_account: bool,
) -> Result<SignedInPerson> {
    match lock_and_find(connection, login).await? {
        Some(identity) => {
            let user = welcome_back(cx, connection, login, &identity).await?;
            let account = db::usual_account(connection, user).await?;
            Ok(SignedInPerson { user, account, login_connection: identity.id, is_new: false })
        }
        None => register(cx, connection, login, may_create_account).await,
    }
}

/// User of an identity if it is still `expected`, else `None`. A named `account` becomes the person's active
/// one.
pub(super) async fn find_known(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    expected: UserId,
    account: Option<AccountId>,
) -> Result<Option<SignedInPerson>> {
    let identity = lock_and_find(connection, login).await?;
    let Some(identity) = identity.filter(|identity| identity.user_id == expected) else { return Ok(None) };
    let user = welcome_back(cx, connection, login, &identity).await?;
    let account = match account {
        Some(account) => {
            db::set_active_account(connection, user, account).await?;
            Some(account)
        }
        None => db::usual_account(connection, user).await?,
    };
    Ok(Some(SignedInPerson { user, account, login_connection: identity.id, is_new: false }))
}

/// Adds an identity to a person and notifies them, or renews the grant of one that they have. An identity
/// that a key links waits for its confirmation.
pub(super) async fn link(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    user: UserId,
) -> Result<Linked> {
    let identity = lock_and_find(connection, login).await?;
    if identity.as_ref().is_some_and(|identity| identity.user_id != user) {
        return Err(ApiError::conflict("This login belongs to another user"));
    }
    if let Some(identity) = identity {
        renew(cx, connection, login, &identity).await?;
        if !identity.reconnect_required {
            record_change(cx, connection, "connection:updated", user, identity.id, login).await?;
        }
        return Ok(Linked::Confirmed { id: identity.id, is_new: false });
    }
    if !is_by_session(cx) {
        let request = unconfirmed::request(cx, connection, login, user).await?;
        return Ok(Linked::Unconfirmed { id: request.id, is_new: request.is_new });
    }
    unconfirmed::supersede(connection, login, user).await?;
    let id = connect(cx, connection, login, user).await?;
    let notice = Notice::LoginLinked { connection_id: id, platform: login.platform, name: &login.username };
    notify::notify(connection, &[user], &notice, cx.state().clock.now()).await?;
    Ok(Linked::Confirmed { id, is_new: true })
}

/// Locks the identity, so that two simultaneous first sign-ins with it do not make two users.
async fn lock_and_find(connection: &mut AsyncPgConnection, login: &Login) -> Result<Option<db::Identity>> {
    lock_identity(connection, &login.platform, &login.provider_user_id).await?;
    db::locked_identity(connection, login.platform, &login.provider_user_id).await
}

async fn welcome_back(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    identity: &db::Identity,
) -> Result<UserId> {
    renew(cx, connection, login, identity).await?;
    db::record_login(connection, identity.user_id, cx.state().clock.now()).await?;
    Ok(identity.user_id)
}

/// Stores the new grant and clears the reconnect flag (reference/users.md#reconnect-flag).
async fn renew(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    identity: &db::Identity,
) -> Result<()> {
    let now = cx.state().clock.now();
    db::renew_connection(connection, identity.id, login, &sealed(cx, identity.id, login)?, now).await?;
    if identity.reconnect_required {
        let platform = login.platform.slug();
        announce(cx, connection, identity.id, platform, Update::Reconnected).await?;
        record_change(cx, connection, "connection:reconnected", identity.user_id, identity.id, login).await?;
    }
    Ok(())
}

async fn register(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    may_create_account: bool,
) -> Result<SignedInPerson> {
    let user = UserId(shared::id::new());
    db::insert_user(connection, user, login, cx.state().clock.now()).await?;
    let login_connection = connect(cx, connection, login, user).await?;
    let account = if may_create_account {
        Some(first_account(cx, connection, user, login_connection, login).await?)
    } else {
        None
    };
    Ok(SignedInPerson { user, account, login_connection, is_new: true })
}

/// Inserts a login connection of a user.
async fn connect(cx: &Cx, connection: &mut AsyncPgConnection, login: &Login, user: UserId) -> Result<Uuid> {
    let (id, now) = (shared::id::new(), cx.state().clock.now());
    db::insert_connection(connection, id, user, login, &sealed(cx, id, login)?, now).await?;
    record_change(cx, connection, "connection:connected", user, id, login).await?;
    Ok(id)
}

async fn first_account(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    user: UserId,
    login_connection: Uuid,
    login: &Login,
) -> Result<AccountId> {
    let account = NewAccount {
        name: &login.display_name,
        description: None,
        owner: user,
        primary_login_connection: Some(login_connection),
        plan: &cx.state().config.billing.default_plan,
    };
    let account = create_with_default_roles(connection, &account, cx.state().clock.now()).await?;
    db::set_active_account(connection, user, account).await?;
    let entry = audit::Entry {
        scope: Scope::Account(account.uuid()),
        actor: Actor::User(user.0),
        ..cx.audit("account:created", "account", account)
    };
    audit::record(connection, entry).await?;
    Ok(account)
}

/// Grant, encrypted for its row.
fn sealed(cx: &Cx, connection_id: Uuid, login: &Login) -> Result<Vec<u8>> {
    let row = crypto::row(connection_id);
    let place = SecretLocation { table: "login_connections", column: "access_token", row: &row };
    Ok(cx.state().keyring.seal(place, &login.access_token)?)
}
