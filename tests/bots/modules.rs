//! Bot modules (specification B §4.4, C B4, B8).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Bool, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use futures::StreamExt;
use lumio_tests::{Answer, Caller, DEADLINE, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::column;

const MODULES: &str = "/v1/bot-modules";
const MODULE: &str =
    "{ source name installId enabled config exemptRoles { moderator vip subscriber } killed }";
const NAMES: [&str; 4] = ["link_protection", "spam_protection", "word_filter", "timed_messages"];
const UNKNOWN: &str = "name must be one of link_protection, spam_protection, word_filter, timed_messages";

fn path(name: &str) -> String {
    format!("{MODULES}/{name}")
}

async fn update_over_graphql(caller: &Caller, name: &str, input: &Value) -> Answer {
    let document = format!(
        "mutation($name: String!, $input: UpdateBotModuleInput!) {{
            updateBotModule(name: $name, input: $input) {MODULE} }}"
    );
    let mut camel = json!({ "enabled": input["enabled"], "config": input["config"] });
    if let Some(exempt) = input.get("exempt_roles") {
        camel["exemptRoles"] = exempt.clone();
    }
    caller.graphql(&document, json!({ "name": name, "input": camel })).await
}

async fn delete_over_graphql(caller: &Caller, name: &str) -> Answer {
    let document = "mutation($name: String!) { deleteBotModule(name: $name) }";
    caller.graphql(document, json!({ "name": name })).await
}

#[derive(Debug, PartialEq, QueryableByName)]
struct Install {
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Bool)]
    enabled: bool,
}

#[tokio::test]
async fn a_new_account_has_every_built_in_module_switched_off() {
    let app = TestApp::start().await;
    let user = app.user("new").await;
    let mut db = app.state.databases.postgres.get().await.unwrap();
    let new = shared::accounts::NewAccount {
        name: "New",
        description: None,
        owner: user.into(),
        primary_login_connection: None,
        plan: "free",
    };
    let account = shared::accounts::create_with_default_roles(&mut db, &new, app.clock.now()).await.unwrap();
    let installs = async |db: &mut _| -> Vec<Install> {
        sql_query(
            "SELECT slug, enabled FROM extension_installs JOIN extensions ON extensions.id = extension_id
             WHERE account_id = $1 AND category = 'bot_module' ORDER BY extension_installs.created_at",
        )
        .bind::<SqlUuid, _>(account.0)
        .load(db)
        .await
        .unwrap()
    };
    let slugs = NAMES.map(|name| format!("system-{}", name.replace('_', "-")));
    let expected = slugs.map(|slug| Install { slug, enabled: false });
    assert_eq!(installs(&mut *db).await, expected);
    // Migrating again installs nothing twice, and gives accounts that lack them the modules.
    let old = app.owner().await;
    drop(db);
    shared::seeds::apply(&app.state.databases.postgres).await.unwrap();
    shared::seeds::apply(&app.state.databases.postgres).await.unwrap();
    let mut db = app.state.databases.postgres.get().await.unwrap();
    assert_eq!(installs(&mut *db).await, expected);
    drop(db);
    let listed = old.get(MODULES).await.data().clone();
    assert!(listed.as_array().unwrap().iter().all(|module| module["install_id"].is_string()), "{listed}");
    let install = listed[0]["install_id"].as_str().unwrap();
    let rest = old.delete(&format!("/v1/extension-installs/{install}")).await;
    let document = "mutation($id: UUID!) { uninstallExtension(id: $id) }";
    let graphql = old.graphql(document, json!({ "id": install })).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "System extensions cannot be uninstalled");
}

#[tokio::test]
async fn a_built_in_module_is_read_set_and_given_up_on_both_protocols() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let mut channel = app.state.redis.pubsub().await.unwrap();
    let control = app.state.redis.key(format!("bot_modules:{}", owner.account_id));
    let events = app.state.events.topic(&format!("extensions:{}", owner.account_id));
    channel.subscribe(&[&control, &events]).await.unwrap();

    let listed = owner.get(MODULES).await.data().clone();
    assert_eq!(column(&listed, "name"), NAMES);
    let links = &listed[0];
    assert_eq!(
        (&links["source"], &links["enabled"], &links["killed"]),
        (&json!("builtin"), &json!(false), &json!(false))
    );
    assert_eq!(links["exempt_roles"], json!({ "moderator": true, "vip": false, "subscriber": false }));
    assert_eq!(links["config"]["permit_secs"], 60);
    assert_eq!(links["config"]["action"], "delete");
    let graphql = owner.graphql(&format!("{{ botModules {MODULE} }}"), json!({})).await;
    assert_eq!(column(&graphql.field("botModules"), "name"), NAMES);

    let input = json!({
        "enabled": true,
        "config": { "action": "timeout", "allowed_domains": ["example.com"], "timeout_secs": 30 },
        "exempt_roles": { "vip": true },
    });
    let set = owner.put(&path("link_protection"), input).await.data().clone();
    assert_eq!(
        (&set["enabled"], &set["config"]["timeout_secs"], &set["config"]["warn_message"]),
        (&json!(true), &json!(30), &json!("Please do not post links here."))
    );
    assert_eq!(set["exempt_roles"], json!({ "moderator": false, "vip": true, "subscriber": false }));
    assert_eq!(owner.get(&path("link_protection")).await.data(), &set);
    let mut messages = channel.on_message();
    let next = async |messages: &mut (dyn futures::Stream<Item = redis::Msg> + Unpin)| -> Value {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    assert_eq!(next(&mut messages).await, json!({ "type": "refresh" }));
    let event = next(&mut messages).await;
    assert_eq!(
        (&event["event_type"], &event["data"]["id"], &event["data"]["enabled"]),
        (&json!("install:updated"), &set["install_id"], &json!(true))
    );

    let message = json!({ "text": "hi", "interval_secs": 60, "min_chat_lines": 2, "platforms": ["twitch"] });
    let input = json!({ "enabled": true, "config": { "messages": [message], "rotate": true } });
    let timed = update_over_graphql(&owner, "timed_messages", &input).await.field("updateBotModule");
    assert_eq!((&timed["source"], &timed["config"]["rotate"]), (&json!("BUILTIN"), &json!(true)));
    let query = format!("query($name: String!) {{ botModule(name: $name) {MODULE} }}");
    let read = owner.graphql(&query, json!({ "name": "timed_messages" })).await.field("botModule");
    assert_eq!(read["config"]["messages"][0]["interval_secs"], 60);

    let entry = &app.audited("bot_module:updated").await[0];
    assert_eq!((entry.account_id, entry.actor_id), (Some(owner.account_id), Some(owner.user_id)));
    assert_eq!(entry.metadata, json!({ "name": "link_protection", "enabled": true }));

    owner.delete(&path("link_protection")).await.expect(204);
    let given_up = owner.get(&path("link_protection")).await.data().clone();
    assert_eq!((&given_up["enabled"], &given_up["config"]), (&json!(false), &links["config"]));
    assert_eq!(given_up["install_id"], set["install_id"], "it stays installed");
    assert_eq!(delete_over_graphql(&owner, "timed_messages").await.field("deleteBotModule"), true);
    assert_eq!(app.audited("bot_module:deleted").await.len(), 2);
}

#[tokio::test]
async fn wrong_names_and_settings_are_refused_by_place() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let input = json!({ "enabled": true, "config": {} });
    let query = format!("query($name: String!) {{ botModule(name: $name) {MODULE} }}");
    let name = json!({ "name": "greeter" });
    for (rest, graphql) in [
        (owner.get(&path("greeter")).await, owner.graphql(&query, name).await),
        (
            owner.put(&path("greeter"), input.clone()).await,
            update_over_graphql(&owner, "greeter", &input).await,
        ),
        (owner.delete(&path("greeter")).await, delete_over_graphql(&owner, "greeter").await),
    ] {
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", UNKNOWN);
    }
    let timed = |message: Value| json!({ "messages": [message] });
    for (module, config, message) in [
        ("link_protection", json!({ "acton": "x" }), "config.acton is not a setting of this extension"),
        ("link_protection", json!({ "action": "ban" }), "config.action must be one of delete, timeout, warn"),
        (
            "link_protection",
            json!({ "timeout_secs": 0 }),
            "config.timeout_secs must be between 1 and 1209600",
        ),
        (
            "link_protection",
            json!({ "allowed_domains": ["https://a.example"] }),
            "config.allowed_domains must hold host names such as example.com, not \"https://a.example\"",
        ),
        (
            "spam_protection",
            json!({ "max_caps_percent": 101 }),
            "config.max_caps_percent must be between 0 and 100",
        ),
        ("word_filter", json!({ "words": [" "] }), "config.words must hold words of 1 to 100 characters"),
        (
            "word_filter",
            json!({ "patterns": ["x".repeat(513)] }),
            "config.patterns must hold patterns of 1 to 512 characters",
        ),
        (
            "word_filter",
            json!({ "patterns": [r"(?:\w{500}){500}"] }),
            r#"config.patterns must hold regular expressions; "(?:\\w{500}){500}": it is too large"#,
        ),
        ("timed_messages", json!({ "messages": ["hi"] }), "config.messages must be a list of objects"),
        (
            "timed_messages",
            timed(json!({ "text": "hi", "interval_secs": 59 })),
            "config.messages[0].interval_secs must be between 60 and 86400",
        ),
        (
            "timed_messages",
            timed(json!({ "text": "", "interval_secs": 60 })),
            "config.messages[0].text must have 1 to 500 characters, none of them a control character",
        ),
        (
            "timed_messages",
            timed(json!({ "text": "hi", "interval_secs": 60, "platforms": ["msn"] })),
            "config.messages[0].platforms must be some of twitch, youtube, kick, trovo, discord",
        ),
    ] {
        let input = json!({ "enabled": true, "config": config });
        both_refused(
            &owner.put(&path(module), input.clone()).await,
            &update_over_graphql(&owner, module, &input).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    let unbalanced = json!({ "enabled": true, "config": { "patterns": ["(a"] } });
    let (code, message) = owner.put(&path("word_filter"), unbalanced).await.error();
    assert_eq!(code, "VALIDATION_ERROR");
    assert!(message.starts_with("config.patterns must hold regular expressions"), "{message}");
    owner
        .put(&path("word_filter"), json!({ "enabled": true, "config": 7 }))
        .await
        .refused("VALIDATION_ERROR", "config must be an object");
    assert!(app.audited("bot_module:updated").await.is_empty(), "nothing was written");

    // The ordinary way to configure an install knows the same rules.
    owner.put(&path("timed_messages"), json!({ "enabled": false })).await.data();
    let timed_messages = owner.get(&path("timed_messages")).await.data()["install_id"].clone();
    let install = format!("/v1/extension-installs/{}", timed_messages.as_str().unwrap());
    let config = timed(json!({ "text": "hi", "interval_secs": 1 }));
    owner
        .patch(&install, json!({ "config": config }))
        .await
        .refused("VALIDATION_ERROR", "config.messages[0].interval_secs must be between 60 and 86400");
}

#[tokio::test]
async fn modules_need_their_permission_the_feature_and_a_flag_of_their_own() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let reader = app.member_with(owner.account_id, &["bot-modules:read"]).await;
    let input = json!({ "enabled": true, "config": {} });
    assert_eq!(reader.get(MODULES).await.data().as_array().unwrap().len(), 4);
    both_refused(
        &reader.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&reader, "word_filter", &input).await,
        403,
        "FORBIDDEN",
        "Missing permission: bot-modules:edit",
    );
    app.override_feature(owner.account_id, "bot_module:word_filter", false).await;
    both_refused(
        &owner.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&owner, "word_filter", &input).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: bot_module:word_filter",
    );
    owner.put(&path("link_protection"), input.clone()).await.data();
    // Reading and giving up need the feature only.
    owner.get(&path("word_filter")).await.data();
    owner.delete(&path("word_filter")).await.expect(204);
    app.override_feature(owner.account_id, "feature:bot_modules", false).await;
    both_refused(
        &owner.get(MODULES).await,
        &owner.graphql("{ botModules { name } }", json!({})).await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:bot_modules",
    );
}

#[tokio::test]
async fn a_killed_module_is_off_in_every_feed_until_its_install_is_switched_on() {
    let app = TestApp::start().await;
    let (owner, other, system) = (app.owner().await, app.owner().await, app.system_key().await);
    let message = json!({ "text": "hi", "interval_secs": 60 });
    for (name, config) in
        [("word_filter", json!({ "words": ["darn"] })), ("timed_messages", json!({ "messages": [message] }))]
    {
        owner.put(&path(name), json!({ "enabled": true, "config": config })).await.data();
    }
    let words = owner.get(&path("word_filter")).await.data()["install_id"].as_str().unwrap().to_owned();
    let triggers = format!("/v1/internal/bot-modules/{}/triggers", owner.account_id);
    let feed = system.get(&triggers).await.expect(200).clone();
    let running = feed["installs"].as_array().unwrap();
    assert_eq!(running.len(), 2, "{feed}");
    assert_eq!(running[0]["filter"], json!({ "words": ["darn"], "patterns": [], "whole_words": true }));
    assert_eq!(running[0]["exempt_roles"], json!(["moderator", "broadcaster"]));
    assert_eq!(running[1]["timers"][0]["interval_secs"], 60);

    let kill = json!({ "install_id": words });
    let killed_over_graphql = async |caller: &Caller| {
        let document = "mutation($input: KillBotModuleInput!) { killBotModule(input: $input) }";
        caller.graphql(document, json!({ "input": { "installId": words } })).await
    };
    both_refused(
        &other.post("/v1/bot-modules/kill", kill.clone()).await,
        &killed_over_graphql(&other).await,
        404,
        "NOT_FOUND",
        "Extension install not found",
    );
    let mut channel = app.state.redis.pubsub().await.unwrap();
    let control = app.state.redis.key(format!("bot_modules:{}", owner.account_id));
    let events = app.state.events.topic(&format!("extensions:{}", owner.account_id));
    channel.subscribe(&[&control, &events]).await.unwrap();
    owner.post("/v1/bot-modules/kill", kill).await.expect(204);
    let mut messages = channel.on_message();
    let mut next = async || -> Value {
        let message = tokio::time::timeout(DEADLINE, messages.next()).await.unwrap().unwrap();
        serde_json::from_slice(message.get_payload_bytes()).unwrap()
    };
    assert_eq!(next().await, json!({ "type": "kill", "install_id": words }));
    let told = next().await;
    assert_eq!(
        (&told["event_type"], &told["data"]),
        (&json!("bot_module:killed"), &json!({ "install_id": words }))
    );
    let module = owner.get(&path("word_filter")).await.data().clone();
    assert_eq!((&module["killed"], &module["enabled"]), (&json!(true), &json!(false)));
    assert_eq!(module["config"]["words"], json!(["darn"]), "the settings are kept");
    let handlers = format!("/v1/internal/bot-modules/handlers?install_id={words}");
    assert_eq!(system.get(&handlers).await.expect(200)["installs"][0]["enabled"], false);
    assert_eq!(system.get(&triggers).await.expect(200)["installs"].as_array().unwrap().len(), 1);

    // Setting the module does not lift the kill; switching the install on does.
    owner.put(&path("word_filter"), json!({ "enabled": true, "config": {} })).await.data();
    assert_eq!(owner.get(&path("word_filter")).await.data()["killed"], true);
    owner.patch(&format!("/v1/extension-installs/{words}"), json!({ "enabled": true })).await.data();
    let module = owner.get(&path("word_filter")).await.data().clone();
    assert_eq!((&module["killed"], &module["enabled"]), (&json!(false), &json!(true)));
    assert_eq!(killed_over_graphql(&owner).await.field("killBotModule"), true);
    assert_eq!(app.audited("bot_module:killed").await.len(), 2);
}

#[tokio::test]
async fn modules_of_installed_extensions_are_listed_after_the_built_in_ones() {
    let app = TestApp::start().await;
    let (studio, owner) = (app.studio().await, app.owner().await);
    let reviewer = app.admin_with(&["extension-review:read", "extension-review:edit"]).await;
    let extension = studio.public_extension("Greeter").await;
    let version: Uuid = studio.version(extension, "1.0.0", &json!({})).await;
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
    let body = json!({ "extension_id": extension, "granted_permissions": ["chat:read", "chat:send"] });
    let install = owner.post("/v1/extension-installs", body).await.data()["id"].clone();
    let listed = owner.get(MODULES).await.data().clone();
    let names = column(&listed, "name");
    assert_eq!(names[..4], NAMES);
    let last = &listed[4];
    assert_eq!(
        (&last["source"], &last["name"], &last["install_id"], &last["enabled"]),
        (&json!("extension"), &json!("Greeter"), &install, &json!(true))
    );
    assert_eq!(last["exempt_roles"], json!({ "moderator": false, "vip": false, "subscriber": false }));
}

/// The install of a built-in module, as the account's installs show it.
async fn install_of(owner: &Caller, id: &str) -> Value {
    owner.get(&format!("/v1/extension-installs/{id}")).await.expect(200)["data"].clone()
}

#[tokio::test]
async fn what_a_plan_does_not_include_cannot_be_enabled_and_installs_say_why_they_do_not_run() {
    let app = TestApp::start().await;
    let (free, pro) = (app.owner_on("free").await, app.owner_on("pro").await);
    let mut db = app.state.databases.postgres.get().await.unwrap();
    shared::extensions::system::install(&mut db, Some(free.account_id)).await.unwrap();
    drop(db);
    let locked = |key: &str| {
        format!("Feature is disabled: {key} is not part of the account's plan; another plan may include it")
    };
    let input = json!({ "enabled": true, "config": { "words": ["spoon"] } });
    both_refused(
        &free.put(&path("word_filter"), input.clone()).await,
        &update_over_graphql(&free, "word_filter", &input).await,
        403,
        "FEATURE_DISABLED",
        &locked("feature:bot_modules"),
    );
    let listed = free.get("/v1/extension-installs").await.data().as_array().unwrap().clone();
    let module = listed.iter().find(|install| install["extension_slug"] == "system-word-filter").unwrap();
    assert_eq!(module["effective"], json!({ "runs": false, "reason": "plan_locked" }));
    assert!(module["config_schema"]["words"].is_object(), "{module}");
    assert_eq!(module["effective_config"]["words"], module["config_schema"]["words"]["default"], "{module}");
    let id = module["id"].as_str().unwrap();
    let install = format!("/v1/extension-installs/{id}");
    let refused = free.patch(&install, json!({ "enabled": true })).await;
    let document =
        "mutation($id: UUID!) { configureExtension(id: $id, input: { enabled: true }) { enabled } }";
    both_refused(
        &refused,
        &free.graphql(document, json!({ "id": id })).await,
        403,
        "FEATURE_DISABLED",
        &locked("feature:bot_modules"),
    );
    assert_eq!(refused.body["details"], json!({ "feature": "feature:bot_modules", "reason": "plan_locked" }));
    assert_eq!(install_of(&free, id).await["enabled"], false, "nothing was changed");
    // To switch off what does not run is allowed.
    free.patch(&install, json!({ "enabled": false })).await.expect(200);

    pro.put(&path("word_filter"), input).await.expect(200);
    let id = pro.get(&path("word_filter")).await.data()["install_id"].as_str().unwrap().to_owned();
    assert_eq!(install_of(&pro, &id).await["effective"], json!({ "runs": true, "reason": null }));
    app.override_feature(pro.account_id, "bot_module:word_filter", false).await;
    assert_eq!(
        install_of(&pro, &id).await["effective"],
        json!({ "runs": false, "reason": "account_override" })
    );
    app.override_feature(pro.account_id, "bot_module:word_filter", true).await;
    pro.patch(&format!("/v1/extension-installs/{id}"), json!({ "enabled": false })).await.expect(200);
    assert_eq!(install_of(&pro, &id).await["effective"], json!({ "runs": false, "reason": "disabled" }));
}

#[tokio::test]
async fn new_accounts_start_on_the_plan_that_is_configured() {
    let app = TestApp::builder().with("LUMIO_DEFAULT_PLAN", "enterprise").start().await;
    let owner = app.owner_on("enterprise").await;
    let body = json!({ "name": "Second" });
    let created = owner.post("/v1/accounts", body).await;
    assert_eq!(created.expect(201)["data"]["plan"]["slug"], "enterprise", "{}", created.text);
}
