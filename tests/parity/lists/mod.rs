//! Lists: the header `Link` of every part (reference/conventions.md#link-header), and cursors of lists that grow without
//! end (reference/conventions.md#cursors). Both are derived from the published documents.

mod seeds;
mod statements;

use std::collections::{BTreeMap, BTreeSet};

use diesel::{
    sql_query,
    sql_types::{Integer, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::{Answer, Caller, Person, Rows, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::published::{fields, innermost, openapi, type_named};
use seeds::{SEEDS, Seed};

/// Query parameters that select a part of a list.
const PARTS: [&str; 5] = ["page", "offset", "before", "after", "cursor"];
/// Highest number of parts of a walk.
const MAX_PARTS: usize = 20;
const INVALID: &str = "Invalid cursor: give the one of the part before, with the same filter";

/// Lists whose path names something that the scene does not have. Their own tests read them.
const ELSEWHERE: &[(&str, &str)] = &[
    ("adminDeveloperLimitRequests", "tests/programme/limits"),
    ("developerApiVersions", "tests/developers"),
    ("extensionErrors", "tests/developers/telemetry.rs"),
    ("ideaComments", "tests/ideas/comments.rs"),
    ("ideaTimeline", "tests/ideas"),
    ("ideaVoters", "tests/ideas"),
    ("publicChannelProfileHistory", "tests/public_stats/channels"),
];

/// List of the published document.
struct List {
    operation: String,
    path: String,
    parameters: BTreeSet<String>,
}

/// Every list with a parameter that selects a part.
fn lists() -> Vec<List> {
    let document = openapi();
    let mut lists = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        let operation = &item["get"];
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let of_query = parameters.filter(|parameter| parameter["in"] == "query");
        let names = of_query.filter_map(|parameter| parameter["name"].as_str()).map(str::to_owned);
        let parameters: BTreeSet<String> = names.collect();
        if PARTS.iter().any(|part| parameters.contains(*part)) {
            let name = operation["operationId"].as_str().expect("a name").to_owned();
            let documented = &operation["responses"]["200"]["headers"]["Link"];
            assert!(documented.is_object(), "`{name}` documents no `Link`");
            lists.push(List { operation: name, path: path.clone(), parameters });
        }
    }
    lists
}

/// Relations of `Link` with their targets.
fn links(answer: &Answer) -> BTreeMap<String, String> {
    let link = |part: &str| {
        let (target, relation) = part.split_once(">; rel=\"").expect("a link");
        (relation.trim_end_matches('"').to_owned(), target.trim_start_matches('<').to_owned())
    };
    answer.header("link").split(", ").filter(|part| !part.is_empty()).map(link).collect()
}

/// A member of staff with an account that has one of everything.
struct Scene {
    app: TestApp,
    staff: Person,
    ids: Vec<(&'static str, Uuid)>,
}

impl Scene {
    async fn set() -> Self {
        let app = TestApp::start().await;
        let staff = app.system_admin().await;
        app.override_every_feature(staff.account_id, true).await;
        app.developer_profile(staff.user_id).await;
        let rows: Rows = app.one_of_everything(&staff).await;
        let offered = format!(
            "UPDATE extensions SET name = 'Walked', status = 'approved', visibility = 'unlisted',
                 current_version_id = (SELECT id FROM extension_versions WHERE extension_id = extensions.id)
             WHERE id = '{}'",
            rows["extensions"]
        );
        sql_query(offered).execute(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
        let ids = vec![
            ("account", staff.account_id),
            ("automation", rows["automations"]),
            ("endpoint", rows["webhook_endpoints"]),
            ("extension", rows["extensions"]),
            ("install", rows["extension_installs"]),
        ];
        Self { app, staff, ids }
    }

    fn filled(&self, text: &str) -> String {
        let fill =
            |text: String, (name, id): &(&str, Uuid)| text.replace(&format!("{{{name}}}"), &id.to_string());
        self.ids.iter().fold(text.to_owned(), fill)
    }

    /// Path of a list with the ids of the scene; `None` where it has none.
    fn path(&self, list: &List) -> Option<String> {
        let path = match list.operation.as_str() {
            "automationRuns" => "/v1/automations/{automation}/runs",
            "extensionInstallLogs" => "/v1/extension-installs/{install}/logs",
            "extensionReviews" => "/v1/extensions/{extension}/reviews",
            "webhookDeliveries" => "/v1/webhook-endpoints/{endpoint}/deliveries",
            _ => list.path.as_str(),
        };
        Some(self.filled(path)).filter(|path| !path.contains('{'))
    }

    /// Inserts the rows of a seed from one number to another.
    async fn insert(&self, seed: &Seed, from: i32, to: i32) {
        let inserted = sql_query(seed.sql)
            .bind::<SqlUuid, _>(self.staff.account_id)
            .bind::<SqlUuid, _>(self.staff.user_id)
            .bind::<Integer, _>(from)
            .bind::<Integer, _>(to)
            .execute(&mut *self.app.databases.postgres.get().await.unwrap())
            .await
            .unwrap_or_else(|error| panic!("{}: {error}", seed.operation));
        assert_eq!(i32::try_from(inserted).unwrap(), to - from + 1, "{}", seed.operation);
    }

    async fn over_graphql(&self, caller: &Caller, seed: &Seed, parts: &str, cursor: Option<&str>) -> Answer {
        let arguments =
            [seed.arguments, parts, "cursor: $cursor"].into_iter().filter(|text| !text.is_empty());
        let arguments = self.filled(&arguments.collect::<Vec<_>>().join(", "));
        let arguments = if seed.is_filter { format!("filter: {{ {arguments} }}") } else { arguments };
        let selection = "{ items { id } total page limit pages nextCursor }";
        let document = format!("query($cursor: String) {{ {}({arguments}) {selection} }}", seed.operation);
        caller.graphql(&document, json!({ "cursor": cursor })).await
    }
}

fn ids(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().expect("rows");
    rows.iter().map(|row| row["id"].as_str().expect("an id").to_owned()).collect()
}

#[tokio::test]
async fn lists_name_their_other_parts_in_a_header() {
    let scene = Scene::set().await;
    let (studio, workers) = (scene.app.studio().await, scene.app.system_key().await);
    let mut elsewhere = BTreeSet::new();
    for list in lists() {
        let Some(path) = scene.path(&list) else {
            elsewhere.insert(list.operation);
            continue;
        };
        let caller: &Caller = match path.as_str() {
            path if path.starts_with("/developer/") => &studio.key,
            path if path.starts_with("/v1/internal/") => &workers,
            _ => &scene.staff,
        };
        let platform = if list.operation == "botChannels" { "&platform=twitch" } else { "" };
        let size = if list.parameters.contains("per_page") { "per_page" } else { "limit" };
        let answer = caller.get(&format!("{path}?{size}=1{platform}")).await;
        assert_eq!(answer.status, 200, "{}: {}", list.operation, answer.text);
        check_links(&list, caller, &answer).await;
    }
    let expected: BTreeSet<String> = ELSEWHERE.iter().map(|(name, _where)| (*name).to_owned()).collect();
    assert_eq!(elsewhere, expected, "lists that were not read");
    scene.app.stop().await;
}

/// Checks the header of a first part of one row, with the body's own links and by following it.
async fn check_links(list: &List, caller: &Caller, answer: &Answer) {
    let (name, found, own) = (&list.operation, links(answer), &answer.body["_links"]);
    let has_pages = list.parameters.contains("page");
    assert_eq!(
        found.contains_key("first"),
        has_pages || list.parameters.contains("offset"),
        "{name}: {found:?}"
    );
    assert!(!found.contains_key("prev"), "{name}: {found:?}");
    for relation in ["first", "next", "last"] {
        let of_body = own[relation].as_str();
        if of_body.is_none() {
            continue;
        }
        match found.get(relation) {
            Some(link) if relation == "next" && list.parameters.contains("cursor") => {
                assert!(link.contains("cursor=") && !link.contains("page=1"), "{name}: {link}");
            }
            link => assert_eq!(link.map(String::as_str), of_body, "{name} {relation}"),
        }
    }
    if own["first"].is_string() {
        assert_eq!(found.contains_key("next"), own["next"].is_string(), "{name}: {found:?}");
    }
    for (relation, target) in found {
        let followed = caller.get(&target).await;
        assert_eq!(followed.status, 200, "{name} {relation} {target}: {}", followed.text);
    }
}

#[test]
fn lists_have_cursors_over_both_protocols_alike() {
    let of_seeds: BTreeSet<&str> = SEEDS.iter().map(|seed| seed.operation).collect();
    let all = lists();
    let of_main_api = all.iter().filter(|list| list.path.starts_with("/v1/"));
    let over_rest = of_main_api.filter(|list| list.parameters.contains("cursor"));
    let over_rest: BTreeSet<&str> = over_rest.map(|list| list.operation.as_str()).collect();
    assert_eq!(over_rest, of_seeds, "seeds.rs (right) gives every list with a cursor rows to walk over");
    let fields = fields();
    let has_cursor = |name: &str| {
        let kind = innermost(&fields[name].returns)["name"].as_str().expect("a name");
        let mut of_kind = type_named(kind)["fields"].as_array().into_iter().flatten();
        of_kind.any(|field| field["name"] == "nextCursor")
    };
    let over_graphql: BTreeSet<&str> =
        fields.keys().map(String::as_str).filter(|name| has_cursor(name)).collect();
    assert_eq!(over_graphql, of_seeds);
}

#[tokio::test]
async fn lists_with_cursors_return_each_row_once_while_others_arrive() {
    let statements = Statements::watch();
    let scene = Scene::set().await;
    statements.to(&scene.app);
    for seed in SEEDS {
        scene.insert(seed, 1, 7).await;
        let path = scene.filled(seed.path);
        let size = if seed.operation == "streamHistory" { "per_page" } else { "limit" };
        let before = scene.staff.get(&format!("{path}&{size}=100")).await;
        let (expected, total) = (ids(before.data()), before.body["_meta"]["total"].clone());
        assert!(expected.len() >= 7, "{}: {}", seed.operation, before.text);
        let (mut next, mut found, mut parts) = (Some(format!("{path}&{size}=2")), Vec::new(), 0);
        while let Some(address) = next {
            statements.take();
            let part = scene.staff.get(&address).await;
            found.extend(ids(part.data()));
            parts += 1;
            let meta = &part.body["_meta"];
            assert_eq!((&meta["total"], &meta["page"]), (&total, &json!(parts)), "{address}");
            next = links(&part).remove("next");
            if parts == 1 {
                scene.insert(seed, -2, -2).await;
            } else {
                let sent = statements.take();
                assert_eq!(sent.iter().filter(|text| reads(text, seed.table)).count(), 1, "{sent:#?}");
                assert_eq!(part.body["_links"]["next"].as_str(), next.as_deref(), "{address}");
                assert!(part.body["_links"]["prev"].is_null(), "{address}");
            }
            assert!(parts < MAX_PARTS, "{}: a walk without an end", seed.operation);
        }
        assert_eq!(found, expected, "{}", seed.operation);
        check_graphql_walk(&scene, seed, &expected).await;
    }
    scene.app.stop().await;
}

/// True when a statement reads rows of a table, written by hand or by the query builder, alone or joined.
fn reads(statement: &str, table: &str) -> bool {
    let quoted = format!("\"{table}\"");
    [format!("FROM {table}"), format!("FROM {quoted}"), format!("FROM ({quoted}")]
        .iter()
        .any(|text| statement.contains(text.as_str()))
}

/// Walks over GraphQL; the row that arrived meanwhile comes first.
async fn check_graphql_walk(scene: &Scene, seed: &Seed, expected: &[String]) {
    let size = if seed.operation == "streamHistory" { "perPage: 2" } else { "limit: 2" };
    let (mut cursor, mut found, mut total) = (None, Vec::new(), None);
    for number in 1..MAX_PARTS {
        let answer = scene.over_graphql(&scene.staff, seed, size, cursor.as_deref()).await;
        let part = answer.field(seed.operation);
        found.extend(ids(&part["items"]));
        assert_eq!(part["page"], json!(number), "{}", seed.operation);
        let counted = total.get_or_insert_with(|| part["total"].clone());
        assert_eq!(part["total"], *counted, "{}", seed.operation);
        cursor = part["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(found[1..], *expected, "{}", seed.operation);
}

#[tokio::test]
async fn lists_refuse_cursors_that_they_did_not_give() {
    let scene = Scene::set().await;
    let stranger = scene.app.system_admin().await;
    scene.app.override_every_feature(stranger.account_id, true).await;
    let mut foreign = "x".to_owned();
    for seed in SEEDS {
        scene.insert(seed, 1, 3).await;
        let path = scene.filled(seed.path);
        let size = if seed.operation == "streamHistory" { "per_page" } else { "limit" };
        let first = scene.staff.get(&format!("{path}&{size}=1")).await;
        let next =
            links(&first).remove("next").unwrap_or_else(|| panic!("{}: {}", seed.operation, first.text));
        let (_, cursor) = next.split_once("cursor=").expect("a cursor");
        let cursor = cursor.split('&').next().expect("a cursor").to_owned();
        for wrong in [foreign.as_str(), "", &cursor[1..]] {
            let rest = scene.staff.get(&format!("{path}&cursor={wrong}")).await;
            let graphql = scene.over_graphql(&scene.staff, seed, "", Some(wrong)).await;
            both_refused(&rest, &graphql, 400, "VALIDATION_ERROR", INVALID);
            assert_eq!(rest.body["details"]["fields"][0]["field"], "cursor", "{}", seed.operation);
        }
        let both = scene.staff.get(&format!("{path}&page=1&cursor={cursor}")).await;
        let both_over_graphql = scene.over_graphql(&scene.staff, seed, "page: 1", Some(&cursor)).await;
        let message = "page must not be given with cursor";
        both_refused(&both, &both_over_graphql, 400, "VALIDATION_ERROR", message);
        if !seed.other.is_empty() {
            let (base, _) = path.split_once('?').expect("a query");
            let other = scene.staff.get(&format!("{base}?{}&cursor={cursor}", seed.other)).await;
            other.refused("VALIDATION_ERROR", INVALID);
        }
        // Another account with the same list: a path with an id is not found before.
        if !seed.path.contains('{') {
            stranger.get(&format!("{path}&cursor={cursor}")).await.refused("VALIDATION_ERROR", INVALID);
        }
        scene.staff.get(&next).await.expect(200);
        foreign = cursor;
    }
    let sorted = scene.staff.get(&format!("/v1/history?sort_by=peak_viewers&cursor={foreign}")).await;
    sorted.refused("VALIDATION_ERROR", "cursor must be given with sort_by started_at only");
    scene.app.stop().await;
}

#[tokio::test]
async fn lists_that_continue_before_a_row_return_each_row_once_while_others_arrive() {
    let scene = Scene::set().await;
    let lines = |from: i32, to: i32| {
        format!(
            "INSERT INTO extension_logs (id, extension_id, install_id, account_id, level, message, created_at)
             SELECT gen_random_uuid(), extension_id, id, account_id, 'warn', 'walk', now() - (n / 2) * interval '1 second'
             FROM extension_installs CROSS JOIN generate_series({from}, {to}) AS n WHERE account_id = '{}'",
            scene.staff.account_id
        )
    };
    let run = async |sql: String| {
        sql_query(sql).execute(&mut *scene.app.databases.postgres.get().await.unwrap()).await.unwrap();
    };
    run(lines(1, 7)).await;
    let path = scene.filled("/v1/extension-installs/{install}/logs?level=warn");
    let expected = ids(scene.staff.get(&path).await.data());
    assert_eq!(expected.len(), 7);
    let (mut next, mut found) = (Some(format!("{path}&limit=2")), Vec::new());
    while let Some(address) = next {
        let part = scene.staff.get(&address).await;
        found.extend(ids(part.data()));
        assert!(found.len() <= expected.len(), "a walk without an end: {found:?}");
        next = links(&part).remove("next");
        run(lines(-2, -2)).await;
    }
    assert_eq!(found, expected);
    let document = scene.filled(
        "query($before: UUID) { extensionInstallLogs(id: \"{install}\", level: WARN, before: $before) { id } }",
    );
    let older = scene.staff.graphql(&document, json!({ "before": expected[2] })).await;
    assert_eq!(ids(&older.field("extensionInstallLogs")), expected[3..]);
    let unknown = scene.staff.get(&format!("{path}&before={}", Uuid::now_v7())).await;
    assert_eq!(unknown.data(), &json!([]));
    let both = scene.staff.get(&format!("{path}&offset=1&before={}", expected[0])).await;
    both.refused("VALIDATION_ERROR", "offset must not be given with before");
    scene.app.stop().await;
}
