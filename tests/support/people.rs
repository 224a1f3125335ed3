//! People, accounts and credentials, written directly into the database: a test should not depend on operations that it
//! does not test.

use api_core::access::{Claims, TokenType};
use api_core::token::{NewToken, TokenKind};
use chrono::{DateTime, Duration, Utc};
use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use platforms_stand_in::User;
use serde_json::{Value, json};
use shared::{
    catalogue::account_roles as default_roles,
    id,
    schema::{
        account_roles, account_service_keys, accounts, admin_role_members, admin_roles, developer_profiles,
        memberships, plans, popout_tokens, sessions, surface_tokens, system_keys, user_api_keys, users,
    },
};
use uuid::Uuid;

use crate::{Caller, TestApp};

/// A person with a session in an account.
#[derive(Clone)]
pub struct Person {
    pub user_id: Uuid,
    pub account_id: Uuid,
    pub session_id: Uuid,
    pub caller: Caller,
}

impl std::ops::Deref for Person {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl TestApp {
    /// The owner of a new account on the plan `pro`.
    pub async fn owner(&self) -> Person {
        self.owner_on("pro").await
    }

    /// The owner of a new account on a plan.
    pub async fn owner_on(&self, plan: &str) -> Person {
        let (user_id, account_id) = (self.user("owner").await, id::new());
        let mut db = self.databases.postgres.get().await.unwrap();
        let plan_id: Uuid =
            plans::table.filter(plans::slug.eq(plan)).select(plans::id).first(&mut *db).await.unwrap();
        insert_into(accounts::table)
            .values((
                accounts::id.eq(account_id),
                accounts::name.eq("Test account"),
                accounts::slug.eq(format!("test-{}", account_id.simple())),
                accounts::owner_id.eq(user_id),
                accounts::plan_id.eq(plan_id),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        drop(db);
        for role in default_roles() {
            self.role(account_id, role.slug, role.is_system, &role.permissions.to_strings()).await;
        }
        self.join(account_id, user_id, "owner").await;
        self.session(user_id, account_id).await
    }

    /// Another member of an account, in one of the default roles (`administrator`, `moderator`, `viewer`).
    pub async fn member_as(&self, account_id: Uuid, role: &str) -> Person {
        let user_id = self.user(role).await;
        self.join(account_id, user_id, role).await;
        self.session(user_id, account_id).await
    }

    /// Another member of an account, who holds exactly these permissions.
    pub async fn member_with(&self, account_id: Uuid, permissions: &[&str]) -> Person {
        let slug = format!("role-{}", id::new().simple());
        let permissions: Vec<String> = permissions.iter().map(|text| (*text).to_owned()).collect();
        self.role(account_id, &slug, false, &permissions).await;
        self.member_as(account_id, &slug).await
    }

    /// This number of further members in the role of one, without sessions.
    pub async fn members_like(&self, member: &Person, number: i32) {
        let made = diesel::sql_query(
            "WITH people AS (INSERT INTO users (id, display_name, username)
                 SELECT gen_random_uuid(), 'further', 'further-' || n FROM generate_series(1, $1) AS n
                 RETURNING id)
             INSERT INTO memberships (id, account_id, user_id, role_id)
             SELECT gen_random_uuid(), own.account_id, people.id, own.role_id FROM people, memberships AS own
             WHERE own.account_id = $2 AND own.user_id = $3",
        )
        .bind::<diesel::sql_types::Integer, _>(number)
        .bind::<diesel::sql_types::Uuid, _>(member.account_id)
        .bind::<diesel::sql_types::Uuid, _>(member.user_id)
        .execute(&mut *self.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
        assert_eq!(made, usize::try_from(number).unwrap());
    }

    /// A person of operator staff who holds exactly these admin permissions, with an account of their own.
    pub async fn admin_with(&self, permissions: &[&str]) -> Person {
        let person = self.owner().await;
        let role_id = id::new();
        let permissions: Vec<&str> = permissions.to_vec();
        let mut db = self.databases.postgres.get().await.unwrap();
        insert_into(admin_roles::table)
            .values((
                admin_roles::id.eq(role_id),
                admin_roles::name.eq(role_id.to_string()),
                admin_roles::permissions.eq(permissions),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        insert_into(admin_role_members::table)
            .values((admin_role_members::role_id.eq(role_id), admin_role_members::user_id.eq(person.user_id)))
            .execute(&mut *db)
            .await
            .unwrap();
        person
    }

    /// A System Admin, with an account of their own.
    pub async fn system_admin(&self) -> Person {
        let person = self.owner().await;
        let mut db = self.databases.postgres.get().await.unwrap();
        let role_id: Uuid = admin_roles::table
            .filter(admin_roles::is_system)
            .select(admin_roles::id)
            .first(&mut *db)
            .await
            .unwrap();
        insert_into(admin_role_members::table)
            .values((admin_role_members::role_id.eq(role_id), admin_role_members::user_id.eq(person.user_id)))
            .execute(&mut *db)
            .await
            .unwrap();
        person
    }

    /// Gives a person a developer profile; returns its id.
    pub async fn developer_profile(&self, user_id: Uuid) -> Uuid {
        let profile_id = id::new();
        insert_into(developer_profiles::table)
            .values((
                developer_profiles::id.eq(profile_id),
                developer_profiles::user_id.eq(user_id),
                developer_profiles::display_name.eq("Developer"),
                developer_profiles::slug.eq(format!("dev-{}", profile_id.simple())),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        profile_id
    }

    /// A personal API key of a person, in the person's account.
    pub async fn personal_key(&self, person: &Person, permissions: &[&str]) -> Caller {
        self.personal_key_until(person, permissions, None).await
    }

    /// A personal API key that expires.
    pub async fn personal_key_until(
        &self,
        person: &Person,
        permissions: &[&str],
        expires_at: Option<DateTime<Utc>>,
    ) -> Caller {
        let token = NewToken::generate(TokenKind::User);
        insert_into(user_api_keys::table)
            .values((
                user_api_keys::id.eq(id::new()),
                user_api_keys::user_id.eq(person.user_id),
                user_api_keys::account_id.eq(person.account_id),
                user_api_keys::key_hash.eq(&token.hash),
                user_api_keys::key_prefix.eq(&token.prefix),
                user_api_keys::label.eq("test"),
                user_api_keys::permissions.eq(permissions.to_vec()),
                user_api_keys::expires_at.eq(expires_at),
                user_api_keys::created_by_session.eq(person.session_id),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.bearer(token.text.expose())
    }

    /// A service key of an account.
    pub async fn service_key(&self, account_id: Uuid, permissions: &[&str]) -> Caller {
        let token = NewToken::generate(TokenKind::Service);
        insert_into(account_service_keys::table)
            .values((
                account_service_keys::id.eq(id::new()),
                account_service_keys::account_id.eq(account_id),
                account_service_keys::key_hash.eq(&token.hash),
                account_service_keys::key_prefix.eq(&token.prefix),
                account_service_keys::label.eq("test"),
                account_service_keys::permissions.eq(permissions.to_vec()),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.bearer(token.text.expose())
    }

    /// A system key.
    pub async fn system_key(&self) -> Caller {
        let token = NewToken::generate(TokenKind::System);
        insert_into(system_keys::table)
            .values((
                system_keys::id.eq(id::new()),
                system_keys::label.eq("test"),
                system_keys::key_hash.eq(&token.hash),
                system_keys::key_prefix.eq(&token.prefix),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.bearer(token.text.expose())
    }

    /// A popout token that a person created for themselves, in the person's account.
    pub async fn popout(&self, person: &Person, permissions: &[&str]) -> Caller {
        self.popout_by(person, person, permissions).await
    }

    /// A popout token that another member of the account created for a person.
    pub async fn popout_by(&self, maker: &Person, person: &Person, permissions: &[&str]) -> Caller {
        let token = NewToken::generate(TokenKind::Popout);
        insert_into(popout_tokens::table)
            .values((
                popout_tokens::id.eq(id::new()),
                popout_tokens::account_id.eq(person.account_id),
                popout_tokens::user_id.eq(person.user_id),
                popout_tokens::created_by.eq(maker.user_id),
                popout_tokens::token_hash.eq(&token.hash),
                popout_tokens::token_prefix.eq(&token.prefix),
                popout_tokens::permissions.eq(permissions.to_vec()),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.bearer(token.text.expose())
    }

    /// A token of a browser surface (`overlay`, `share`, `extension`, `widget`) for a subject of an account.
    pub async fn surface_token(
        &self,
        kind: TokenKind,
        account_id: Uuid,
        subject: &str,
        expires_at: Option<DateTime<Utc>>,
    ) -> Caller {
        let token = NewToken::generate(kind);
        let name = kind.prefix().trim_start_matches("lm_").trim_end_matches('_');
        insert_into(surface_tokens::table)
            .values((
                surface_tokens::id.eq(id::new()),
                surface_tokens::kind.eq(if name == "ext" { "extension" } else { name }),
                surface_tokens::account_id.eq(account_id),
                surface_tokens::subject.eq(subject),
                surface_tokens::token_hash.eq(&token.hash),
                surface_tokens::token_prefix.eq(&token.prefix),
                surface_tokens::expires_at.eq(expires_at),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.bearer(token.text.expose())
    }

    /// A new person without an account.
    pub async fn user(&self, name: &str) -> Uuid {
        let user_id = id::new();
        insert_into(users::table)
            .values((users::id.eq(user_id), users::display_name.eq(name), users::username.eq(name)))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        user_id
    }

    /// A session of a person in an account.
    pub async fn session(&self, user_id: Uuid, account_id: Uuid) -> Person {
        let (session_id, now) = (id::new(), self.clock.now());
        insert_into(sessions::table)
            .values((
                sessions::id.eq(session_id),
                sessions::user_id.eq(user_id),
                sessions::refresh_hash.eq(vec![0_u8; 32]),
                sessions::active_account_id.eq(account_id),
                sessions::expires_at.eq(now + Duration::days(30)),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        let claims = Claims::new(TokenType::Session, user_id, session_id, Some(account_id), now, 900);
        let token = self.state.jwt.sign(&claims).expect("a signed token");
        Person { user_id, account_id, session_id, caller: self.bearer(token) }
    }

    async fn role(&self, account_id: Uuid, slug: &str, is_system: bool, permissions: &[String]) {
        insert_into(account_roles::table)
            .values((
                account_roles::id.eq(id::new()),
                account_roles::account_id.eq(account_id),
                account_roles::slug.eq(slug),
                account_roles::name.eq(slug),
                account_roles::is_system.eq(is_system),
                account_roles::position.eq(0),
                account_roles::permissions.eq(permissions),
            ))
            .execute(&mut *self.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    }

    /// Makes a person a member of an account, in a role of it.
    pub async fn join(&self, account_id: Uuid, user_id: Uuid, role: &str) {
        let mut db = self.databases.postgres.get().await.unwrap();
        let role_id: Uuid = account_roles::table
            .filter(account_roles::account_id.eq(account_id).and(account_roles::slug.eq(role)))
            .select(account_roles::id)
            .first(&mut *db)
            .await
            .unwrap();
        insert_into(memberships::table)
            .values((
                memberships::id.eq(id::new()),
                memberships::account_id.eq(account_id),
                memberships::user_id.eq(user_id),
                memberships::role_id.eq(role_id),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
    }
}

/// Input of a sign-in.
pub fn sign_in_with(provider: &str, user: &User, access_token: &str) -> Value {
    json!({
        "provider": provider,
        "provider_user_id": user.id,
        "access_token": access_token,
        "profile": {
            "display_name": user.display_name,
            "username": user.login,
            "avatar_url": user.avatar_url,
            "email": user.email,
        },
    })
}
