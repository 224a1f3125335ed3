//! Automation nodes of installed extensions, and the webhooks of trigger nodes
//! (reference/automations.md#webhooks).

use std::collections::HashSet;

use diesel::{insert_into, prelude::*, update};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use futures::{StreamExt, stream::FuturesUnordered};
use lumio_tests::{Answer, Person, Statements, TestApp, both_refused};
use reqwest::Method;
use serde_json::{Value, json};
use shared::{
    id,
    schema::{
        automation_trigger_registrations as registrations, automations, extension_installs,
        extension_versions, outbox,
    },
};
use uuid::Uuid;

use super::{ASKED, greeter, id_of, install, reviewer};

const NODES: &str = "/v1/automation/extension-nodes";
const NODE: &str = "{ extensionId installId name nodeType inputSchema outputSchema triggerMode icon color }";

/// Account with an automation that a node of an extension triggers by webhook.
struct Stage {
    app: TestApp,
    owner: Person,
    extension: Uuid,
    install: Uuid,
    automation: Uuid,
    registration: Uuid,
}

impl Stage {
    async fn set() -> Self {
        let app = TestApp::start().await;
        let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
        let node = json!({
            "category": "automation_node",
            "automation_node": {
                "node_type": "trigger", "name": "Orders", "trigger_mode": "webhook", "handler": "hello",
                "icon": "cart", "color": "#ff0000",
                "output_schema": { "type": "object", "properties": { "total": { "type": "number" } } },
            },
        });
        let extension = greeter(&studio, &reviewer, &node).await;
        let install = id_of(&install(&owner, extension, &ASKED, &json!({})).await);
        let (automation, registration) = (id::new(), id::new());
        let stage = Self { app, owner, extension, install, automation, registration };
        stage.automate(&stage.owner, install, automation, registration, "webhook").await;
        stage
    }

    /// Inserts an automation with a node that an install triggers.
    async fn automate(
        &self,
        owner: &Person,
        install: Uuid,
        automation: Uuid,
        registration: Uuid,
        mode: &str,
    ) {
        let mut db = self.app.databases.postgres.get().await.unwrap();
        insert_into(automations::table)
            .values((
                automations::id.eq(automation),
                automations::account_id.eq(owner.account_id),
                automations::name.eq("Orders"),
                automations::enabled.eq(true),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
        insert_into(registrations::table)
            .values((
                registrations::id.eq(registration),
                registrations::account_id.eq(owner.account_id),
                registrations::automation_id.eq(automation),
                registrations::node_id.eq(id::new()),
                registrations::install_id.eq(install),
                registrations::mode.eq(mode),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
    }

    fn path(&self) -> String {
        format!("/v1/automation/webhooks/{}/{}", self.install, self.automation)
    }

    async fn secret(&self) -> String {
        let webhook = self.owner.get(&self.path()).await;
        webhook.data()["webhook_secret"].as_str().unwrap().to_owned()
    }

    async fn deliver(&self, secret: &str, body: &str) -> Answer {
        self.deliver_to(self.extension, self.install, secret, body).await
    }

    async fn deliver_to(&self, extension: Uuid, install: Uuid, secret: &str, body: &str) -> Answer {
        let anonymous = self.app.anonymous();
        let path = format!("/v1/automation/webhooks/{extension}/{install}");
        let mut request = anonymous.request(Method::POST, &path).body(body.to_owned());
        if !secret.is_empty() {
            request = request.header("X-Webhook-Secret", secret);
        }
        anonymous.send(request).await
    }

    /// Jobs that deliveries enqueued.
    async fn jobs(&self) -> Vec<Value> {
        outbox::table
            .filter(outbox::queue.eq("automation_triggers"))
            .order(outbox::id)
            .select(outbox::payload)
            .load(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap()
    }
}

#[tokio::test]
async fn installed_automation_nodes_lists_nodes_of_running_installs() {
    let stage = Stage::set().await;
    let listed = stage.owner.get(NODES).await;
    let node = json!({
        "extension_id": stage.extension, "install_id": stage.install, "name": "Orders", "node_type": "trigger",
        "input_schema": null, "trigger_mode": "webhook", "icon": "cart", "color": "#ff0000",
        "output_schema": { "type": "object", "properties": { "total": { "type": "number" } } },
    });
    assert_eq!(*listed.data(), json!([node]));
    let graphql = stage.owner.graphql(&format!("{{ installedAutomationNodes {NODE} }}"), json!({})).await;
    let of_graphql = graphql.field("installedAutomationNodes");
    assert_eq!(of_graphql[0]["node_type"], "TRIGGER");
    assert_eq!(of_graphql[0]["output_schema"], node["output_schema"]);

    let other = stage.app.owner().await;
    assert_eq!(*other.get(NODES).await.data(), json!([]));
    let path = format!("/v1/extension-installs/{}", stage.install);
    stage.owner.patch(&path, json!({ "enabled": false })).await.data();
    assert_eq!(*stage.owner.get(NODES).await.data(), json!([]));
    let member = stage.app.member_with(stage.owner.account_id, &[]).await;
    let rest = member.get(NODES).await;
    let graphql = member.graphql("{ installedAutomationNodes { name } }", json!({})).await;
    both_refused(&rest, &graphql, 403, "FORBIDDEN", "Missing permission: automations:read");
    stage.app.stop().await;
}

#[tokio::test]
async fn automation_webhook_url_creates_one_secret_for_both_protocols() {
    let stage = Stage::set().await;
    let asked = futures::future::join_all((0..8).map(|_| stage.secret())).await;
    let secrets: HashSet<&String> = asked.iter().collect();
    assert_eq!(secrets.len(), 1);
    let secret = &asked[0];
    assert!(
        secret.len() == 43 && secret.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    );
    let rest = stage.owner.get(&stage.path()).await.data().clone();
    let public = stage.app.config().http.public_url;
    let expected = format!("{public}v1/automation/webhooks/{}/{}", stage.extension, stage.install);
    assert_eq!(rest["webhook_url"], expected);
    let document = "query($install: UUID!, $automation: UUID!) { \
        automationWebhookUrl(installId: $install, automationId: $automation) { webhookUrl webhookSecret } }";
    let variables = json!({ "install": stage.install, "automation": stage.automation });
    let graphql = stage.owner.graphql(document, variables).await;
    assert_eq!(graphql.field("automationWebhookUrl"), rest);

    // Neither the row nor the audit log contains it in plain text.
    let (sealed, hash): (Option<Vec<u8>>, Option<Vec<u8>>) = registrations::table
        .find(stage.registration)
        .select((registrations::webhook_secret, registrations::webhook_secret_hash))
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    for stored in [sealed.unwrap(), hash.unwrap()] {
        assert!(!stored.windows(secret.len()).any(|part| part == secret.as_bytes()));
    }
    let entry = stage.app.audited_once("automation_webhook:secret_made").await;
    assert_eq!(entry.account_id, Some(stage.owner.account_id));
    assert!(!entry.metadata.to_string().contains(secret.as_str()));
    stage.app.stop().await;
}

#[tokio::test]
async fn automation_webhook_url_is_for_webhook_nodes_only() {
    let stage = Stage::set().await;
    let (polled, other) = (id::new(), stage.app.owner().await);
    stage.automate(&stage.owner, stage.install, polled, id::new(), "polling").await;
    let document = "query($install: UUID!, $automation: UUID!) { \
        automationWebhookUrl(installId: $install, automationId: $automation) { webhookUrl } }";
    for (who, install, automation) in [
        (&stage.owner, stage.install, polled),
        (&stage.owner, stage.install, id::new()),
        (&stage.owner, id::new(), stage.automation),
        (&other, stage.install, stage.automation),
    ] {
        let rest = who.get(&format!("/v1/automation/webhooks/{install}/{automation}")).await;
        let variables = json!({ "install": install, "automation": automation });
        let graphql = who.graphql(document, variables).await;
        both_refused(&rest, &graphql, 404, "NOT_FOUND", "Automation trigger not found");
    }
    let member = stage.app.member_with(stage.owner.account_id, &[]).await;
    member.get(&stage.path()).await.refused("FORBIDDEN", "Missing permission: automations:read");
    assert!(stage.app.audited("automation_webhook:secret_made").await.is_empty());
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_queues_a_job_for_the_trigger() {
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    let answer = stage.deliver(&secret, r#"{"total":1,"text":"a\u0000b"}"#).await;
    assert_eq!(answer.expect(200)["data"], json!({ "success": true }));
    for (body, expected) in [("", json!(null)), ("[1]", json!([1])), ("\"text\"", json!("text"))] {
        stage.deliver(&secret, body).await.expect(200);
        assert_eq!(stage.jobs().await.last().unwrap()["source"]["body"], expected);
    }
    let jobs = stage.jobs().await;
    assert_eq!(jobs.len(), 4);
    assert_eq!(jobs[0]["registration_id"], json!(stage.registration));
    assert_eq!(jobs[0]["source"]["body"], json!({ "total": 1, "text": "a\u{fffd}b" }));
    let headers = jobs[0]["source"]["headers"].as_object().unwrap();
    assert!(headers.contains_key("host") && !headers.contains_key("x-webhook-secret"), "{headers:?}");
    assert!(!jobs[0].to_string().contains(&secret));
    let occasions: HashSet<String> = jobs.iter().map(|job| job["occasion"].to_string()).collect();
    assert_eq!(occasions.len(), 4);
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_refuses_a_wrong_secret() {
    let stage = Stage::set().await;
    // The secret does not exist before it is first shown.
    stage.deliver("", "{}").await.refused("UNAUTHORIZED", "Invalid webhook secret");
    let secret = stage.secret().await;
    let wrong = format!("{}x", &secret[..secret.len() - 1]);
    for wrong in ["", "x", &wrong, &secret[1..]] {
        let answer = stage.deliver(wrong, "{}").await;
        assert_eq!(answer.status, 401, "{wrong}");
        answer.refused("UNAUTHORIZED", "Invalid webhook secret");
    }
    for (extension, install) in
        [(id::new(), stage.install), (stage.extension, id::new()), (stage.install, stage.extension)]
    {
        let answer = stage.deliver_to(extension, install, &secret, "{}").await;
        assert_eq!(answer.status, 404);
        answer.refused("NOT_FOUND", "Extension install not found");
    }
    let large = format!("\"{}\"", "x".repeat(64 * 1024));
    stage.deliver(&secret, &large).await.refused("BAD_REQUEST", "Request body too large");
    stage.deliver(&secret, "{\"total\":").await.refused_with("BAD_REQUEST");
    let malformed = stage.app.anonymous().post("/v1/automation/webhooks/x/y", json!({})).await;
    malformed.refused("VALIDATION_ERROR", "Invalid UUID: extension_id");
    assert!(stage.jobs().await.is_empty());
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_refuses_a_removed_node_until_restored() {
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    let set = async |is_there: bool| {
        update(registrations::table.find(stage.registration))
            .set(registrations::enabled.eq(is_there))
            .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap();
    };
    set(false).await;
    stage.deliver(&secret, "{}").await.refused("UNAUTHORIZED", "Invalid webhook secret");
    set(true).await;
    stage.deliver(&secret, "{}").await.expect(200);
    assert_eq!((stage.secret().await, stage.jobs().await.len()), (secret.clone(), 1));

    // A disabled node is not removed: the delivery is accepted and does nothing.
    update(automations::table.find(stage.automation))
        .set(automations::enabled.eq(false))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    stage.deliver(&secret, "{}").await.expect(200);
    update(automations::table.find(stage.automation))
        .set(automations::enabled.eq(true))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    update(extension_installs::table.find(stage.install))
        .set(extension_installs::killed_at.eq(stage.app.clock.now()))
        .execute(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    stage.deliver(&secret, "{}").await.expect(200);
    assert_eq!(stage.jobs().await.len(), 1);
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_ignores_an_account_without_automations() {
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    for (is_on, jobs) in [(false, 0), (true, 1)] {
        stage.app.override_feature(stage.owner.account_id, "feature:automations", is_on).await;
        stage.deliver(&secret, "1").await.expect(200);
        assert_eq!(stage.jobs().await.len(), jobs);
    }
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_ignores_a_revoked_version() {
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    stage.deliver(&secret, "1").await.expect(200);
    let version: Uuid = extension_versions::table
        .filter(extension_versions::extension_id.eq(stage.extension))
        .select(extension_versions::id)
        .first(&mut *stage.app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    let path = format!("/v1/admin/extension-versions/{version}/revoke");
    reviewer(&stage.app).await.post(&path, json!({ "reason": "Unsafe" })).await.data();
    stage.deliver(&secret, "2").await.expect(200);
    assert_eq!(stage.jobs().await.len(), 1);
    assert_eq!(*stage.owner.get(NODES).await.data(), json!([]));
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_is_limited_to_sixty_a_minute() {
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    stage.app.begin_a_window(60);
    for _ in 0..60 {
        stage.deliver(&secret, "1").await.expect(200);
    }
    let answer = stage.deliver(&secret, "1").await;
    assert_eq!(answer.status, 429, "{}", answer.text);
    assert!(!answer.header("retry-after").is_empty());
    assert_eq!(stage.jobs().await.len(), 60);
    stage.app.clock.advance(chrono::Duration::seconds(60));
    stage.deliver(&secret, "1").await.expect(200);
    stage.app.stop().await;
}

#[tokio::test]
async fn receive_automation_webhook_limits_guesses_but_not_valid_senders() {
    let statements = Statements::watch();
    let stage = Stage::set().await;
    let secret = stage.secret().await;
    let (neighbour, automation) = (stage.app.owner().await, id::new());
    let neighbour_install = id_of(&install(&neighbour, stage.extension, &ASKED, &json!({})).await);
    stage.automate(&neighbour, neighbour_install, automation, id::new(), "webhook").await;
    let webhook = neighbour.get(&format!("/v1/automation/webhooks/{neighbour_install}/{automation}")).await;
    let neighbour_secret = webhook.data()["webhook_secret"].as_str().unwrap();
    stage.app.begin_a_window(60);
    for _ in 0..119 {
        let answer = stage.deliver_to(stage.extension, id::new(), "wrong", "1").await;
        answer.refused("NOT_FOUND", "Extension install not found");
    }
    stage.deliver("wrong", "1").await.refused("UNAUTHORIZED", "Invalid webhook secret");
    // Wrong secrets get 429 from here on, at the cost of one query.
    statements.to(&stage.app);
    for install in [id::new(), stage.install] {
        statements.take();
        let answer = stage.deliver_to(stage.extension, install, "wrong", "1").await;
        assert_eq!(answer.status, 429, "{}", answer.text);
        assert!(!answer.header("retry-after").is_empty());
        let asked = statements.take_of("extension_installs");
        assert_eq!(asked.len(), 1, "{asked:#?}");
    }
    // Neither the guessed install nor another one is blocked.
    stage.deliver(&secret, "1").await.expect(200);
    stage.deliver_to(stage.extension, neighbour_install, neighbour_secret, "1").await.expect(200);
    assert_eq!(stage.jobs().await.len(), 2);

    // One sender uses at most two database connections, however long the database takes.
    let mut db = stage.app.databases.postgres.get().await.unwrap();
    db.batch_execute("BEGIN; LOCK TABLE automation_trigger_registrations").await.unwrap();
    let mut answers: FuturesUnordered<_> = (0..6).map(|_| stage.deliver(&secret, "1")).collect();
    for _ in 0..4 {
        let answer = answers.next().await.unwrap();
        assert_eq!(answer.status, 429, "{}", answer.text);
    }
    db.batch_execute("COMMIT").await.unwrap();
    drop(db);
    while let Some(answer) = answers.next().await {
        answer.expect(200);
    }
    assert_eq!(stage.jobs().await.len(), 4);
    stage.app.clock.advance(chrono::Duration::seconds(60));
    assert_eq!(stage.deliver("wrong", "1").await.status, 401);
    drop(answers);
    stage.app.stop().await;
}
