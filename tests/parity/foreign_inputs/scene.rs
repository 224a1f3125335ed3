//! Two unrelated accounts with everything that an account can have.

use std::{collections::BTreeMap, sync::LazyLock};

use api_core::token::TokenKind;
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use lumio_tests::{Belongings, Caller, Person, Rows, TestApp};
use shared::{
    catalogue::{AccountPermission, Permission},
    schema::{account_feature_overrides, account_roles, extensions, memberships, plans},
};
use uuid::Uuid;

use super::things::{BARE, THINGS};
use crate::published::routes;

/// Version of all extensions.
pub(crate) const VERSION: &str = "1.0.0";

/// The path of every operation, which names the kinds of objects.
static PATHS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let routes = routes().into_iter().map(|route| (route.operation_id, route.path));
    let of_graphql = WITHOUT_ROUTE.map(|(operation, path)| (operation.to_owned(), path.to_owned()));
    routes.chain(of_graphql).collect()
});
/// Operations of GraphQL alone, and the path that each would have.
const WITHOUT_ROUTE: [(&str, &str); 2] = [
    ("updateAutomationNodes", "/v1/automations/{id}/nodes"),
    ("updateAutomationEdges", "/v1/automations/{id}/edges"),
];

/// Credential of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Credential {
    Session,
    /// Of the account, with every permission.
    ServiceKey,
    /// The developer's, with every permission.
    PersonalKey,
    /// Of the account's install.
    ExtensionToken,
}

/// The accounts and their callers.
pub(crate) struct Scene<'a> {
    app: &'a TestApp,
    victim: Person,
    stranger: Person,
    /// A person of the stranger's own account, whom the stranger may change.
    helper: Person,
    service_key: Caller,
    personal_key: Caller,
    extension_token: Caller,
    theirs: Rows,
    ours: Rows,
}

impl<'a> Scene<'a> {
    pub async fn set(app: &'a TestApp) -> Self {
        // Person of the documents' examples.
        app.user("somebody").await;
        let victim = app.owner().await;
        let theirs = everything(app, &victim).await;
        for (table, (rows, _)) in app.belongings_of(&victim).await {
            let is_bare = BARE.iter().any(|(bare, _why)| *bare == table);
            assert_eq!(rows == 0, is_bare, "`{table}`: {rows} rows; things.rs gives it one, or says why not");
        }
        Self::with_a_stranger(app, victim, theirs).await
    }

    /// The same with another stranger, for a call that removes its object.
    pub async fn renewed(&self) -> Self {
        Self::with_a_stranger(self.app, self.victim.clone(), self.theirs.clone()).await
    }

    async fn with_a_stranger(app: &'a TestApp, victim: Person, theirs: Rows) -> Self {
        let stranger = app.owner().await;
        let helper = app.member_as(stranger.account_id, "viewer").await;
        let mut ours = everything(app, &stranger).await;
        allow_everything(app, &stranger).await;
        ours.insert("memberships", membership(app, &helper).await);
        ours.insert("plans", plan(app).await);
        let every: Vec<&str> = AccountPermission::ALL.iter().map(|permission| permission.text()).collect();
        let (account, install) = (stranger.account_id, ours["extension_installs"].to_string());
        let service_key = app.service_key(account, &every).await;
        let personal_key = app.personal_key(&stranger, &every).await;
        let extension_token = app.surface_token(TokenKind::Extension, account, &install, None).await;
        Self { app, victim, stranger, helper, service_key, personal_key, extension_token, theirs, ours }
    }

    /// Caller of a credential; a session is new each time: a call may end its own session.
    pub async fn caller(&self, credential: Credential) -> Caller {
        match credential {
            Credential::Session => {
                self.app.session(self.stranger.user_id, self.stranger.account_id).await.caller
            }
            Credential::ServiceKey => self.service_key.clone(),
            Credential::PersonalKey => self.personal_key.clone(),
            Credential::ExtensionToken => self.extension_token.clone(),
        }
    }

    /// The server.
    pub const fn app(&self) -> &'a TestApp {
        self.app
    }

    /// The owner of the account.
    pub const fn owner(&self) -> &Person {
        &self.stranger
    }

    /// A member of the account.
    pub const fn helper(&self) -> &Person {
        &self.helper
    }

    /// The account's rows, by table.
    pub const fn rows(&self) -> &Rows {
        &self.ours
    }

    /// Every id of the other account's.
    pub fn foreign(&self) -> Vec<Uuid> {
        self.theirs.values().copied().collect()
    }

    /// An own id for a place of this name in an operation: an object of the kind in the name, else of the kind that
    /// precedes the place in the operation's path; an unused id where neither is known.
    pub fn own(&self, operation: &str, name: &str) -> Uuid {
        let name = snake(name);
        if let Some(id) = self.in_team(operation, &name) {
            return id;
        }
        self.named(&name).or_else(|| self.in_path(operation, &name)).unwrap_or_else(Uuid::now_v7)
    }

    /// Row of the own team, where the names of kinds are those of accounts too.
    fn in_team(&self, operation: &str, name: &str) -> Option<Uuid> {
        PATHS.get(operation).filter(|path| path.starts_with("/v1/developer/teams/"))?;
        match name {
            "rid" | "role_id" => self.of_kind("developer_team_roles"),
            "invite_id" => self.of_kind("developer_team_invites"),
            "member_id" => self.of_kind("developer_team_members"),
            _ => None,
        }
    }

    fn named(&self, name: &str) -> Option<Uuid> {
        let stem = name.strip_suffix("_id").or_else(|| name.strip_suffix("_ids"))?;
        let kind = ["primary_", "thumbnail_", "default_"].iter().find_map(|prefix| stem.strip_prefix(prefix));
        match kind.unwrap_or(stem) {
            "account" | "active_account" => Some(self.stranger.account_id),
            "user" | "target_user" | "lumio_user" => Some(self.helper.user_id),
            "report" => self.of_kind("stream_sessions"),
            stem => self.of_kind(&format!("{stem}s")),
        }
    }

    fn in_path(&self, operation: &str, name: &str) -> Option<Uuid> {
        let path = PATHS.get(operation)?;
        // Where two routes name the segment: `{code_or_id}`.
        let at = path.find(&format!("{{{name}}}")).or_else(|| path.find(&format!("_or_{name}}}")))?;
        let mut kinds = path[..at].rsplit('/').filter(|segment| !segment.starts_with('{'));
        kinds.find_map(|kind| match kind {
            "safe-songs" | "blocked-songs" => self.of_kind("listed_songs"),
            "reports" => self.of_kind("stream_sessions"),
            "watchlist" => self.of_kind("watchlist_entries"),
            kind => self.of_kind(&kind.replace('-', "_")),
        })
    }

    /// An own row of the table of that name, or of the first whose name ends with it.
    fn of_kind(&self, table: &str) -> Option<Uuid> {
        let ends = |name: &str| name.strip_suffix(table).is_some_and(|rest| rest.ends_with('_'));
        let exact = self.ours.get(table);
        exact.or_else(|| self.ours.iter().find(|(name, _)| ends(name)).map(|(_, id)| id)).copied()
    }

    /// True when a text contains anything of the other account's, except an id that it may repeat.
    pub fn is_shown_in(&self, text: &str, repeated: Option<Uuid>) -> bool {
        self.theirs.values().any(|id| Some(*id) != repeated && text.contains(&id.to_string()))
    }

    /// Rows of the other account.
    pub async fn belongings(&self) -> Belongings {
        self.app.belongings_of(&self.victim).await
    }
}

/// A row of every kind, with the account, its people and a role of it; the extension is the owner's as a developer, and
/// offered to no other account.
async fn everything(app: &TestApp, owner: &Person) -> Rows {
    let mut rows = app.one_of_everything(owner).await;
    let role = account_roles::table
        .filter(account_roles::account_id.eq(owner.account_id).and(account_roles::slug.eq("viewer")))
        .select(account_roles::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let developer = app.developer_profile(owner.user_id).await;
    diesel::update(extensions::table.find(rows["extensions"]))
        .set((
            extensions::owner_developer_id.eq(developer),
            extensions::current_version_id.eq(rows["extension_versions"]),
            extensions::status.eq("approved"),
        ))
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    rows.extend(app.rows(THINGS, owner).await);
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
    diesel::delete(own).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    app.override_every_feature(owner.account_id, true).await;
}

/// A plan that may be chosen.
async fn plan(app: &TestApp) -> Uuid {
    plans::table
        .filter(plans::slug.eq("pro"))
        .select(plans::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

async fn membership(app: &TestApp, person: &Person) -> Uuid {
    memberships::table
        .filter(memberships::account_id.eq(person.account_id))
        .filter(memberships::user_id.eq(person.user_id))
        .select(memberships::id)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap()
}

/// `camelCase` as `snake_case`.
pub(crate) fn snake(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            text.push('_');
        }
        text.extend(character.to_lowercase());
    }
    text
}
