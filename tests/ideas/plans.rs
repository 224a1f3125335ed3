//! Query plans of the lists at a hundred thousand ideas (reference/ideas.md#list). The statements are those that the
//! server sends.

use diesel::{
    QueryableByName, sql_query,
    sql_types::{Text, Uuid as SqlUuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use lumio_tests::{Caller, Statements, TestApp};
use uuid::Uuid;

use super::{IDEAS, category, id_of, of_idea};

/// Rows of everything that grows. The last statement makes what the planner knows.
const SEEDED: &[&str] = &[
    "INSERT INTO users (id, display_name, username)
        SELECT gen_random_uuid(), 'Person ' || n, 'person' || n FROM generate_series(1, 20000) AS n WHERE $1 IS NOT NULL",
    "WITH people AS (SELECT id, row_number() OVER () AS n FROM users WHERE username LIKE 'person%')
     INSERT INTO ideas (id, author_id, category_id, status, vote_count_up, vote_count_down, comment_count, created_at,
        updated_at)
     SELECT gen_random_uuid(), people.id, $1,
        (ARRAY['open', 'open', 'open', 'open', 'open', 'planned', 'in_progress', 'open', 'done', 'declined'])[1 + i % 10],
        (random() * power(random(), 6) * 2000)::integer, (random() * power(random(), 4) * 20)::integer,
        (random() * power(random(), 4) * 50)::integer, now() - random() * interval '400 days',
        now() - random() * interval '30 days'
     FROM generate_series(1, 100000) AS i JOIN people ON people.n = 1 + i % 20000",
    "INSERT INTO idea_texts (idea_id, title, description)
        SELECT id, 'Idea ' || left(md5(id::text), 8), '<p>Common words, and ' || md5(id::text) || ' of its own.</p>'
        FROM ideas WHERE category_id = $1",
    "INSERT INTO idea_tags (id, name) SELECT gen_random_uuid(), 'tag-' || n FROM generate_series(1, 2000) AS n
        WHERE $1 IS NOT NULL",
    "WITH tags AS (SELECT id, row_number() OVER () AS n FROM idea_tags)
     INSERT INTO idea_tag_links (idea_id, tag_id)
     SELECT ideas.id, tags.id FROM (SELECT id, row_number() OVER () AS n FROM ideas WHERE category_id = $1) AS ideas
     JOIN tags ON tags.n = 1 + ideas.n % 2000",
    "INSERT INTO idea_votes (idea_id, user_id, vote_type)
     SELECT one.id, users.id, 'up' FROM (SELECT id FROM ideas WHERE category_id = $1 ORDER BY id LIMIT 5) AS one, users",
    "INSERT INTO idea_comments (id, idea_id, author_id, body, created_at)
     SELECT gen_random_uuid(), one.id, users.id, 'Comment', now() - random() * interval '1 day'
     FROM (SELECT id FROM ideas WHERE category_id = $1 ORDER BY id LIMIT 5) AS one, users",
    "INSERT INTO idea_comments (id, idea_id, parent_id, author_id, body)
     SELECT gen_random_uuid(), idea_id, id, author_id, 'Reply' FROM idea_comments WHERE $1 IS NOT NULL LIMIT 20000",
    "INSERT INTO idea_timeline (id, idea_id, actor_id, action)
     SELECT gen_random_uuid(), id, author_id, 'created' FROM ideas WHERE category_id = $1",
];
const ANALYZED: &str =
    "ANALYZE ideas, idea_texts, idea_tags, idea_tag_links, idea_votes, idea_comments, idea_timeline, users";
/// Tables that staff keeps small.
const SMALL: [&str; 2] = ["idea_categories", "idea_totals"];

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// A list by its path, the beginning of its statement's tables, and the values of its parameters.
struct List {
    path: String,
    names: &'static str,
    types: &'static str,
    values: String,
}

async fn first(connection: &mut AsyncPgConnection, sql: &str) -> Uuid {
    sql_query(sql).get_result::<Row>(connection).await.unwrap().id
}

/// Statement that a request sends for a list.
async fn sent(statements: &Statements, caller: &Caller, list: &List) -> (Vec<String>, String) {
    let (answer, sent) = statements.of(async || caller.get(&list.path).await).await;
    answer.data();
    let of_list = |text: &&String| text.contains(list.names) && text.contains("LIMIT");
    let found = sent.iter().rfind(of_list).unwrap_or_else(|| panic!("{}: {sent:#?}", list.path));
    let text = found.split(" -- binds: ").next().unwrap_or_default().to_owned();
    (sent, text)
}

fn lists(idea: Uuid, tag: Uuid, person: Uuid) -> Vec<List> {
    const TYPES: &str = "bigint, bigint, uuid, text[], uuid, uuid[], text, uuid, uuid, timestamptz";
    let mut lists = Vec::new();
    let mut add = |query: String, [category, statuses, author, tags, words]: [&str; 5]| {
        for sort in ["newest", "oldest", "most_voted", "most_commented", "recently_updated", "trending"] {
            lists.push(List {
                path: format!("{IDEAS}?sort={sort}&{query}"),
                names: "idea_texts",
                types: TYPES,
                values: format!(
                    "20, 0, {category}, {statuses}, {author}, {tags}, {words}, NULL, '{person}', now()"
                ),
            });
        }
    };
    let none = "NULL";
    let author = format!("'{person}'");
    let tags = format!("ARRAY['{tag}']::uuid[]");
    add(String::new(), [none; 5]);
    add("status=declined,done".to_owned(), [none, "'{declined,done}'", none, none, none]);
    add(format!("author_id={person}"), [none, none, &author, none, none]);
    add(format!("tag_ids={tag}"), [none, none, none, &tags, none]);
    add("search=abc".to_owned(), [none, none, none, none, "'abc:*'"]);
    add("search=common%20wor".to_owned(), [none, none, none, none, "'common & wor:*'"]);
    for sort in ["oldest", "newest", "top"] {
        lists.push(List {
            path: format!("{}?sort={sort}", of_idea(idea, "comments")),
            names: "idea_comments",
            types: "uuid, bigint, uuid, bigint, bigint",
            values: format!("'{person}', 100, '{idea}', 20, 0"),
        });
    }
    lists.push(List {
        path: of_idea(idea, "voters"),
        names: "\"idea_votes\"",
        types: "uuid, bigint, bigint",
        values: format!("'{idea}', 100, 0"),
    });
    lists.push(List {
        path: format!("{}?vote_type=up", of_idea(idea, "voters")),
        names: "\"idea_votes\"",
        types: "uuid, text, bigint, bigint",
        values: format!("'{idea}', 'up', 100, 0"),
    });
    lists.push(List {
        path: of_idea(idea, "timeline"),
        names: "\"idea_timeline\"",
        types: "uuid, bigint, bigint",
        values: format!("'{idea}', 100, 0"),
    });
    lists.push(List {
        path: format!("{}?search=person1", of_idea(idea, "participants")),
        names: "starts_with",
        types: "uuid, text, bigint",
        values: format!("'{idea}', 'person1', 50"),
    });
    lists.push(List {
        path: format!("{IDEAS}/tags?search=tag-1"),
        names: "idea_tags",
        types: "text, bigint",
        values: "'tag-1', 100".to_owned(),
    });
    lists
}

#[tokio::test]
async fn plans_of_every_list_read_no_growing_table_as_a_whole() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    let (reader, chat) = (app.owner().await, category(&app, "chat").await);
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("SET statement_timeout = '120s'").execute(&mut *db).await.unwrap();
    for sql in SEEDED {
        let rows = sql_query(*sql).bind::<SqlUuid, _>(chat).execute(&mut *db).await;
        assert!(rows.unwrap_or_else(|error| panic!("{sql}: {error}")) > 0, "{sql}");
    }
    sql_query(ANALYZED).execute(&mut *db).await.unwrap();
    let idea = first(&mut db, "SELECT id FROM ideas ORDER BY id LIMIT 1").await;
    let tag = first(&mut db, "SELECT tag_id AS id FROM idea_tag_links LIMIT 1").await;
    let person = first(&mut db, "SELECT author_id AS id FROM ideas LIMIT 1").await;
    for list in lists(idea, tag, person) {
        let (all, text) = sent(&statements, &reader, &list).await;
        let is_guarded = all.iter().any(|text| text.contains("enable_seqscan = off"));
        for sql in [
            format!("SET enable_seqscan = {}", if is_guarded { "off" } else { "on" }),
            format!("PREPARE listed ({}) AS {text}", list.types),
        ] {
            sql_query(&sql).execute(&mut *db).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
        let explain = format!("EXPLAIN EXECUTE listed ({})", list.values);
        let plan: Vec<Line> = sql_query(explain).load(&mut *db).await.unwrap();
        sql_query("DEALLOCATE listed").execute(&mut *db).await.unwrap();
        let plan: Vec<String> = plan.into_iter().map(|line| line.line).collect();
        let scans =
            plan.iter().filter_map(|line| line.split("Seq Scan on ").nth(1)?.split_whitespace().next());
        let whole: Vec<&str> = scans.filter(|table| !SMALL.contains(table)).collect();
        assert!(whole.is_empty(), "{}: {whole:?} {plan:#?}", list.path);
        assert!(plan.iter().any(|line| line.contains("Index")), "{}: {plan:#?}", list.path);
    }
    let listed = reader.get(&format!("{IDEAS}?search=common%20wor&limit=1")).await.data().clone();
    assert_eq!(listed["total"], 100_000);
    id_of(&listed["items"][0]);
    drop(db);
    app.stop().await;
}
