//! Plans (reference/billing.md#plans).

use diesel::{prelude::*, sql_query, sql_types::BigInt};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Statements, TestApp, both_refused, eventually};
use serde_json::{Value, json};
use shared::schema::{plan_features, plans};
use uuid::Uuid;

use super::{as_rest, ask, feature_id, only_staff, plan_id, put_on, reason_of};

const PLAN: &str = "{ id slug name description priceMonthly priceYearly currency isPublic sortOrder maxOverlays \
    maxStorageBytes maxUploadSizeBytes maxIntegrations chatRetentionDays paymentProductId paymentMonthlyPriceId \
    paymentYearlyPriceId features { featureId featureKey label enabled } accountsUsing }";
const PUBLIC: &str = "{ plans { id slug name description priceMonthly priceYearly currency isPublic sortOrder \
    maxOverlays maxStorageBytes maxUploadSizeBytes maxIntegrations chatRetentionDays \
    features { featureId featureKey label enabled globallyEnabled } } }";

fn wanted(slug: &str) -> Value {
    json!({
        "slug": slug, "name": "Team", "description": "For teams", "price_monthly": 1999, "price_yearly": 19990,
        "currency": "EUR", "is_public": true, "sort_order": 15, "max_overlays": 50,
        "max_storage_bytes": 5_000_000_000_i64, "max_upload_size_bytes": 50_000_000, "max_integrations": 10,
        "chat_retention_days": 180, "payment_product_id": "prod_1", "payment_monthly_price_id": "price_m",
        "payment_yearly_price_id": null,
    })
}

/// Input of an update: the plan without the fields that cannot be changed.
fn state() -> Value {
    without(wanted("x"), "slug")
}

fn with(mut value: Value, field: &str, to: impl Into<Value>) -> Value {
    value[field] = to.into();
    value
}

fn without(mut value: Value, field: &str) -> Value {
    value.as_object_mut().unwrap().remove(field);
    value
}

async fn create(caller: &Caller, input: &Value) -> (Answer, Answer) {
    let rest = caller.post("/v1/admin/plans", input.clone()).await;
    (rest, caller.mutate("adminCreatePlan", input, PLAN).await)
}

async fn update(caller: &Caller, id: Uuid, input: &Value) -> (Answer, Answer) {
    let rest = caller.patch(&format!("/v1/admin/plans/{id}"), input.clone()).await;
    (rest, caller.mutate_at("adminUpdatePlan", &[("id", id)], input, PLAN).await)
}

async fn delete(caller: &Caller, id: Uuid) -> (Answer, Answer) {
    let rest = caller.delete(&format!("/v1/admin/plans/{id}")).await;
    let document = "mutation($id: UUID!) { adminDeletePlan(id: $id) }";
    (rest, caller.graphql(document, json!({ "id": id })).await)
}

async fn slugs(app: &TestApp) -> Vec<String> {
    let mut db = app.databases.postgres.get().await.unwrap();
    plans::table.order(plans::slug).select(plans::slug).load(&mut *db).await.unwrap()
}

#[tokio::test]
async fn admin_create_plan_checks_slug_prices_and_limits_and_defaults_to_usd() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create"]).await;
    for slug in ["", "a", "Team", "team_2", "-team", "team-", "te--am", " team", "tëam", &"a".repeat(41)] {
        let (rest, graphql) = create(&admin, &wanted(slug)).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Invalid slug format");
    }
    for field in ["price_monthly", "price_yearly"] {
        let (rest, graphql) = create(&admin, &with(wanted("team"), field, -1)).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Price cannot be negative");
    }
    for field in [
        "max_overlays",
        "max_storage_bytes",
        "max_upload_size_bytes",
        "max_integrations",
        "chat_retention_days",
    ] {
        let (rest, graphql) = create(&admin, &with(wanted("team"), field, -1)).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Limit cannot be negative");
    }
    let (rest, graphql) = create(&admin, &wanted("pro")).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Plan slug already in use");
    assert_eq!(slugs(&app).await, ["enterprise", "free", "pro"]);
    assert!(app.audited("plan:created").await.is_empty());

    let rest = admin.post("/v1/admin/plans", without(wanted("team"), "currency")).await;
    assert_eq!((rest.status, &rest.data()["currency"]), (201, &json!("USD")));
    let graphql = admin.mutate("adminCreatePlan", &without(wanted("team-2"), "currency"), PLAN).await;
    assert_eq!(graphql.field("adminCreatePlan")["currency"], "USD");
    for slug in ["ab", &"a".repeat(40)] {
        admin.post("/v1/admin/plans", wanted(slug)).await.expect(201);
    }
}

#[tokio::test]
async fn admin_create_plan_and_update_validate_the_other_fields() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create", "plans:edit"]).await;
    let pro = plan_id(&app, "pro").await;
    for (field, value, message) in [
        ("name", json!(" "), "name must not be empty"),
        ("name", json!("x".repeat(101)), "name must be between 1 and 100 characters"),
        ("description", json!("x".repeat(2001)), "description must be between 0 and 2000 characters"),
        ("currency", json!("eur"), "currency must be three upper-case letters, for example EUR"),
        ("currency", json!("EURO"), "currency must be three upper-case letters, for example EUR"),
        (
            "payment_product_id",
            json!("x".repeat(256)),
            "payment_product_id must be between 0 and 255 characters",
        ),
    ] {
        let (rest, graphql) = create(&admin, &with(wanted("team"), field, value.clone())).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
        let (rest, graphql) = update(&admin, pro, &with(state(), field, value)).await;
        both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", message);
    }
    let too_many = with(wanted("team"), "max_storage_bytes", 9_007_199_254_740_992_i64);
    let answer = admin.post("/v1/admin/plans", too_many).await;
    answer.refused("VALIDATION_ERROR", "max_storage_bytes must be at most 9007199254740991");
    let too_large = with(wanted("team"), "max_overlays", 2_147_483_648_i64);
    admin.post("/v1/admin/plans", too_large).await.refused_with("VALIDATION_ERROR");
    let missing = admin.post("/v1/admin/plans", without(wanted("team"), "slug")).await;
    missing.refused("VALIDATION_ERROR", "Missing field: slug");
    // An update sets the whole state: required fields cannot be omitted.
    for field in ["name", "currency", "price_monthly", "max_overlays", "is_public", "sort_order"] {
        let missing = admin.patch(&format!("/v1/admin/plans/{pro}"), without(state(), field)).await;
        missing.refused("VALIDATION_ERROR", &format!("Missing field: {field}"));
    }
    assert_eq!(slugs(&app).await, ["enterprise", "free", "pro"]);
    assert!(app.audited("plan:updated").await.is_empty());
}

#[tokio::test]
async fn admin_plans_are_the_same_on_both_protocols() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create", "plans:read", "plans:edit"]).await;
    let rest = admin.post("/v1/admin/plans", wanted("team")).await;
    let created = rest.expect(201)["data"].clone();
    let id: Uuid = created["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(rest.body["_links"], json!({ "self": format!("/v1/admin/plans/{id}") }));
    for (field, value) in wanted("team").as_object().unwrap() {
        assert_eq!(&created[field], value, "{field}");
    }
    assert_eq!(created["accounts_using"], 0);
    let features = created["features"].as_array().unwrap();
    assert!(features.iter().all(|feature| feature["enabled"] == false));
    assert_eq!(features.len(), 8 + 22 + 4 + 4, "widgets, features, integrations and bot modules");

    let listed = admin.get("/v1/admin/plans").await;
    let names: Vec<&Value> = listed.data().as_array().unwrap().iter().map(|plan| &plan["slug"]).collect();
    assert_eq!(names, ["free", "pro", "team", "enterprise"]);
    let graphql = ask(&admin, &format!("{{ adminPlans {PLAN} }}")).await;
    assert_eq!(as_rest(graphql.field("adminPlans"), &[]), *listed.data());
    let one = admin.get(&format!("/v1/admin/plans/{id}")).await;
    assert_eq!(*one.data(), created);
    let document = format!("query($id: UUID!) {{ adminPlan(id: $id) {PLAN} }}");
    let graphql = admin.graphql(&document, json!({ "id": id })).await;
    assert_eq!(as_rest(graphql.field("adminPlan"), &[]), created);
    // The account of the staff member is on pro.
    assert_eq!(listed.data()[1]["accounts_using"], 1);

    let unknown = Uuid::now_v7();
    let rest = admin.get(&format!("/v1/admin/plans/{unknown}")).await;
    let graphql = admin.graphql(&document, json!({ "id": unknown })).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
    admin.get("/v1/admin/plans/pro").await.refused("VALIDATION_ERROR", "Invalid UUID: id");

    let audited = app.audited_once("plan:created").await;
    assert_eq!((audited.scope.as_str(), audited.actor_id), ("system", Some(admin.user_id)));
    assert_eq!(audited.metadata["slug"], "team");
}

#[tokio::test]
async fn admin_update_plan_rewrites_the_plan_and_drops_cached_features() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create", "plans:edit"]).await;
    let created = admin.post("/v1/admin/plans", wanted("team")).await;
    let id: Uuid = created.data()["id"].as_str().unwrap().parse().unwrap();
    let (first, second, other) = (app.owner().await, app.owner().await, app.owner().await);
    for owner in [&first, &second] {
        put_on(&app, owner.account_id, id).await;
    }
    for owner in [&first, &second, &other] {
        owner.get(&format!("/v1/accounts/{}/enabled-features", owner.account_id)).await.expect(200);
        assert!(app.state.caches.features.knows(&owner.account_id));
    }
    let cleared = with(without(without(state(), "description"), "payment_product_id"), "name", "Crew");
    let updated = admin.patch(&format!("/v1/admin/plans/{id}"), cleared.clone()).await;
    let updated = updated.expect(200)["data"].clone();
    assert_eq!((&updated["name"], &updated["slug"]), (&json!("Crew"), &json!("team")));
    assert_eq!((&updated["description"], &updated["payment_product_id"]), (&Value::Null, &Value::Null));
    assert_eq!(updated["accounts_using"], 2);
    assert!(!app.state.caches.features.knows(&first.account_id));
    assert!(!app.state.caches.features.knows(&second.account_id));
    assert!(app.state.caches.features.knows(&other.account_id), "another plan's accounts keep theirs");
    let graphql = admin.mutate_at("adminUpdatePlan", &[("id", id)], &cleared, PLAN).await;
    assert_eq!(as_rest(graphql.field("adminUpdatePlan"), &[]), updated);
    assert_eq!(app.audited("plan:updated").await.len(), 2);

    let (rest, graphql) = update(&admin, Uuid::now_v7(), &state()).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
    let (rest, graphql) = update(&admin, id, &with(state(), "price_yearly", -1)).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Price cannot be negative");
    let (rest, graphql) = update(&admin, id, &with(state(), "max_integrations", -1)).await;
    both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", "Limit cannot be negative");
    assert_eq!(app.audited("plan:updated").await.len(), 2);
}

#[tokio::test]
async fn admin_delete_plan_deletes_only_an_unused_plan_with_its_features() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create", "plans:delete"]).await;
    let mut ids = Vec::new();
    for slug in ["team", "crew"] {
        let created = admin.post("/v1/admin/plans", wanted(slug)).await;
        ids.push(created.data()["id"].as_str().unwrap().parse::<Uuid>().unwrap());
    }
    let feature = feature_id(&app, "feature:sounds").await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for id in &ids {
        diesel::insert_into(plan_features::table)
            .values((
                plan_features::plan_id.eq(id),
                plan_features::feature_id.eq(feature),
                plan_features::enabled.eq(true),
            ))
            .execute(&mut *db)
            .await
            .unwrap();
    }
    drop(db);
    let (one, other) = (app.owner().await, app.owner().await);
    put_on(&app, one.account_id, ids[0]).await;
    put_on(&app, other.account_id, ids[0]).await;
    let (rest, graphql) = delete(&admin, ids[0]).await;
    let message =
        "Cannot delete plan: 2 account(s) still reference it. Migrate them to a different plan first.";
    both_refused(&rest, &graphql, 409, "CONFLICT", message);
    assert!(app.audited("plan:deleted").await.is_empty());

    let pro = plan_id(&app, "pro").await;
    for owner in [&one, &other] {
        put_on(&app, owner.account_id, pro).await;
    }
    let deleted = admin.delete(&format!("/v1/admin/plans/{}", ids[0])).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    let document = "mutation($id: UUID!) { adminDeletePlan(id: $id) }";
    let deleted = admin.graphql(document, json!({ "id": ids[1] })).await;
    assert_eq!(deleted.field("adminDeletePlan"), true);
    let rows: i64 = plan_features::table
        .filter(plan_features::plan_id.eq_any(&ids))
        .count()
        .get_result(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
    assert_eq!(rows, 0);
    assert_eq!(app.audited("plan:deleted").await.len(), 2);
    let (rest, graphql) = delete(&admin, ids[0]).await;
    both_refused(&rest, &graphql, 404, "NOT_FOUND", "Plan not found");
}

#[tokio::test]
async fn admin_delete_plan_refuses_the_plan_of_new_accounts() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:delete"]).await;
    let (rest, graphql) = delete(&admin, plan_id(&app, "free").await).await;
    both_refused(&rest, &graphql, 409, "CONFLICT", "Cannot delete plan: new accounts start on it");
    assert_eq!(slugs(&app).await, ["enterprise", "free", "pro"]);
}

#[tokio::test]
async fn plans_lists_the_public_plans_in_order_with_every_planned_flag() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["plans:create"]).await;
    admin.post("/v1/admin/plans", with(wanted("secret"), "is_public", false)).await.expect(201);
    admin.post("/v1/admin/plans", with(wanted("starter"), "sort_order", -5)).await.expect(201);
    app.switch("feature:sounds", false).await;
    let rest = app.anonymous().get("/v1/plans").await;
    let graphql = ask(&app.anonymous(), PUBLIC).await;
    assert_eq!(graphql.field("plans"), *rest.data());
    assert_eq!(rest.body["_links"], json!({ "self": "/v1/plans" }));
    let plans = rest.data().as_array().unwrap();
    let order: Vec<&Value> = plans.iter().map(|plan| &plan["slug"]).collect();
    assert_eq!(order, ["starter", "free", "pro", "enterprise"]);
    let pro = &plans[2];
    assert_eq!((&pro["price_monthly"], &pro["price_yearly"]), (&json!("999"), &json!("9990")));
    assert_eq!(pro["max_storage_bytes"], "2147483648");
    assert_eq!(pro["max_upload_size_bytes"], "26214400");
    assert_eq!((&pro["max_overlays"], &pro["chat_retention_days"]), (&json!(25), &json!(90)));
    assert_eq!((&pro["max_integrations"], &pro["currency"]), (&json!(2_147_483_647), &json!("EUR")));
    let feature = |plan: &Value, key: &str| {
        let features = plan["features"].as_array().unwrap();
        let found = features.iter().find(|feature| feature["feature_key"] == key).unwrap();
        (found["enabled"] == true, found["globally_enabled"] == true)
    };
    assert_eq!(feature(pro, "feature:copyright_detection"), (true, true));
    assert_eq!(feature(&plans[1], "feature:copyright_detection"), (false, true));
    assert_eq!(feature(pro, "feature:sounds"), (true, false));
    assert_eq!(feature(pro, "integration:shopify"), (true, false));
    for plan in plans {
        for feature in plan["features"].as_array().unwrap() {
            let key = feature["feature_key"].as_str().unwrap();
            let category = key.split(':').next().unwrap();
            assert!(["widget", "feature", "integration", "bot_module"].contains(&category), "{key}");
            // The new plan has no feature rows: every flag is listed, all of them off.
            assert!(plan["slug"] != "starter" || feature["enabled"] == false);
        }
        assert_eq!(plan["features"].as_array().unwrap().len(), 38);
    }
    // A credential is accepted where none is needed.
    assert_eq!(admin.get("/v1/plans").await.data(), rest.data());
}

#[tokio::test]
async fn plans_takes_two_statements_for_any_number_of_plans() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    sql_query(
        "INSERT INTO plans (id, slug, name, price_monthly, price_yearly, max_overlays, max_storage_bytes,
            max_upload_size_bytes, max_integrations, chat_retention_days)
         SELECT gen_random_uuid(), 'plan-' || n, 'Plan', 0, 0, 1, 1, 1, 1, 1 FROM generate_series(1, $1) AS n",
    )
    .bind::<BigInt, _>(50)
    .execute(&mut *app.databases.postgres.get().await.unwrap())
    .await
    .unwrap();
    statements.take();
    let plans = app.anonymous().get("/v1/plans").await;
    assert_eq!(plans.data().as_array().unwrap().len(), 53);
    let sent = statements.take();
    assert_eq!(sent.len(), 2, "{sent:#?}");
}

#[tokio::test]
async fn admin_plan_and_its_changes_need_the_permission() {
    let app = TestApp::start().await;
    let id = Uuid::now_v7();
    let (input, changed) = (wanted("team"), state());
    only_staff(
        &app,
        "plans:read",
        async |caller| caller.get("/v1/admin/plans").await,
        async |caller| ask(&caller, "{ adminPlans { id } }").await,
    )
    .await;
    let document = format!("{{ adminPlan(id: \"{id}\") {{ id }} }}");
    only_staff(
        &app,
        "plans:read",
        async |caller| caller.get(&format!("/v1/admin/plans/{id}")).await,
        async |caller| ask(&caller, &document).await,
    )
    .await;
    only_staff(
        &app,
        "plans:create",
        async |caller| caller.post("/v1/admin/plans", input.clone()).await,
        async |caller| caller.mutate("adminCreatePlan", &input, "{ id }").await,
    )
    .await;
    only_staff(
        &app,
        "plans:edit",
        async |caller| update(&caller, id, &changed).await.0,
        async |caller| update(&caller, id, &changed).await.1,
    )
    .await;
    only_staff(
        &app,
        "plans:delete",
        async |caller| delete(&caller, id).await.0,
        async |caller| delete(&caller, id).await.1,
    )
    .await;
    assert_eq!(slugs(&app).await, ["enterprise", "free", "pro"]);
}

#[tokio::test]
async fn plans_change_within_a_second_in_another_process() {
    let app = TestApp::start().await;
    let (_state, server) = app.second_server().await;
    let admin = app.admin_with(&["features:edit"]).await;
    let owner = app.owner_on("free").await;
    let elsewhere = owner.at(format!("http://{}", server.address));
    let reason = async || reason_of(&elsewhere, owner.account_id, "feature:multi_account").await;
    assert_eq!(reason().await, "plan_locked");
    let feature = feature_id(&app, "feature:multi_account").await;
    let path = format!("/v1/admin/plans/{}/features", plan_id(&app, "free").await);
    let body = json!({ "features": [{ "feature_id": feature, "enabled": true }] });
    admin.put(&path, body).await.expect(200);
    eventually("the other process knows", async || reason().await == Value::Null).await;
    server.stop().await.unwrap();
}
