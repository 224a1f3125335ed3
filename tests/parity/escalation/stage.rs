//! People and objects that attempts are made on.

use diesel::{insert_into, prelude::*};
use diesel_async::RunQueryDsl;
use lumio_tests::{Person, TestApp};
use shared::schema::{account_roles, admin_roles, user_role_assignments, user_roles};
use uuid::Uuid;

use super::actors::membership;

/// An account with people of each rank, a second account, and staff of each rank.
pub struct Stage<'a> {
    pub app: &'a TestApp,
    pub owner: Person,
    pub owners_membership: Uuid,
    pub administrator: Person,
    pub administrators_membership: Uuid,
    /// A member whose role holds nothing.
    pub friend: Person,
    pub friends_membership: Uuid,
    pub friends_role: Uuid,
    /// The owner of another account, with one of everything in it.
    pub stranger: Person,
    pub foreign: std::collections::BTreeMap<&'static str, Uuid>,
    /// A System Admin.
    pub root: Person,
    /// Staff with a permission that no caller of the walk has.
    pub clerk: Person,
    /// The role of that staff.
    pub clerks_role: Uuid,
    pub extension: Uuid,
}

impl<'a> Stage<'a> {
    pub async fn set(app: &'a TestApp) -> Self {
        let (owner, stranger) = (app.owner().await, app.owner().await);
        app.override_every_feature(owner.account_id, true).await;
        let administrator = app.member_as(owner.account_id, "administrator").await;
        let friend = app.member_with(owner.account_id, &[]).await;
        let foreign = app.one_of_everything(&stranger).await;
        app.override_every_feature(stranger.account_id, true).await;
        // Two of each, so that one can be taken.
        app.system_admin().await;
        let root = app.system_admin().await;
        let clerk = app.admin_with(&["admin:access", "se-tokens:delete", "ideas:moderate_read"]).await;
        let clerks_role = id_of_role(app, clerk.user_id).await;
        let studio = app.studio().await;
        app.override_every_feature(studio.person.account_id, true).await;
        let extension = studio.extension("Theirs").await;
        let (friends_membership, friends_role) = membership(app, &friend).await;
        Self {
            owners_membership: membership(app, &owner).await.0,
            administrators_membership: membership(app, &administrator).await.0,
            app,
            owner,
            administrator,
            friend,
            friends_membership,
            friends_role,
            stranger,
            foreign,
            root,
            clerk,
            clerks_role,
            extension,
        }
    }

    pub const fn account(&self) -> Uuid {
        self.owner.account_id
    }

    /// A role of the account by its slug.
    pub async fn role(&self, slug: &str) -> Uuid {
        account_roles::table
            .filter(account_roles::account_id.eq(self.account()).and(account_roles::slug.eq(slug)))
            .select(account_roles::id)
            .first(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// The System Admin role.
    pub async fn system_role(&self) -> Uuid {
        admin_roles::table
            .filter(admin_roles::is_system)
            .select(admin_roles::id)
            .first(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// A platform-wide role by its slug.
    pub async fn user_role(&self, slug: &str) -> Uuid {
        user_roles::table
            .filter(user_roles::slug.eq(slug))
            .select(user_roles::id)
            .first(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }

    /// Gives a person a new platform-wide role that holds nothing, so that no default role applies.
    pub async fn empty_role(&self, user: Uuid) -> Uuid {
        self.new_role(user, "").await
    }

    /// Gives a person a new platform-wide role.
    pub async fn new_role(&self, user: Uuid, permissions: &str) -> Uuid {
        let role = self
            .row(&format!(
                "INSERT INTO user_roles (id, slug, name, permissions)
                 SELECT gen_random_uuid(), gen_random_uuid()::text, 'New', '{{{permissions}}}'
                 WHERE $1 IS NOT NULL AND $2 IS NOT NULL RETURNING id"
            ))
            .await;
        self.assign(user, role).await;
        role
    }

    /// Gives a person a platform-wide role.
    pub async fn give(&self, user: Uuid, slug: &str) {
        self.assign(user, self.user_role(slug).await).await;
    }

    async fn assign(&self, user: Uuid, role: Uuid) {
        insert_into(user_role_assignments::table)
            .values((user_role_assignments::user_id.eq(user), user_role_assignments::role_id.eq(role)))
            .on_conflict_do_nothing()
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
        self.app.state.caches.invalidate(&foundation::invalidation::Invalidation::User { user_id: user });
    }

    /// Leaves a person only two platform-wide permissions.
    pub async fn restrict(&self, user: Uuid) {
        self.give(user, "restricted").await;
    }

    /// One row; `$1` is the stage's account, `$2` its owner.
    pub async fn row(&self, sql: &str) -> Uuid {
        self.app.rows(&[("row", sql)], &self.owner).await["row"]
    }
}

async fn id_of_role(app: &TestApp, user: Uuid) -> Uuid {
    use shared::schema::admin_role_members;
    admin_role_members::table
        .filter(admin_role_members::user_id.eq(user))
        .select(admin_role_members::role_id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}
