//! Which user a verified sign-in belongs to, and what it makes of them (C §2.2).

use api_core::{
    ApiError, Cx, Result,
    access::global_features,
    login_connections::{announce, lock_identity},
    sign_in_changes::is_by_session,
};
use diesel_async::AsyncPgConnection;
use serde_json::json;
use shared::{
    accounts::{NewAccount, create_with_default_roles},
    audit::{self, Actor, Scope},
    catalogue::Feature,
    connections::Update,
    crypto::{self, Place},
    id::{AccountId, UserId},
    notify::{self, Notice},
};
use uuid::Uuid;

use super::{db, login::Login, unconfirmed};

/// Whom a sign-in belongs to.
pub(super) struct SignedInPerson {
    pub user: UserId,
    /// The account to act in.
    pub account: Option<AccountId>,
    /// The login that it was done with.
    pub login_connection: Uuid,
    pub is_new: bool,
}

/// What linking an identity came to; `is_new` is false when the person had it already.
pub(super) enum Linked {
    /// A login connection.
    Confirmed { id: Uuid, is_new: bool },
    /// A login that waits for its confirmation.
    Unconfirmed { id: Uuid, is_new: bool },
}

/// Whether somebody who signs in for the first time gets an account.
pub(super) async fn may_create_account(cx: &Cx) -> Result<bool> {
    Ok(global_features(cx.state()).await?.has(Feature::AccountCreation))
}

/// The user behind a login connection; somebody new becomes one.
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

/// The user behind a login connection, if it is still `expected`; `None` otherwise. They act in `account` from now
/// on, when one is named.
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

/// Gives a person another identity to sign in with, of which they are told, or renews the grant of one that they have.
/// What a key links waits for its confirmation.
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
            record(cx, connection, "connection:updated", user, identity.id, login).await?;
        }
        return Ok(Linked::Confirmed { id: identity.id, is_new: false });
    }
    if !is_by_session(cx) {
        return unconfirmed::request(cx, connection, login, user).await;
    }
    unconfirmed::supersede(connection, login, user).await?;
    let id = connect(cx, connection, login, user).await?;
    let notice = Notice::LoginLinked { connection_id: id, platform: login.platform, name: &login.username };
    notify::notify(connection, &[user], &notice, cx.state().clock.now()).await?;
    Ok(Linked::Confirmed { id, is_new: true })
}

/// Two sign-ins at once with an identity that is new must not become two people.
async fn lock_and_find(connection: &mut AsyncPgConnection, login: &Login) -> Result<Option<db::Identity>> {
    lock_identity(connection, &login.platform, &login.provider_user_id).await?;
    db::held_identity(connection, login.platform, &login.provider_user_id).await
}

async fn welcome_back(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    login: &Login,
    identity: &db::Identity,
) -> Result<UserId> {
    renew(cx, connection, login, identity).await?;
    db::note_login(connection, identity.user_id, cx.state().clock.now()).await?;
    Ok(identity.user_id)
}

/// Stores the new grant; a flagged connection is healthy again (C §3).
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
        record(cx, connection, "connection:reconnected", identity.user_id, identity.id, login).await?;
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
    record(cx, connection, "connection:connected", user, id, login).await?;
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
        scope: Scope::Account(account.0),
        actor: Actor::User(user.0),
        ..cx.audit("account:created", "account", account)
    };
    audit::record(connection, entry).await?;
    Ok(account)
}

/// A row in the person's audit trail.
pub(super) async fn record(
    cx: &Cx,
    connection: &mut AsyncPgConnection,
    action: &str,
    user: UserId,
    id: Uuid,
    login: &Login,
) -> Result<()> {
    let entry = audit::Entry {
        scope: Scope::User,
        actor: Actor::User(user.0),
        metadata: json!({ "provider": login.platform.login_provider() }),
        ..cx.audit(action, "login_connection", id)
    };
    Ok(audit::record(connection, entry).await?)
}

/// The grant, encrypted for its row.
fn sealed(cx: &Cx, connection_id: Uuid, login: &Login) -> Result<Vec<u8>> {
    let row = crypto::row(connection_id);
    let place = Place { table: "login_connections", column: "access_token", row: &row };
    Ok(cx.state().keyring.seal(place, &login.access_token)?)
}
