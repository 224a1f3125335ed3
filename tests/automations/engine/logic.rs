//! Logic, as the effects behind its branches show it.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use uuid::Uuid;

use super::stage::{Draft, Stage};

#[derive(QueryableByName)]
struct Notification {
    #[diesel(sql_type = Text)]
    title: String,
}

/// Titles of the notifications of an automation, oldest first.
async fn titles(stage: &Stage, automation: Uuid) -> Vec<String> {
    let sql =
        "SELECT title FROM notifications WHERE data ->> 'automationId' = $1::text ORDER BY created_at, id";
    let found: Vec<Notification> = sql_query(sql)
        .bind::<SqlUuid, _>(automation)
        .load(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    found.into_iter().map(|notification| notification.title).collect()
}

/// Runs an automation with a payload until it has succeeded.
async fn run(stage: &Stage, automation: Uuid, payload: Value) -> Uuid {
    let run = stage.start_of(stage.owner.account_id, automation, payload).await;
    assert_eq!(stage.ended(run).await.status, "succeeded");
    run
}

#[tokio::test]
async fn logic_of_switches_random_branches_and_loops_selects_the_effects() {
    let stage = Stage::new().await;
    let running = stage.workers().await;

    let mut draft = Draft::manual();
    let cases = json!([{ "handle": "low", "equals": 1 }, { "handle": "five", "equals": "5" }]);
    let switch = json!({ "value": "{{trigger.payload.n}}", "cases": cases });
    let switch = draft.after(draft.trigger, "out", "switch", switch);
    for handle in ["low", "five", "default"] {
        draft.notify(switch, handle, handle);
    }
    let switching = stage.automation(&draft).await;
    for n in [5, 9, 1] {
        run(&stage, switching, json!({ "n": n })).await;
    }
    assert_eq!(titles(&stage, switching).await, ["five", "default", "low"]);

    let mut draft = Draft::manual();
    let branches = json!([{ "handle": "heads", "weight": 1 }, { "handle": "tails", "weight": 1 }]);
    let random = draft.after(draft.trigger, "out", "random", json!({ "branches": branches }));
    for handle in ["heads", "tails"] {
        draft.notify(random, handle, handle);
    }
    let chancy = stage.automation(&draft).await;
    let mut chosen = Vec::new();
    for _ in 0..4 {
        let run = run(&stage, chancy, json!({})).await;
        let step = stage.steps(run).await.remove(0);
        assert_eq!(step.output, Some(json!({ "branch": step.branch })));
        chosen.extend(step.branch);
    }
    assert_eq!(titles(&stage, chancy).await, chosen, "one effect for each run, that of its branch");

    let mut draft = Draft::manual();
    let list = json!({ "list": "{{trigger.payload.names}}" });
    let repeated = draft.after(draft.trigger, "out", "loop", list);
    draft.notify(repeated, "out", "{{vars.index}} {{vars.item}}");
    draft.notify(repeated, "done", "done");
    let repeating = stage.automation(&draft).await;
    run(&stage, repeating, json!({ "names": ["Ada", "Grace"] })).await;
    assert_eq!(titles(&stage, repeating).await, ["0 Ada", "1 Grace", "done"]);
    stage.end(running).await;
}
