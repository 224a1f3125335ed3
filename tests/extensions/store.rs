//! Extension store (reference/extensions.md#store).

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{
    Answer, Caller, Statements, TestApp, both_refused,
    extensions::{SERVER, Studio, archive, manifest},
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{ASKED, install, published, reviewer};

const ROW: &str =
    "{ id shortId slug name description category iconKey pricingType pricingAmount pricingCurrency
    installCount ratingAvg ratingCount publishedAt developer { slug displayName } installed }";

async fn list(caller: &Caller, query: &str) -> Answer {
    caller.get(&format!("/v1/extensions?{query}")).await
}

async fn list_over_graphql(caller: &Caller, arguments: &str) -> Answer {
    let document = format!("{{ storeExtensions({arguments}) {{ items {ROW} total page limit pages }} }}");
    caller.graphql(&document, json!({})).await
}

async fn one_over_graphql(caller: &Caller, id: &str) -> Answer {
    let document = format!(
        "query($id: String!) {{ storeExtension(id: $id) {{ extension {ROW} description visibility pricingInterval screenshots
         tags supportUrl currentVersion permissions egressHosts configSchema versions {{ id version changelog breaking bundleSizeBytes
         approvedAt }} reviews {{ ratingAvg ratingCount ratings {{ rating count }} }} }} }}"
    );
    caller.graphql(&document, json!({ "id": id })).await
}

/// Published public extension.
async fn listed(studio: &Studio, reviewer: &Caller, name: &str) -> Uuid {
    let id = studio.public_extension(name).await;
    published(studio, reviewer, id, "1.0.0", &json!({})).await;
    id
}

fn names(answer: &Answer) -> Vec<String> {
    let items = answer.data().as_array().unwrap().iter();
    items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

async fn set(app: &TestApp, extension: Uuid, change: &str) {
    sql_query(format!("UPDATE extensions SET {change} WHERE id = $1"))
        .bind::<diesel::sql_types::Uuid, _>(extension)
        .execute(&mut *app.databases.postgres.get().await.unwrap())
        .await
        .unwrap();
}

#[tokio::test]
async fn store_extensions_lists_in_one_statement_on_both_protocols() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    for name in ["Store alpha", "Store beta", "Store gamma"] {
        listed(&studio, &reviewer, name).await;
    }
    let beta: Uuid = list(&owner, "search=beta").await.data()[0]["id"].as_str().unwrap().parse().unwrap();
    install(&owner, beta, &ASKED, &json!({})).await.expect(201);

    statements.to(&app);
    statements.take();
    let rest = list(&owner, "search=store&sort=name&limit=2").await;
    let asked = statements.take();
    let asked: Vec<_> = asked.iter().filter(|sql| sql.contains("FROM extensions")).collect();
    assert_eq!(asked.len(), 1, "{asked:#?}");
    assert_eq!(names(&rest), ["Store alpha", "Store beta"]);
    assert_eq!(rest.body["_meta"], json!({ "total": 3, "page": 1, "limit": 2, "pages": 2 }));
    assert_eq!(rest.body["_links"]["next"], "/v1/extensions?search=store&sort=name&page=2&limit=2");
    let row = &rest.data()[1];
    assert_eq!(row.as_object().unwrap().len(), 16);
    assert_eq!(
        (
            &row["slug"],
            &row["category"],
            &row["pricing_type"],
            &row["pricing_amount"],
            &row["pricing_currency"]
        ),
        (&json!("store-beta"), &json!("bot_module"), &json!("free"), &Value::Null, &Value::Null)
    );
    assert_eq!((&row["install_count"], &row["installed"]), (&json!(1), &json!(true)));
    assert_eq!(row["developer"]["display_name"], "Developer");
    assert_eq!(rest.data()[0]["installed"], false);

    let graphql = list_over_graphql(&owner, "search: \"store\", sort: NAME, limit: 2").await;
    let page = graphql.field("storeExtensions");
    assert_eq!(&page["items"], rest.data());
    assert_eq!((&page["total"], &page["pages"]), (&json!(3), &json!(2)));
    let beyond = list(&owner, "search=store&page=9").await;
    assert_eq!((beyond.data(), &beyond.body["_meta"]["total"]), (&json!([]), &json!(3)));
}

#[tokio::test]
async fn store_extensions_searches_filters_and_sorts() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let one = listed(&studio, &reviewer, "Ledger One").await;
    let two = listed(&studio, &reviewer, "Ledger Two").await;
    let widget = studio.public_extension("Ledger Widget").await;
    let changes = json!({ "category": "widget", "targets": ["layer"], "bot_module": null });
    let manifest = manifest(widget, "1.0.0", &changes).to_string();
    let files = archive(&[
        ("lumio.config.json", manifest.as_bytes()),
        ("server.js", SERVER.as_bytes()),
        ("layer.js", b"1"),
    ]);
    let uploaded = studio.upload(widget, "1.0.0", &files).await.expect(202).clone();
    let version = uploaded["version"]["id"].as_str().unwrap();
    reviewer.post(&format!("/v1/admin/extension-versions/{version}/publish"), json!({})).await.data();
    set(
        &app,
        one,
        "install_count = 5, rating_avg = 3, rating_count = 9, published_at = now() - interval '2 days'",
    )
    .await;
    set(
        &app,
        two,
        "install_count = 9, rating_avg = 4.5, rating_count = 2, published_at = now() - interval '3 days'",
    )
    .await;
    set(&app, widget, "short_description = 'Shows numbers', pricing_type = 'one_time', pricing_amount = 250")
        .await;

    for (query, expected) in [
        ("sort=popular", ["Ledger Two", "Ledger One", "Ledger Widget"]),
        ("", ["Ledger Two", "Ledger One", "Ledger Widget"]),
        ("sort=newest", ["Ledger Widget", "Ledger One", "Ledger Two"]),
        ("sort=rating", ["Ledger Two", "Ledger One", "Ledger Widget"]),
        ("sort=name", ["Ledger One", "Ledger Two", "Ledger Widget"]),
    ] {
        assert_eq!(names(&list(&owner, &format!("search=ledger&{query}")).await), expected, "{query}");
    }
    for (query, expected) in [
        ("search=ledger&category=widget", &["Ledger Widget"][..]),
        ("search=ledger&category=theme", &[]),
        ("search=ledger&pricing=one_time", &["Ledger Widget"]),
        ("search=ledger&pricing=free&sort=name", &["Ledger One", "Ledger Two"]),
        ("search=LED%20tw", &["Ledger Two"]),
        ("search=number", &["Ledger Widget"]),
        ("search=edger", &[]),
        ("search=%26%7C!", &[]),
        ("search=ledger%27%3A*%20%7C%20two&sort=name", &["Ledger Two"]),
    ] {
        assert_eq!(names(&list(&owner, query).await), expected, "{query}");
    }
    let priced = list(&owner, "search=ledger&pricing=one_time").await.data()[0].clone();
    assert_eq!((&priced["pricing_amount"], &priced["pricing_currency"]), (&json!(250), &json!("EUR")));

    for (query, arguments, message) in [
        ("limit=101", "limit: 101", "limit must be between 1 and 100"),
        ("page=0", "page: 0", "page must be 1 or greater"),
        (
            &format!("search={}", "x".repeat(101)),
            &format!("search: \"{}\"", "x".repeat(101)),
            "search must be between 0 and 100 characters",
        ),
    ] {
        both_refused(
            &list(&owner, query).await,
            &list_over_graphql(&owner, arguments).await,
            400,
            "VALIDATION_ERROR",
            message,
        );
    }
    for query in ["sort=best", "category=game", "pricing=paid"] {
        list(&owner, query).await.refused_with("VALIDATION_ERROR");
    }
}

#[tokio::test]
async fn store_extension_shows_an_unlisted_one_to_callers_with_access() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = listed(&studio, &reviewer, "Hidden gem").await;
    let visibility = format!("/v1/developer/extensions/{extension}/visibility");
    let found = async |caller: &Caller| {
        let listed = !list(caller, "search=hidden").await.data().as_array().unwrap().is_empty();
        let (by_id, by_slug) = (extension.to_string(), "hidden-gem".to_owned());
        let mut shown = Vec::new();
        for name in [by_id, by_slug] {
            let (rest, graphql) =
                (caller.get(&format!("/v1/extensions/{name}")).await, one_over_graphql(caller, &name).await);
            if rest.status == 404 {
                both_refused(&rest, &graphql, 404, "NOT_FOUND", "Extension not found");
            } else {
                assert_eq!(rest.data(), &graphql.field("storeExtension"));
            }
            shown.push(rest.status == 200);
        }
        assert_eq!(shown[0], shown[1]);
        (listed, shown[0])
    };
    assert_eq!(found(&owner).await, (true, true));
    for (to, expected) in [("unlisted", (false, true)), ("private", (false, false)), ("public", (true, true))]
    {
        studio.person.put(&visibility, json!({ "visibility": to })).await.data();
        assert_eq!(found(&owner).await, expected, "{to}");
        assert_eq!(found(&studio.person).await, (expected.0, true), "its developer, {to}");
    }
    for (status, expected) in
        [("suspended", (false, false)), ("archived", (false, false)), ("approved", (true, true))]
    {
        set(&app, extension, &format!("status = '{status}'")).await;
        assert_eq!(found(&owner).await, expected, "{status}");
    }
    studio.person.put(&visibility, json!({ "visibility": "private" })).await.data();
    let grants = format!("/v1/developer/extensions/{extension}/access");
    studio.person.post(&grants, json!({ "account_id": owner.account_id })).await.data();
    assert_eq!(found(&owner).await, (false, true), "granted");
    assert_eq!(install(&owner, extension, &ASKED, &json!({})).await.status, 201);
    studio.person.delete(&format!("{grants}/{}", owner.account_id)).await;
    set(&app, extension, "status = 'archived'").await;
    assert_eq!(found(&owner).await, (false, true), "installed");
}

#[tokio::test]
async fn store_extension_shows_permissions_and_hosts_it_requests() {
    let app = TestApp::start().await;
    let (studio, reviewer, owner) = (app.studio().await, reviewer(&app).await, app.owner().await);
    let extension = studio.public_extension("Detailed").await;
    let reaching = json!({ "egress": { "allowHosts": ["api.example.com"] } });
    published(&studio, &reviewer, extension, "1.0.0", &json!({})).await;
    published(&studio, &reviewer, extension, "1.1.0", &reaching).await;
    studio.version(extension, "1.2.0", &json!({})).await;
    let changes = json!({
        "description": "Long.", "tags": ["Fun", "chat"], "icon_key": "assets/icon.png",
        "screenshots": ["assets/a.png"], "support_url": "https://example.com/help",
    });
    studio.person.patch(&format!("/v1/developer/extensions/{extension}"), changes).await.data();
    let detail = owner.get("/v1/extensions/detailed").await.data().clone();
    assert_eq!(detail["extension"]["icon_key"], "assets/icon.png");
    assert_eq!((&detail["description"], &detail["tags"]), (&json!("Long."), &json!(["fun", "chat"])));
    assert_eq!(
        (&detail["screenshots"], &detail["support_url"]),
        (&json!(["assets/a.png"]), &json!("https://example.com/help"))
    );
    assert_eq!(
        (&detail["permissions"], &detail["egress_hosts"], &detail["current_version"]),
        (&json!(["chat:read", "chat:send"]), &json!(["api.example.com"]), &json!("1.1.0"))
    );
    let versions: Vec<(&Value, &Value)> =
        detail["versions"].as_array().unwrap().iter().map(|v| (&v["version"], &v["breaking"])).collect();
    assert_eq!(versions, [(&json!("1.1.0"), &json!(true)), (&json!("1.0.0"), &json!(false))]);
    let ratings = detail["reviews"]["ratings"].as_array().unwrap();
    assert_eq!((ratings.len(), &ratings[0]), (5, &json!({ "rating": 5, "count": 0 })));
}

#[tokio::test]
async fn store_extensions_needs_permission_and_feature() {
    let app = TestApp::start().await;
    let owner = app.owner().await;
    let without = app.member_with(owner.account_id, &["chat:read"]).await;
    both_refused(
        &list(&without, "").await,
        &list_over_graphql(&without, "limit: 1").await,
        403,
        "FORBIDDEN",
        "Missing permission: extension-store:read",
    );
    let service = app.service_key(owner.account_id, &["extension-store:read"]).await;
    list(&service, "").await.data();
    app.override_feature(owner.account_id, "feature:extensions", false).await;
    both_refused(
        &owner.get("/v1/extensions/any").await,
        &one_over_graphql(&owner, "any").await,
        403,
        "FEATURE_DISABLED",
        "Feature is disabled: feature:extensions",
    );
}

#[derive(QueryableByName)]
struct Plan {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

#[tokio::test]
async fn store_extensions_reads_an_index_for_every_order() {
    let app = TestApp::start().await;
    let mut db = app.databases.postgres.get().await.unwrap();
    for sql in [
        "INSERT INTO extensions (id, short_id, slug, name, visibility, status, listed_at, published_at)
         SELECT gen_random_uuid(), 'n' || n, 'many-' || n, 'Many ' || n, 'public', 'approved', now(), now()
         FROM generate_series(1, 5000) AS n",
        "INSERT INTO extension_versions (id, extension_id, version, status, manifest, bundle_size_bytes)
         SELECT gen_random_uuid(), id, '1.0.0', 'approved', '{}', 0 FROM extensions WHERE slug LIKE 'many-%'",
        "UPDATE extensions SET current_version_id = versions.id FROM extension_versions AS versions
         WHERE versions.extension_id = extensions.id AND slug LIKE 'many-%'",
    ] {
        sql_query(sql).execute(&mut *db).await.unwrap();
    }
    sql_query("ANALYZE extensions").execute(&mut *db).await.unwrap();
    for (order, index) in [
        ("install_count DESC, id DESC", "extensions_popular"),
        ("published_at DESC NULLS LAST, id DESC", "extensions_newest"),
        ("rating_avg DESC, rating_count DESC, id DESC", "extensions_rating"),
        ("lower(name), id", "extensions_name"),
    ] {
        let sql = format!("EXPLAIN SELECT * FROM extensions WHERE is_listed ORDER BY {order} LIMIT 25");
        let plan: Vec<Plan> = sql_query(sql).load(&mut *db).await.unwrap();
        let text: Vec<&str> = plan.iter().map(|plan| plan.line.as_str()).collect();
        assert!(text.iter().any(|line| line.contains(index)), "{order}: {text:#?}");
    }
}
