//! Lists of ideas: filters, orders and bounds (reference/ideas.md#list).

use chrono::Duration;
use lumio_tests::{Answer, Caller, Statements, TestApp, both_refused};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{IDEA, IDEAS, category, create, execute, graphql, id_of, input, of_idea};

async fn list(caller: &Caller, query: &str) -> Answer {
    caller.get(&format!("{IDEAS}?{query}")).await
}

async fn gql_list(caller: &Caller, arguments: &str) -> Answer {
    graphql(caller, "query", "ideas", &[], arguments, &format!("{{ items {IDEA} total }}")).await
}

/// Titles of a list.
fn titles(listed: &Value) -> Vec<&str> {
    listed["items"].as_array().unwrap().iter().map(|idea| idea["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn ideas_are_filtered_and_ordered() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.owner().await, app.owner().await);
    let (chat, bots) = (category(&app, "chat").await, category(&app, "bots").await);
    let tag = async |name: &str| id_of(ada.post("/v1/ideas/tags", json!({ "name": name })).await.data());
    let (red, blue) = (tag("red").await, tag("blue").await);
    for (caller, title, category, tags) in [
        (&ada, "Alpha colors", chat, json!([red])),
        (&bob, "Beta colors", bots, json!([blue])),
        (&ada, "Gamma sounds", bots, json!([red, blue])),
        (&ada, "Delta <script> widgets", chat, json!([])),
    ] {
        app.clock.advance(Duration::seconds(60));
        let mut new = input(title, category);
        new["tag_ids"] = tags;
        let about = title.to_lowercase().replace("<script> ", "");
        new["description"] = json!(format!(
            "<p>About {about}-mode &amp; more.</p><p>With im<strong>port</strong>/export<br>node.js</p>"
        ));
        caller.post(IDEAS, new).await.expect(201);
    }
    for (title, set) in [
        ("Alpha colors", "vote_count_up = 1, comment_count = 2, updated_at = created_at + interval '1 hour'"),
        ("Beta colors", "vote_count_up = 9, vote_count_down = 4, status = 'planned'"),
        ("Gamma sounds", "vote_count_up = 2, vote_count_down = 8, comment_count = 7, status = 'done'"),
    ] {
        let sql = format!(
            "UPDATE ideas SET {set} FROM idea_texts
             WHERE idea_id = ideas.id AND title = '{title}' AND $1 IS NOT NULL"
        );
        assert_eq!(execute(&app, &sql, chat).await, 1);
    }
    let all = list(&app.anonymous(), "").await.data().clone();
    assert_eq!(all["total"], 4);
    let beta = id_of(&all["items"][2]);
    ada.put(&of_idea(beta, "vote"), json!({ "vote_type": "down" })).await.data();
    let (a, b, c, d) = ("Alpha colors", "Beta colors", "Gamma sounds", "Delta <script> widgets");
    let (ada_id, bob_id) = (ada.user_id, bob.user_id);
    for (query, arguments, expected) in [
        ("", String::new(), vec![d, c, b, a]),
        ("sort=newest", "sort: NEWEST".to_owned(), vec![d, c, b, a]),
        ("sort=oldest", "sort: OLDEST".to_owned(), vec![a, b, c, d]),
        ("sort=most_voted", "sort: MOST_VOTED".to_owned(), vec![b, a, d, c]),
        ("sort=most_commented", "sort: MOST_COMMENTED".to_owned(), vec![c, a, d, b]),
        ("sort=recently_updated", "sort: RECENTLY_UPDATED".to_owned(), vec![a, d, c, b]),
        ("sort=trending", "sort: TRENDING".to_owned(), vec![b, a, d, c]),
        (&format!("category_id={bots}"), format!("filter: {{ categoryId: \"{bots}\" }}"), vec![c, b]),
        (&format!("tag_ids={red}"), format!("filter: {{ tagIds: [\"{red}\"] }}"), vec![c, a]),
        (
            &format!("tag_ids={red},{blue}"),
            format!("filter: {{ tagIds: [\"{red}\", \"{blue}\"] }}"),
            vec![c, b, a],
        ),
        ("status=open", "filter: { status: [open] }".to_owned(), vec![d, a]),
        ("status=open,done", "filter: { status: [open, done] }".to_owned(), vec![d, c, a]),
        (&format!("author_id={bob_id}"), format!("filter: {{ authorId: \"{bob_id}\" }}"), vec![b]),
        ("status=&tag_ids=", "filter: { status: [], tagIds: [] }".to_owned(), vec![d, c, b, a]),
        ("mine=true", "filter: { mine: true }".to_owned(), vec![d, c, a]),
        ("mine=false", "filter: { mine: false }".to_owned(), vec![d, c, b, a]),
        (
            &format!("mine=true&author_id={bob_id}"),
            format!("filter: {{ mine: true, authorId: \"{bob_id}\" }}"),
            vec![],
        ),
        (
            &format!("mine=true&author_id={ada_id}"),
            format!("filter: {{ mine: true, authorId: \"{ada_id}\" }}"),
            vec![d, c, a],
        ),
        ("voted_by_me=true", "filter: { votedByMe: true }".to_owned(), vec![b]),
        ("search=COLOR", "filter: { search: \"COLOR\" }".to_owned(), vec![b, a]),
        ("search=about%20sou", "filter: { search: \"about sou\" }".to_owned(), vec![c]),
        ("search=abou%20sounds", "filter: { search: \"abou sounds\" }".to_owned(), vec![]),
        ("search=sounds-mo", "filter: { search: \"sounds-mo\" }".to_owned(), vec![c]),
        ("search=amp", "filter: { search: \"amp\" }".to_owned(), vec![]),
        ("search=%21%26%7C%27", "filter: { search: \"!&|'\" }".to_owned(), vec![]),
        ("search=a%21", "filter: { search: \"a!\" }".to_owned(), vec![]),
        ("search=script", "filter: { search: \"script\" }".to_owned(), vec![d]),
        ("search=strong", "filter: { search: \"strong\" }".to_owned(), vec![]),
        ("search=import%2Fexp", "filter: { search: \"import/exp\" }".to_owned(), vec![d, c, b, a]),
        ("search=js%20NODE", "filter: { search: \"js NODE\" }".to_owned(), vec![d, c, b, a]),
        ("search=%20", "filter: { search: \" \" }".to_owned(), vec![d, c, b, a]),
        (
            &format!("search=more&category_id={chat}&sort=oldest"),
            format!("filter: {{ search: \"more\", categoryId: \"{chat}\" }}, sort: OLDEST"),
            vec![a, d],
        ),
        (
            &format!("search=more&tag_ids={blue}&voted_by_me=true&status=planned&sort=trending"),
            format!(
                "filter: {{ search: \"more\", tagIds: [\"{blue}\"], votedByMe: true, status: [planned] }}, sort: TRENDING"
            ),
            vec![b],
        ),
    ] {
        let rest = list(&ada, query).await.data().clone();
        assert_eq!(titles(&rest), expected, "{query}");
        assert_eq!(rest["total"], expected.len(), "{query}");
        let gql = gql_list(&ada, &arguments).await;
        assert_eq!(gql.field("ideas"), rest, "{arguments}");
    }
    let page = list(&ada, "limit=2&offset=1").await.data().clone();
    assert_eq!((titles(&page), &page["total"]), (vec![c, b], &json!(4)));
    assert_eq!(page["items"][1]["my_vote"], "down");
    let beyond = list(&ada, "offset=100000").await.data().clone();
    assert_eq!((titles(&beyond), &beyond["total"]), (vec![], &json!(4)));
    app.stop().await;
}

#[tokio::test]
async fn ideas_refuses_invalid_filters_and_own_ideas_without_a_person() {
    let app = TestApp::start().await;
    let (owner, anonymous) = (app.owner().await, app.anonymous());
    let many: Vec<String> = (0..21).map(|_| Uuid::now_v7().to_string()).collect();
    let long = "x".repeat(101);
    for (query, arguments, message) in [
        ("limit=0".to_owned(), "limit: 0".to_owned(), "limit must be between 1 and 100"),
        ("limit=101".to_owned(), "limit: 101".to_owned(), "limit must be between 1 and 100"),
        ("offset=-1".to_owned(), "offset: -1".to_owned(), "offset must be 0 or greater"),
        (
            "search=a".to_owned(),
            "filter: { search: \"a\" }".to_owned(),
            "search must be between 2 and 100 characters",
        ),
        (
            format!("search={long}"),
            format!("filter: {{ search: \"{long}\" }}"),
            "search must be between 2 and 100 characters",
        ),
        (
            format!("tag_ids={}", many.join(",")),
            format!("filter: {{ tagIds: {} }}", json!(many)),
            "tag_ids must name at most 20 tags",
        ),
    ] {
        let (rest, gql) = (list(&anonymous, &query).await, gql_list(&anonymous, &arguments).await);
        both_refused(&rest, &gql, 400, "VALIDATION_ERROR", message);
    }
    let statuses = "Invalid status: must be one of open, planned, in_progress, done, declined";
    let sorts =
        "Invalid sort: must be one of newest, oldest, most_voted, most_commented, recently_updated, trending";
    for (query, message) in [
        ("status=open,finished", statuses),
        ("sort=best", sorts),
        ("tag_ids=a", "Invalid UUID: tag_ids"),
        ("category_id=a", "Invalid UUID: category_id"),
    ] {
        list(&anonymous, query).await.refused("VALIDATION_ERROR", message);
    }
    for (query, arguments) in
        [("mine=true", "filter: { mine: true }"), ("voted_by_me=true", "filter: { votedByMe: true }")]
    {
        let (rest, gql) = (list(&anonymous, query).await, gql_list(&anonymous, arguments).await);
        both_refused(&rest, &gql, 401, "UNAUTHORIZED", "Authentication required");
        let service = app.service_key(owner.account_id, &[]).await;
        let (rest, gql) = (list(&service, query).await, gql_list(&service, arguments).await);
        both_refused(&rest, &gql, 403, "FORBIDDEN", "Ideas and votes belong to people");
    }
    app.stop().await;
}

#[tokio::test]
async fn ideas_take_one_statement_for_a_full_page() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    create(&author, "Dark colors", chat).await;
    let more = "WITH made AS (INSERT INTO ideas (id, author_id, category_id)
            SELECT gen_random_uuid(), author_id, category_id FROM ideas, generate_series(1, 1199) WHERE category_id = $1
            RETURNING id),
        tagged AS (INSERT INTO idea_tags (id, name) SELECT gen_random_uuid(), 'tag-' || n FROM generate_series(1, 3) AS n
            RETURNING id),
        links AS (INSERT INTO idea_tag_links (idea_id, tag_id) SELECT made.id, tagged.id FROM made, tagged)
        INSERT INTO idea_texts (idea_id, title, description) SELECT id, 'Many colors', 'Many colors' FROM made";
    assert_eq!(execute(&app, more, chat).await, 1199);
    for sort in ["newest", "oldest", "most_voted", "most_commented", "recently_updated", "trending"] {
        let path = format!("{IDEAS}?limit=100&sort={sort}");
        let (listed, sent) = statements.of(async || author.get(&path).await).await;
        assert_eq!(listed.data()["items"].as_array().map(Vec::len), Some(100), "{sort}");
        assert_eq!(listed.data()["total"], 1200);
        assert!(matches!(sent.as_slice(), [one] if one.contains("ideas")), "{sort}: {sent:#?}");
    }
    // The order by trend and a search have an end.
    for (query, items, total) in [
        ("sort=trending&limit=100&offset=480".to_owned(), 20, 1200),
        ("sort=trending&offset=500".to_owned(), 0, 1200),
        ("search=many&limit=100&offset=980".to_owned(), 20, 1000),
        (format!("search=many&category_id={chat}&sort=trending"), 20, 1000),
    ] {
        let listed = list(&author, &query).await.data().clone();
        assert_eq!((titles(&listed).len(), &listed["total"]), (items, &json!(total)), "{query}");
    }
    app.stop().await;
}
