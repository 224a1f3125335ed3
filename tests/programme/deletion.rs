//! Deletion of a person with everything that was submitted to the programme (reference/programme.md#sealed-data).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, both_refused, eventually, world};
use lumio_worker::Daemon;
use serde_json::json;

use super::{document, teams};

/// Rows of a developer `$1` with the profile `$2`, each with a text that is found later.
const ROWS: &[(&str, &str)] = &[
    (
        "developer_applications",
        "INSERT INTO developer_applications (id, user_id, application_type, display_name, slug, description, motivation,
            what_to_build, status)
        SELECT gen_random_uuid(), $1, 'team', 'Planted person', 'planted-person', 'd', 'm', 'w', 'rejected'
        WHERE $2 IS NOT NULL",
    ),
    (
        "developer_verifications",
        "INSERT INTO developer_verifications (id, developer_id, details, review_notes)
        SELECT gen_random_uuid(), $2, 'sealed', 'about the planted person' WHERE $1 IS NOT NULL",
    ),
    (
        "developer_payout_settings",
        "INSERT INTO developer_payout_settings (developer_id, details)
        SELECT $2, 'planted person' WHERE $1 IS NOT NULL",
    ),
    (
        "limit_requests",
        "INSERT INTO limit_requests (id, developer_id, requested_by, scope, limit_key, current_value, requested_value, reason)
        VALUES (gen_random_uuid(), $2, $1, 'developer', 'max_extensions', 25, 30, 'the planted person needs them')",
    ),
    (
        "limit_request_events",
        "INSERT INTO limit_request_events (id, request_id, event_type, actor_id, details)
        SELECT gen_random_uuid(), id, 'created', $1, '{\"by\": \"the planted person\"}' FROM limit_requests
        WHERE developer_id = $2",
    ),
    (
        "developer_team_invites",
        "WITH team AS (INSERT INTO developer_teams (id, owner_id, name, slug)
            SELECT gen_random_uuid(), $1, 'Team', 'planted-team' WHERE $2 IS NOT NULL RETURNING id),
        role AS (INSERT INTO developer_team_roles (id, team_id, slug, name)
            SELECT gen_random_uuid(), id, 'team-owner', 'Owner' FROM team RETURNING id, team_id),
        member AS (INSERT INTO developer_team_members (id, team_id, user_id, role_id)
            SELECT gen_random_uuid(), team_id, $1, id FROM role)
        INSERT INTO developer_team_invites (id, team_id, role_id, code, email, max_uses, expires_at, created_by)
        SELECT gen_random_uuid(), team_id, id, 'code', 'planted-person@lumio.test', 1, now() + interval '1 day', $1
        FROM role",
    ),
    (
        "developer_team_payout_settings",
        "INSERT INTO developer_team_payout_settings (team_id, details)
        SELECT id, 'planted person' FROM developer_teams WHERE owner_id = $1 AND $2 IS NOT NULL",
    ),
];

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Names in the storage of the uploads that are there.
async fn uploads(app: &TestApp) -> Vec<String> {
    let rows: Vec<Table> = sql_query("SELECT storage_key AS name FROM uploads")
        .load(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    rows.into_iter().map(|row| row.name).collect()
}

/// Tables other than the audit log that contain the person.
async fn naming(app: &TestApp, person: &str) -> Vec<String> {
    const TABLES: &str =
        "SELECT relname::text AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace
        AND relkind IN ('r', 'p') AND NOT relispartition AND relname <> 'audit_log' ORDER BY 1";
    let tables: Vec<Table> =
        sql_query(TABLES).load(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let mut found = Vec::new();
    for Table { name } in tables {
        let rows = format!("{name} AS t WHERE t::text ILIKE '%{person}%'");
        if world::count(app, &rows).await > 0 {
            found.push(name);
        }
    }
    found
}

#[tokio::test]
async fn admin_delete_user_deletes_what_a_developer_submitted() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["users:read", "users:delete"]).await;
    let person = app.owner().await;
    let profile = app.developer_profile(person.user_id).await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for (table, sql) in ROWS {
        let rows = sql_query(*sql)
            .bind::<SqlUuid, _>(person.user_id)
            .bind::<SqlUuid, _>(profile)
            .execute(&mut *db)
            .await
            .unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_eq!(rows, 1, "{table}");
    }
    drop(db);
    document(&person).await;
    let stored = uploads(&app).await;
    assert_eq!(stored.len(), 1);
    assert!(app.state.storage.get(&stored[0]).await.unwrap().is_some());
    for (table, _) in ROWS {
        assert!(world::count(&app, table).await > 0, "{table}");
    }

    staff.delete(&format!("/v1/admin/users/{}", person.user_id)).await.expect(204);
    for (table, _) in ROWS {
        assert_eq!(world::count(&app, table).await, 0, "{table}");
    }
    assert_eq!(naming(&app, "planted").await, Vec::<String>::new());
    let running = world::workers(&app, &[Daemon::Outbox, Daemon::Housekeeping]).await;
    eventually("the document is gone", async || app.state.storage.get(&stored[0]).await.unwrap().is_none())
        .await;
    running.stop().await.unwrap();
    app.stop().await;
}

#[tokio::test]
async fn admin_delete_user_refuses_the_owner_of_a_team_with_extensions() {
    let app = TestApp::start().await;
    let staff = app.admin_with(&["users:read", "users:delete"]).await;
    let studio = app.studio().await;
    let team = teams::team_of(&studio.person).await;
    let extension = studio.extension("Kept").await;
    let transfer = format!("/v1/developer/extensions/{extension}/transfer");
    studio.person.post(&transfer, json!({ "team_id": team })).await.expect(200);
    let path = format!("/v1/admin/users/{}", studio.person.user_id);
    let document = "mutation($id: UUID!) { adminDeleteUser(id: $id) }";
    let both =
        (staff.delete(&path).await, staff.graphql(document, json!({ "id": studio.person.user_id })).await);
    let message = "User still owns 1 extension(s). Transfer or delete them first.";
    both_refused(&both.0, &both.1, 409, "CONFLICT", message);
    studio.person.get(&format!("/v1/developer/teams/{team}")).await.expect(200);
    app.stop().await;
}
