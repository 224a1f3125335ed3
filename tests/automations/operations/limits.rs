//! Number of automations of a plan (reference/automations.md#limits-of-the-plan).

use lumio_tests::{TestApp, both_refused};
use serde_json::json;

use crate::common::{AUTOMATION, AUTOMATIONS, create, enable, execute, gql_update, graphql, path, ready};

const REACHED: &str = "Automation limit reached";

#[tokio::test]
async fn create_automation_and_duplicate_automation_stop_at_the_limit_of_the_plan() {
    let app = TestApp::start().await;
    for (plan, limit) in [("free", 5), ("pro", 50), ("enterprise", 200)] {
        let owner = app.owner_on(plan).await;
        let ready = ready(&owner).await;
        let others = format!(
            "INSERT INTO automations (id, account_id, name)
             SELECT gen_random_uuid(), $1, 'A' || n FROM generate_series(3, {limit}) AS n"
        );
        execute(&app, &others, owner.account_id).await;
        create(&owner, "The last").await;
        let input = json!({ "name": "One more" });
        let rest = owner.post(AUTOMATIONS, input.clone()).await;
        let gql = owner.mutate("createAutomation", &input, AUTOMATION).await;
        both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", REACHED);
        assert_eq!(rest.body["details"], json!({ "limit": limit }), "{plan}");
        let rest = owner.post(&format!("{}/duplicate", path(ready.id)), json!({})).await;
        let gql = graphql(&owner, "mutation", "duplicateAutomation", &[("id", ready.id)], AUTOMATION).await;
        both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", REACHED);
        enable(&owner, ready.id).await.expect(200);
    }
    app.stop().await;
}

#[tokio::test]
async fn update_automation_enables_nothing_above_the_limit_after_a_downgrade() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let (running, waiting) = (ready(&owner).await, ready(&owner).await);
    for number in 0..4 {
        create(&owner, &format!("A{number}")).await;
    }
    enable(&owner, running.id).await.expect(200);
    let downgrade = "UPDATE accounts SET plan_id = (SELECT id FROM plans WHERE slug = 'free') WHERE id = $1";
    execute(&app, downgrade, owner.account_id).await;
    let rest = enable(&owner, waiting.id).await;
    let gql = gql_update(&owner, waiting.id, &json!({ "enabled": true })).await;
    both_refused(&rest, &gql, 403, "PLAN_LIMIT_REACHED", REACHED);
    assert_eq!(owner.get(&path(running.id)).await.data()["enabled"], true, "the enabled one goes on");
    owner.post(&format!("{}/execute", path(running.id)), json!({})).await.expect(202);
    owner.patch(&path(running.id), json!({ "name": "Still mine" })).await.expect(200);
    owner.delete(&path(running.id)).await.expect(204);
    enable(&owner, waiting.id).await.expect(200);
    app.stop().await;
}
