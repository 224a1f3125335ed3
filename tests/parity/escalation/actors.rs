//! Callers that hold the permission of an operation and nothing else.

use api_core::access::{Needs, Rule, Who};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, TestApp};
use shared::catalogue::key_denied;
use shared::schema::{account_service_keys, admin_role_members, memberships, user_api_keys};
use uuid::Uuid;

use super::stage::Stage;

/// Prefix of the subject of a personal key.
const PERSONAL_KEY: &str = "personal key ";

/// A kind of caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A member of the account by session, whose role holds only the permission.
    Member,
    /// A service key of the account that carries only the permission.
    ServiceKey,
    /// A personal key of the account's owner that carries only the permission.
    OwnersKey,
    /// A personal key with minimal rights, where the operation is about the person.
    PersonsKey,
    /// A member of staff, whose role holds only the permission and the access to the dashboard.
    Staff,
    /// A popout of a member, by its session.
    Popout,
}

impl Kind {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Member => "a member",
            Self::ServiceKey => "a service key",
            Self::OwnersKey => "a key of the owner's",
            Self::PersonsKey => "a key of the person's",
            Self::Staff => "staff",
            Self::Popout => "a popout",
        }
    }

    /// True when such a caller exists: some permissions are carried by no key
    /// (reference/credentials.md#what-a-key-may-not-do).
    pub fn exists_for(self, rule: &Rule) -> bool {
        let is_key = matches!(self, Self::ServiceKey | Self::OwnersKey | Self::PersonsKey);
        !is_key || !rule.needs.of_account().iter().any(|permission| key_denied(*permission))
    }
}

/// The kinds of caller that a rule admits.
pub const fn kinds(rule: &Rule) -> &'static [Kind] {
    match (rule.who, rule.needs) {
        (_, Needs::Admin(_) | Needs::AnyAdmin(_)) => &[Kind::Staff],
        (Who::PopoutSession, _) => &[Kind::Popout],
        (Who::PersonalKey, _) => &[Kind::OwnersKey],
        (Who::Anyone, Needs::Account(_) | Needs::AnyAccount(_)) => {
            &[Kind::Member, Kind::ServiceKey, Kind::OwnersKey]
        }
        (Who::FirstParty, Needs::Account(_)) if !rule.or_own => &[Kind::Member, Kind::OwnersKey],
        (Who::FirstParty, Needs::Nothing) => &[Kind::Member, Kind::PersonsKey],
        _ => &[Kind::Member],
    }
}

/// A caller.
pub struct Actor {
    pub caller: Caller,
    /// Subject of the caller's rights.
    pub subject: String,
    pub user: Uuid,
    /// Own session, or the one that created the key.
    pub session: Uuid,
    /// The role of the account or of staff that gives the permission; that of a key's account where it has none.
    pub role: Uuid,
    pub membership: Uuid,
    /// Permission that the caller holds.
    pub permission: &'static str,
}

impl Actor {
    pub async fn new(stage: &Stage<'_>, rule: &Rule, kind: Kind) -> Self {
        let app = stage.app;
        let needed: Vec<&'static str> = match rule.needs {
            Needs::Admin(permission) => vec![permission.text()],
            Needs::AnyAdmin(any) => any.iter().map(|permission| permission.text()).collect(),
            _ if rule.or_own => Vec::new(),
            needs => needs.of_account().iter().map(|permission| permission.text()).collect(),
        };
        // Popouts carry another permission than the one to make them.
        let carried: &[_] = if rule.name.ends_with("PopoutToken") { &["chat:read"] } else { &[] };
        let permission = needed.as_slice().first().copied().unwrap_or("chat:read");
        let member = async || app.member_with(stage.account(), &[&needed, carried].concat()).await;
        match kind {
            Kind::Staff => {
                let held = [&["admin:access"][..], &needed].concat();
                let person = app.admin_with(&held).await;
                stage.restrict(person.user_id).await;
                let role = admin_role(app, person.user_id).await;
                Self::person(person, role, Uuid::nil(), permission)
            }
            Kind::Member => {
                let person = member().await;
                let (membership, role) = membership(app, &person).await;
                Self::person(person, role, membership, permission)
            }
            Kind::Popout => {
                let person = member().await;
                let (membership, role) = membership(app, &person).await;
                let popout = app.popout(&person, &["chat:read"]).await;
                let token = serde_json::json!({ "token": popout.token() });
                let answer = app.anonymous().post("/v1/auth/popout/exchange", token).await;
                let session = answer.data()["token"].as_str().expect("a token").to_owned();
                let caller = app.bearer(session);
                Self { caller, ..Self::person(person, role, membership, permission) }
            }
            Kind::ServiceKey => {
                let caller = app.service_key(stage.account(), &needed).await;
                let key: Uuid = account_service_keys::table
                    .order(account_service_keys::created_at.desc())
                    .select(account_service_keys::id)
                    .first(&mut *app.databases.postgres.get().await.unwrap())
                    .await
                    .unwrap();
                let subject = format!("service key {key}");
                Self {
                    caller,
                    subject,
                    ..Self::person(
                        stage.friend.clone(),
                        stage.friends_role,
                        stage.friends_membership,
                        permission,
                    )
                }
            }
            Kind::OwnersKey => {
                let (caller, subject) = personal_key(app, &stage.owner, &needed).await;
                Self {
                    caller,
                    subject,
                    ..Self::person(
                        stage.friend.clone(),
                        stage.friends_role,
                        stage.friends_membership,
                        permission,
                    )
                }
            }
            Kind::PersonsKey => {
                let person = app.owner().await;
                let (membership, role) = membership(app, &person).await;
                let (caller, subject) = personal_key(app, &person, &[permission]).await;
                Self { caller, subject, ..Self::person(person, role, membership, permission) }
            }
        }
    }

    /// True when a key of the person calls, so that its actions on the person are by another subject.
    pub fn is_persons_key(&self) -> bool {
        self.subject.starts_with(PERSONAL_KEY)
    }

    fn person(person: Person, role: Uuid, membership: Uuid, permission: &'static str) -> Self {
        let Person { user_id, session_id, caller, .. } = person;
        let subject = format!("person {user_id}");
        Self { caller, subject, user: user_id, session: session_id, role, membership, permission }
    }
}

/// A personal key, and the subject of its rights.
async fn personal_key(app: &TestApp, person: &Person, permissions: &[&str]) -> (Caller, String) {
    let caller = app.personal_key(person, permissions).await;
    let key: Uuid = user_api_keys::table
        .order(user_api_keys::created_at.desc())
        .select(user_api_keys::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    (caller, format!("{PERSONAL_KEY}{key}"))
}

async fn admin_role(app: &TestApp, user: Uuid) -> Uuid {
    admin_role_members::table
        .filter(admin_role_members::user_id.eq(user))
        .select(admin_role_members::role_id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// The membership of a person in the person's account, and its role.
pub async fn membership(app: &TestApp, person: &Person) -> (Uuid, Uuid) {
    memberships::table
        .filter(memberships::user_id.eq(person.user_id).and(memberships::account_id.eq(person.account_id)))
        .select((memberships::id, memberships::role_id))
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}
