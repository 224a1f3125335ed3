//! Balances of teams (reference/programme.md#balances-of-teams).

use diesel::{prelude::*, sql_query};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, Person, TestApp, both_refused, eventually, extensions::Studio, world::count,
};
use serde_json::{Value, json};
use shared::schema::developer_team_payout_settings;
use uuid::Uuid;

use super::{PATH, member, member_with};
use crate::{
    notifications,
    payouts::{sell, verify},
};

const PAYOUTS: &str = "/v1/developer/payouts";
const SETTINGS: &str = "/v1/developer/payout-settings";
const PAYOUT: &str = "{ id amount status }";

/// A verified developer with an extension, the owner of a team with another: both are sold once.
struct Scene {
    app: TestApp,
    studio: Studio,
    team: Uuid,
}

impl Scene {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let studio = app.studio().await;
        verify(&app, &studio).await;
        let made = studio.person.post(PATH, json!({ "name": "Studio", "slug": "studio-team" })).await;
        let team = super::id(made.expect(201)["data"].get("id"));
        let (own, of_team) = (studio.extension("Own").await, studio.extension("Shared").await);
        let transfer = format!("/v1/developer/extensions/{of_team}/transfer");
        studio.person.post(&transfer, json!({ "team_id": team })).await.expect(200);
        sell(&app, &studio, own, (5_000, "own"), app.clock.now()).await;
        sell(&app, &studio, of_team, (10_000, "shared"), app.clock.now()).await;
        app.override_every_feature(studio.person.account_id, true).await;
        Self { app, studio, team }
    }

    /// A member with permissions in the team, whose account has all features.
    async fn member(&self, permissions: &[&str]) -> Person {
        let person = member_with(&self.app, &self.studio.person, self.team, permissions).await;
        self.app.override_every_feature(person.account_id, true).await;
        person
    }

    async fn settings(&self, caller: &Caller) -> Answer {
        caller.get(&format!("{SETTINGS}?team_id={}", self.team)).await
    }

    async fn request(&self, caller: &Caller) -> Answer {
        caller.post(&format!("{PAYOUTS}/request"), json!({ "team_id": self.team })).await
    }

    async fn request_over_graphql(&self, caller: &Caller) -> Answer {
        caller.mutate("requestDeveloperPayout", &json!({ "team_id": self.team }), PAYOUT).await
    }

    /// Calls of a caller who may not read the balance, over both protocols.
    async fn reads(&self, caller: &Caller) -> Vec<(Answer, Answer)> {
        let mut answers = Vec::new();
        for (path, field, selection) in [
            (SETTINGS, "developerPayoutSettings", "{ id }"),
            (PAYOUTS, "developerPayouts", "{ total }"),
            ("/v1/developer/revenue", "developerRevenue", "{ totalShare }"),
        ] {
            let rest = caller.get(&format!("{path}?team_id={}", self.team)).await;
            let document = format!("{{ {field}(teamId: \"{}\") {selection} }}", self.team);
            answers.push((rest, caller.graphql(&document, json!({})).await));
        }
        answers
    }
}

fn wallet(team: Uuid) -> Value {
    json!({ "team_id": team, "payout_method": "paypal_style", "paypal_style_email": "team@example.org" })
}

#[tokio::test]
async fn request_developer_payout_of_a_team_takes_the_balance_of_the_team() {
    let scene = Scene::start().await;
    let (app, owner, team) = (&scene.app, &scene.studio.person, scene.team);
    let editor = scene.member(&["team-payouts:read", "team-payouts:edit"]).await;
    let stored = editor.post(PAYOUTS, wallet(team)).await.expect(200)["data"].clone();
    assert_eq!((&stored["team_id"], &stored["revenue_balance"]), (&json!(team), &json!(7_000)));
    assert_eq!(stored["paypal_style_email"], "****.org");
    assert_eq!(*scene.settings(&editor).await.data(), stored);
    let own = owner.get(SETTINGS).await.data().clone();
    assert_eq!((&own["payout_method"], &own["revenue_balance"]), (&Value::Null, &json!(3_500)));
    let sealed: Vec<u8> = developer_team_payout_settings::table
        .select(developer_team_payout_settings::details)
        .first(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert!(!sealed.windows(4).any(|part| part == b"team"));

    let tries = futures::future::join_all([0; 4].map(|_| scene.request(&editor))).await;
    let made: Vec<&Answer> = tries.iter().filter(|answer| answer.status == 201).collect();
    assert_eq!(made.len(), 1, "one at a time");
    assert_eq!(made[0].data()["amount"], 7_000);
    let both = (scene.request(&editor).await, scene.request_over_graphql(&editor).await);
    both_refused(&both.0, &both.1, 409, "CONFLICT", "A payout is already pending");
    // The owner is paid by another balance.
    let own = json!({ "payout_method": "paypal_style", "paypal_style_email": "ada@example.org" });
    owner.post(PAYOUTS, own).await.expect(200);
    owner.post(&format!("{PAYOUTS}/request"), json!({})).await.expect(201);
    for (caller, path, amount) in
        [(&editor, format!("{PAYOUTS}?team_id={team}"), 7_000), (owner, PAYOUTS.to_owned(), 3_500)]
    {
        let listed = caller.get(&path).await;
        let found = (&listed.body["_meta"]["total"], &listed.data()[0]["amount"]);
        assert_eq!(found, (&json!(1), &json!(amount)), "{path}");
    }
    let document =
        format!("{{ developerRevenue(teamId: \"{team}\") {{ totalShare items {{ extensionName }} }} }}");
    let revenue = editor.graphql(&document, json!({})).await.field("developerRevenue");
    assert_eq!(revenue, json!({ "total_share": 7_000, "items": [{ "extension_name": "Shared" }] }));
    for person in [owner, &editor] {
        let titles = notifications(person).await;
        assert!(titles.iter().any(|notice| notice["title"] == "Payout settings changed"), "{titles:?}");
    }
    let requested = app.audited("developer:payout_requested").await;
    assert_eq!((requested.len(), &requested[0].metadata["team_id"]), (2, &json!(team)));

    let path = format!("{PATH}/{team}");
    owner.delete(&path).await.refused("CONFLICT", "The team has a pending payout");
    let staff = app.admin_with(&["billing:read", "billing:edit"]).await;
    let listed = staff.get("/v1/admin/payouts").await.data().clone();
    assert_eq!((&listed[0]["team_id"], &listed[1]["team_id"]), (&json!(team), &Value::Null));
    let payout = format!("/v1/admin/payouts/{}", made[0].data()["id"].as_str().unwrap());
    staff.patch(&payout, json!({ "status": "processing" })).await.expect(200);
    owner.delete(&path).await.refused("CONFLICT", "The team has a pending payout");
    staff.patch(&payout, json!({ "status": "paid" })).await.expect(200);
    for person in [owner, &editor] {
        let notices = notifications(person).await;
        let message = "Your payout of 70.00 EUR is now paid.";
        assert!(notices.iter().any(|notice| notice["message"] == message), "{notices:?}");
    }
    assert_eq!(app.audited("payout:status_changed").await[0].metadata["team_id"], json!(team));
    assert_eq!(owner.delete(&path).await.status, 204);
    let own = owner.get(SETTINGS).await.data().clone();
    assert_eq!((&own["total_earned"], &own["revenue_balance"]), (&json!(10_500), &json!(0)));
    scene.app.stop().await;
}

#[tokio::test]
async fn request_developer_payout_of_a_team_and_its_settings_need_the_permissions_in_it() {
    let scene = Scene::start().await;
    let plain = member(&scene.app, &scene.studio.person, scene.team, "Member").await;
    let stranger = scene.app.owner().await;
    for person in [&plain, &stranger] {
        scene.app.override_every_feature(person.account_id, true).await;
    }
    for (rest, graphql) in scene.reads(&plain).await {
        both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: team-payouts:read");
    }
    for (rest, graphql) in scene.reads(&stranger).await {
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Team not found");
    }
    let reader = scene.member(&["team-payouts:read"]).await;
    assert_eq!(scene.settings(&reader).await.data()["team_id"], json!(scene.team));
    for (person, status, code, message) in [
        (&reader, 403, "FORBIDDEN", "Missing permission: team-payouts:edit"),
        (&stranger, 404, "NOT_FOUND", "Team not found"),
    ] {
        let both = (scene.request(person).await, scene.request_over_graphql(person).await);
        both_refused(&both.0, &both.1, status, code, message);
        let input = json!({ "team_id": scene.team, "bank_name": "Bank" });
        let graphql = person.mutate("updateDeveloperPayoutSettings", &input, "{ id }").await;
        both_refused(&person.post(PAYOUTS, wallet(scene.team)).await, &graphql, status, code, message);
    }
    scene.app.stop().await;
}

#[tokio::test]
async fn update_developer_payout_settings_of_a_team_refuses_a_member_who_is_removed_meanwhile() {
    let scene = Scene::start().await;
    let editor = scene.member(&["team-payouts:read", "team-payouts:edit"]).await;
    let mut other = scene.app.databases.postgres.get().await.unwrap();
    for sql in [
        "BEGIN".to_owned(),
        format!("SELECT id FROM developer_teams WHERE id = '{}' FOR UPDATE", scene.team),
        format!("DELETE FROM developer_team_members WHERE user_id = '{}'", editor.user_id),
    ] {
        sql_query(sql).execute(&mut *other).await.unwrap();
    }
    let waiting = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
        AND query LIKE '%FOR KEY SHARE%'";
    let removal = async {
        eventually("the change waits for the removal", async || count(&scene.app, waiting).await > 0).await;
        sql_query("COMMIT").execute(&mut *other).await.unwrap();
    };
    let (refused, ()) = tokio::join!(editor.post(PAYOUTS, wallet(scene.team)), removal);
    refused.refused("NOT_FOUND", "Team not found");
    drop(other);
    scene.app.stop().await;
}
