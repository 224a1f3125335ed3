//! Statements of the lists of developers, teams and staff: their number does not depend on that of the rows.

use diesel::{sql_query, sql_types::Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use lumio_tests::{Caller, Person, Statements, TestApp};
use serde_json::json;
use uuid::Uuid;

use super::reviewer;

/// Profiles of a thousand developers.
const DEVELOPERS: [&str; 2] = [
    "INSERT INTO users (id, display_name, username)
     SELECT gen_random_uuid(), 'Many', 'many' || n FROM generate_series(1, 1000) AS n WHERE $1 IS NOT NULL",
    "INSERT INTO developer_profiles (id, user_id, display_name, slug)
     SELECT gen_random_uuid(), id, 'Many', username FROM users WHERE username LIKE 'many%' AND $1 IS NOT NULL",
];

/// An app whose statements are watched.
struct Scene {
    app: TestApp,
    statements: Statements,
}

impl Scene {
    async fn start() -> Self {
        let statements = Statements::watch();
        let app = TestApp::start().await;
        statements.to(&app);
        Self { app, statements }
    }

    /// A person with a developer profile and its feature; the id of the profile.
    async fn developer(&self) -> (Person, Uuid) {
        let studio = self.app.studio().await;
        self.app.override_feature(studio.person.account_id, "feature:extension_development", true).await;
        (studio.person, studio.profile_id)
    }

    /// A developer with a team; the id of the team.
    async fn team(&self) -> (Person, Uuid) {
        let owner = self.developer().await.0;
        let made =
            owner.post("/v1/developer/teams", json!({ "name": "Night Shift", "slug": "night-shift" })).await;
        let id = made.expect(201)["data"]["id"].as_str().expect("an id").parse().expect("a UUID");
        (owner, id)
    }

    /// Runs statements that name an id as `$1`.
    async fn fill(&self, id: Uuid, statements: &[&str]) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        for sql in statements {
            let rows = sql_query(*sql).bind::<SqlUuid, _>(id).execute(&mut *db).await.unwrap();
            assert!(rows > 0, "{sql}");
        }
    }

    /// Numbers of listed rows and of statements.
    async fn list(&self, caller: &Caller, path: &str) -> (usize, usize) {
        let (answer, sent) = self.statements.of(async || caller.get(path).await).await;
        let data = answer.data();
        let rows = data.as_array().or_else(|| data["items"].as_array()).expect("a list");
        (rows.len(), sent.len())
    }

    /// Asserts that a list takes as many statements for many rows as for a few; returns the number of rows that it
    /// has then.
    async fn grows(&self, caller: &Caller, path: &str, id: Uuid, more: &[&str]) -> usize {
        let (few, statements_of_few) = self.list(caller, path).await;
        self.fill(id, more).await;
        let (many, statements) = self.list(caller, path).await;
        assert!(many > few, "{path}: {few} and {many} rows");
        assert_eq!(statements, statements_of_few, "{path}: statements for {many} rows and for {few}");
        many
    }
}

#[tokio::test]
async fn developer_team_members_take_as_many_statements_for_a_thousand_as_for_one() {
    let scene = Scene::start().await;
    let (owner, team) = scene.team().await;
    let members = "INSERT INTO developer_team_members (id, team_id, user_id, role_id)
        SELECT gen_random_uuid(), role.team_id, users.id, role.id FROM developer_team_roles AS role
        CROSS JOIN (SELECT id FROM users WHERE username LIKE 'many%' LIMIT 999) AS users
        WHERE role.team_id = $1 AND role.name = 'Member'";
    let path = format!("/v1/developer/teams/{team}/members");
    assert_eq!(scene.grows(&owner, &path, team, &[DEVELOPERS[0], members]).await, 1000);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_team_roles_take_as_many_statements_for_a_full_list() {
    let scene = Scene::start().await;
    let (owner, team) = scene.team().await;
    let roles = "INSERT INTO developer_team_roles (id, team_id, slug, name)
        SELECT gen_random_uuid(), $1, 'role-' || n, 'Role ' || n FROM generate_series(1, 1000) AS n";
    let path = format!("/v1/developer/teams/{team}/roles");
    assert_eq!(scene.grows(&owner, &path, team, &[roles]).await, 20);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_team_invites_take_as_many_statements_for_a_full_list() {
    let scene = Scene::start().await;
    let (owner, team) = scene.team().await;
    let invites = "INSERT INTO developer_team_invites (id, team_id, role_id, code, max_uses, expires_at, created_by)
        SELECT gen_random_uuid(), role.team_id, role.id, 'many-' || n, 1, now() + interval '1 day', team.owner_id
        FROM developer_team_roles AS role JOIN developer_teams AS team ON team.id = role.team_id
        CROSS JOIN generate_series(1, 1000) AS n WHERE team.id = $1 AND role.name = 'Member'";
    let path = format!("/v1/developer/teams/{team}/invites");
    assert_eq!(scene.grows(&owner, &path, team, &[invites]).await, 100);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_teams_take_as_many_statements_for_a_full_list() {
    let scene = Scene::start().await;
    let (owner, _) = scene.team().await;
    let teams = [
        "INSERT INTO developer_teams (id, owner_id, name, slug)
         SELECT gen_random_uuid(), $1, 'Many', 'many-' || n FROM generate_series(1, 1000) AS n",
        "INSERT INTO developer_team_roles (id, team_id, slug, name)
         SELECT gen_random_uuid(), id, 'many', 'Many' FROM developer_teams WHERE owner_id = $1 AND slug LIKE 'many-%'",
        "INSERT INTO developer_team_members (id, team_id, user_id, role_id)
         SELECT gen_random_uuid(), role.team_id, team.owner_id, role.id FROM developer_team_roles AS role
         JOIN developer_teams AS team ON team.id = role.team_id WHERE team.owner_id = $1 AND role.slug = 'many'",
    ];
    assert_eq!(scene.grows(&owner, "/v1/developer/teams", owner.user_id, &teams).await, 50);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_limit_requests_take_as_many_statements_for_a_thousand_as_for_none() {
    let scene = Scene::start().await;
    let (developer, profile) = scene.developer().await;
    let requests =
        "INSERT INTO limit_requests (id, developer_id, scope, limit_key, current_value, requested_value,
            reason, status)
        SELECT gen_random_uuid(), $1, 'developer', 'max_extensions', 25, 40, repeat('r', 20), 'rejected'
        FROM generate_series(1, 1000)";
    let path = "/v1/developer/limit-requests?limit=100";
    assert_eq!(scene.grows(&developer, path, profile, &[requests]).await, 100);

    let staff = scene.app.admin_with(&["developer-limits:read"]).await;
    let one = format!("/v1/admin/developers/{profile}/limit-requests?limit=");
    let pages = ["/v1/admin/limit-requests?limit=", one.as_str()];
    for page in pages {
        let (few, many) = (format!("{page}1"), format!("{page}100"));
        let (few, many) = (scene.list(&staff, &few).await, scene.list(&staff, &many).await);
        assert_eq!((few.0, many.0), (1, 100), "{page}");
        assert_eq!(many.1, few.1, "{page}");
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn admin_developer_applications_take_as_many_statements_for_a_thousand_as_for_none() {
    let scene = Scene::start().await;
    let staff = reviewer(&scene.app).await;
    let applications =
        "INSERT INTO developer_applications (id, user_id, application_type, display_name, slug,
            description, motivation, what_to_build)
        SELECT gen_random_uuid(), id, 'solo', 'Many', username, 'd', 'm', 'w' FROM users
        WHERE username LIKE 'many%' AND $1 IS NOT NULL";
    let path = "/v1/admin/developer-applications?limit=100";
    assert_eq!(scene.grows(&staff, path, staff.user_id, &[DEVELOPERS[0], applications]).await, 100);
    scene.app.stop().await;
}

#[tokio::test]
async fn admin_developer_verifications_take_as_many_statements_for_a_thousand_as_for_none() {
    let scene = Scene::start().await;
    let staff = reviewer(&scene.app).await;
    let verifications = "INSERT INTO developer_verifications (id, developer_id, details)
        SELECT gen_random_uuid(), id, 'sealed' FROM developer_profiles WHERE slug LIKE 'many%' AND $1 IS NOT NULL";
    let path = "/v1/admin/developer-verifications?limit=100";
    let filled = [DEVELOPERS[0], DEVELOPERS[1], verifications];
    assert_eq!(scene.grows(&staff, path, staff.user_id, &filled).await, 100);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_payouts_take_as_many_statements_for_a_thousand_as_for_none() {
    let scene = Scene::start().await;
    let (developer, profile) = scene.developer().await;
    let payouts = "INSERT INTO developer_payouts (id, developer_id, amount, method, status)
        SELECT gen_random_uuid(), $1, 100, 'bank', 'failed' FROM generate_series(1, 1000)";
    let path = "/v1/developer/payouts?limit=100";
    assert_eq!(scene.grows(&developer, path, profile, &[payouts]).await, 100);
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_limit_request_events_take_as_many_statements_for_a_full_list() {
    let scene = Scene::start().await;
    let (developer, profile) = scene.developer().await;
    let request = json!({
        "scope": "developer", "limit_key": "max_extensions", "requested_value": 40,
        "reason": "a list of events that is full",
    });
    let made = developer.post("/v1/developer/limit-requests", request).await;
    let id = made.expect(201)["data"]["id"].as_str().expect("an id").to_owned();
    let staff = scene.app.admin_with(&["developer-limits:read"]).await;
    let own = format!("/v1/developer/limit-requests/{id}/events");
    let of_staff = format!("/v1/admin/limit-requests/{id}/events");
    let few = scene.list(&staff, &of_staff).await;
    let events = "INSERT INTO limit_request_events (id, request_id, event_type, details)
        SELECT gen_random_uuid(), id, 'comment', '{\"notes\": \"n\"}' FROM limit_requests
        CROSS JOIN generate_series(1, 1000) WHERE developer_id = $1";
    assert_eq!(scene.grows(&developer, &own, profile, &[events]).await, 500);
    assert_eq!(scene.list(&staff, &of_staff).await, (500, few.1));
    scene.app.stop().await;
}

#[tokio::test]
async fn developer_extensions_of_a_team_take_as_many_statements_for_a_thousand_as_for_one() {
    let scene = Scene::start().await;
    let (owner, team) = scene.team().await;
    owner.post("/v1/developer/extensions", json!({ "name": "First", "team_id": team })).await.expect(201);
    let extensions = "INSERT INTO extensions (id, short_id, slug, owner_team_id, name)
        SELECT gen_random_uuid(), 'many' || n, 'many-' || n, $1, 'Many' FROM generate_series(1, 999) AS n";
    let path = "/v1/developer/extensions";
    let listed = scene.grows(&owner, path, team, &[extensions]).await;
    assert_eq!(listed, 500);
    scene.app.stop().await;
}
