//! Two accounts that know nothing of each other, with everything that an account can have.

use std::collections::BTreeMap;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, Rows, TestApp};
use shared::db::schema::{account_feature_overrides, account_roles, memberships};
use uuid::Uuid;

/// The accounts, and who asks.
pub(super) struct Scene {
    pub app: TestApp,
    victim: Person,
    stranger: Person,
    /// Somebody of the stranger's own account, whom the stranger may change.
    helper: Person,
    theirs: Rows,
    ours: Rows,
}

impl Scene {
    pub async fn set() -> Self {
        let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
        let (victim, stranger) = (app.owner().await, app.owner().await);
        let helper = app.member_as(stranger.account_id, "viewer").await;
        let (theirs, ours) = (everything(&app, &victim).await, everything(&app, &stranger).await);
        allow_everything(&app, &stranger).await;
        let mut scene = Self { app, victim, stranger, helper, theirs, ours };
        scene.ours.insert("memberships", scene.membership(&scene.helper).await);
        scene
    }

    /// A new session of the stranger's: a call may end the one that it is made with.
    pub async fn caller(&self) -> Caller {
        self.app.session(self.stranger.user_id, self.stranger.account_id).await.caller
    }

    /// Every id of the other account's.
    pub fn foreign(&self) -> Vec<Uuid> {
        self.theirs.values().copied().collect()
    }

    /// An id of the caller's own for a place of this name: a thing of that kind, or one that nobody has.
    pub fn own(&self, name: &str) -> Uuid {
        let stem = snake(name);
        let stem = stem.strip_suffix("_id").unwrap_or(&stem);
        match stem {
            "account" | "active_account" => self.stranger.account_id,
            "user" | "target_user" => self.helper.user_id,
            _ => self.of_kind(&format!("{stem}s")).unwrap_or_else(Uuid::now_v7),
        }
    }

    /// An own row of the table of that name, or of the first whose name ends with it.
    pub fn of_kind(&self, table: &str) -> Option<Uuid> {
        let ends = |name: &str| name.strip_suffix(table).is_some_and(|rest| rest.ends_with('_'));
        let exact = self.ours.get(table);
        exact.or_else(|| self.ours.iter().find(|(name, _)| ends(name)).map(|(_, id)| id)).copied()
    }

    /// Whether a text names anything of the other account's.
    pub fn is_told_in(&self, text: &str) -> bool {
        self.theirs.values().any(|id| text.contains(&id.to_string()))
    }

    /// What the other account has.
    pub async fn belongings(&self) -> BTreeMap<String, (i64, Option<String>)> {
        self.app.belongings(self.victim.account_id).await
    }

    async fn membership(&self, person: &Person) -> Uuid {
        membership(&self.app, person).await
    }
}

/// A row of every kind, with the account, its people and a role of it.
async fn everything(app: &TestApp, owner: &Person) -> Rows {
    let mut rows = app.one_of_everything(owner).await;
    let role = account_roles::table
        .filter(account_roles::account_id.eq(owner.account_id).and(account_roles::slug.eq("viewer")))
        .select(account_roles::id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    rows.insert("account_roles", role);
    rows.insert("memberships", membership(app, owner).await);
    rows.insert("accounts", owner.account_id);
    rows.insert("users", owner.user_id);
    rows.insert("sessions", owner.session_id);
    rows
}

/// Switches every feature on for the account, in place of the override among its rows.
async fn allow_everything(app: &TestApp, owner: &Person) {
    let own =
        account_feature_overrides::table.filter(account_feature_overrides::account_id.eq(owner.account_id));
    diesel::delete(own).execute(&mut *app.state.databases.postgres.get().await.unwrap()).await.unwrap();
    app.override_every_feature(owner.account_id, true).await;
}

async fn membership(app: &TestApp, person: &Person) -> Uuid {
    memberships::table
        .filter(memberships::account_id.eq(person.account_id))
        .filter(memberships::user_id.eq(person.user_id))
        .select(memberships::id)
        .first(&mut *app.state.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// `camelCase` as `snake_case`.
pub(super) fn snake(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            text.push('_');
        }
        text.extend(character.to_lowercase());
    }
    text
}
