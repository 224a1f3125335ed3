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
     SELECT gen_random_uuid(), people.id,
        CASE WHEN i % 20 = 0 THEN (SELECT id FROM idea_categories WHERE name = 'rare') ELSE $1 END,
        (ARRAY['open', 'open', 'open', 'open', 'open', 'planned', 'in_progress', 'open', 'done', 'declined'])[1 + i % 10],
        (random() * power(random(), 6) * 2000)::integer, (random() * power(random(), 4) * 20)::integer,
        (random() * power(random(), 4) * 50)::integer, now() - random() * interval '400 days',
        now() - random() * interval '30 days'
     FROM generate_series(1, 100000) AS i JOIN people ON people.n = 1 + i % 20000",
    "INSERT INTO idea_texts (idea_id, title, description)
        SELECT id, 'Idea ' || left(md5(id::text), 8), '<p>Common words, and ' || md5(id::text) || ' of its own.</p>'
        FROM ideas WHERE $1 IS NOT NULL",
    "INSERT INTO idea_tags (id, name) SELECT gen_random_uuid(), 'tag-' || n FROM generate_series(1, 2000) AS n
        WHERE $1 IS NOT NULL",
    "WITH tags AS (SELECT id, row_number() OVER () AS n FROM idea_tags)
     INSERT INTO idea_tag_links (idea_id, tag_id)
     SELECT ideas.id, tags.id FROM (SELECT id, row_number() OVER () AS n FROM ideas WHERE category_id = $1) AS ideas
     JOIN tags ON tags.n = 1 + ideas.n % 2000",
    "INSERT INTO idea_votes (idea_id, user_id, vote_type)
     SELECT one.id, users.id, 'up' FROM (SELECT id FROM ideas WHERE category_id = $1 ORDER BY id LIMIT 1) AS one, users",
    "INSERT INTO idea_comments (id, idea_id, author_id, body, created_at)
     SELECT gen_random_uuid(), one.idea_id, users.id, 'Comment', now() - random() * interval '1 day'
     FROM (SELECT idea_id FROM idea_votes WHERE $1 IS NOT NULL LIMIT 1) AS one, users",
    "INSERT INTO idea_comments (id, idea_id, parent_id, author_id, body)
     SELECT gen_random_uuid(), idea_id, id, author_id, 'Reply' FROM idea_comments WHERE $1 IS NOT NULL LIMIT 5000",
    "INSERT INTO idea_timeline (id, idea_id, actor_id, action)
     SELECT gen_random_uuid(), id, author_id, 'created' FROM ideas WHERE $1 IS NOT NULL LIMIT 20000",
];
const ANALYZED: &str =
    "ANALYZE ideas, idea_texts, idea_tags, idea_tag_links, idea_votes, idea_comments, idea_timeline, users";
/// Tables that staff keeps small.
const SMALL: [&str; 2] = ["idea_categories", "idea_totals"];
/// Pages of the server that a list may read. In the order of an index all ideas are more than a hundred thousand.
const MAX_BUFFERS: u64 = 50_000;
/// Types of the parameters of the list of ideas.
const TYPES: &str = "bigint, bigint, uuid, text[], uuid, uuid[], text, uuid, uuid, timestamptz";
const SORTS: [&str; 6] = ["newest", "oldest", "most_voted", "most_commented", "recently_updated", "trending"];

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
    /// A connection keeps the statement, so that the server may plan it for values of others.
    is_prepared: bool,
}

/// Rows that the lists are of.
struct Seeded {
    idea: Uuid,
    tag: Uuid,
    person: Uuid,
    reader: Uuid,
    rare: Uuid,
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

/// Lists of ideas: with each filter in some orders, and pages far from the top.
fn ideas(of: &Seeded) -> Vec<List> {
    let Seeded { tag, person, reader, rare, .. } = of;
    let mut lists = Vec::new();
    let mut add = |sorts: &[&str], offset: i64, query: &str, name: &str, value: &str| {
        let of = |parameter: &str| if parameter == name { value.to_owned() } else { "NULL".to_owned() };
        let [category, statuses, author, tags, words, voter] =
            ["category", "statuses", "author", "tags", "words", "voter"].map(of);
        for sort in sorts {
            lists.push(List {
                path: format!("{IDEAS}?sort={sort}&offset={offset}&{query}"),
                names: "idea_texts",
                types: TYPES,
                values: format!(
                    "20, {offset}, {category}, {statuses}, {author}, {tags}, {words}, {voter}, '{reader}', now()"
                ),
                is_prepared: name.is_empty() && *sort != "trending",
            });
        }
    };
    add(&SORTS, 0, "", "", "");
    add(&SORTS, 0, "status=declined,done", "statuses", "'{declined,done}'");
    add(&SORTS, 0, &format!("category_id={rare}"), "category", &format!("'{rare}'"));
    add(&["oldest", "trending"], 480, "", "", "");
    add(&["trending"], 480, &format!("category_id={rare}"), "category", &format!("'{rare}'"));
    let some = ["newest", "trending"];
    add(&some, 0, &format!("author_id={person}"), "author", &format!("'{person}'"));
    add(&some, 0, "mine=true", "author", &format!("'{reader}'"));
    add(&some, 0, "voted_by_me=true", "voter", &format!("'{reader}'"));
    add(&some, 0, &format!("tag_ids={tag}"), "tags", &format!("ARRAY['{tag}']::uuid[]"));
    add(&some, 0, "search=abc", "words", "'abc:*'");
    add(&some, 0, "search=common%20wor", "words", "'common & wor:*'");
    lists
}

/// Lists of what one idea has, and of tags.
fn others(of: &Seeded) -> Vec<List> {
    let Seeded { idea, reader, .. } = of;
    let mut lists = Vec::new();
    let mut add = |path: String, names, types, values| {
        lists.push(List { path, names, types, values, is_prepared: true });
    };
    for sort in ["oldest", "newest", "top"] {
        let path = format!("{}?sort={sort}", of_idea(*idea, "comments"));
        let types = "uuid, bigint, uuid, bigint, bigint";
        add(path, "idea_comments", types, format!("'{reader}', 100, '{idea}', 20, 0"));
    }
    let voters = of_idea(*idea, "voters");
    let of_type = format!("{voters}?vote_type=up");
    let (votes, timeline) = ("\"idea_votes\"", of_idea(*idea, "timeline"));
    add(voters, votes, "uuid, bigint, bigint", format!("'{idea}', 100, 0"));
    add(of_type, votes, "uuid, text, bigint, bigint", format!("'{idea}', 'up', 100, 0"));
    add(timeline, "\"idea_timeline\"", "uuid, bigint, bigint", format!("'{idea}', 100, 0"));
    let participants = format!("{}?search=person1", of_idea(*idea, "participants"));
    let types = "uuid, text, bigint, bigint";
    add(participants, "starts_with", types, format!("'{idea}', 'person1', 50, 1000"));
    add(format!("{IDEAS}/tags?search=tag-1"), "idea_tags", "text, bigint", "'tag-1', 100".to_owned());
    lists
}

/// Pages that a plan has read, of which its first node has the sum.
fn buffers(plan: &[String]) -> u64 {
    let line = plan.iter().find_map(|line| line.trim().strip_prefix("Buffers: shared ")).unwrap_or_default();
    let numbers = line.split([' ', '=', ',']).filter_map(|part| part.parse::<u64>().ok());
    numbers.sum()
}

/// Asserts that a statement reads no growing table as a whole.
async fn assert_bounded(db: &mut AsyncPgConnection, list: &List, all: &[String], text: &str) {
    let is_guarded = all.iter().any(|text| text.contains("enable_seqscan = off"));
    let mode = if list.is_prepared { "force_generic_plan" } else { "force_custom_plan" };
    for sql in [
        format!("SET enable_seqscan = {}", if is_guarded { "off" } else { "on" }),
        format!("SET plan_cache_mode = {mode}"),
        format!("PREPARE listed ({}) AS {text}", list.types),
    ] {
        sql_query(&sql).execute(db).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
    let explain = format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE listed ({})", list.values);
    let plan: Vec<Line> = sql_query(explain).load(db).await.unwrap();
    sql_query("DEALLOCATE listed").execute(db).await.unwrap();
    let plan: Vec<String> = plan.into_iter().map(|line| line.line).collect();
    let scans = plan.iter().filter_map(|line| line.split("Seq Scan on ").nth(1)?.split_whitespace().next());
    let whole: Vec<&str> = scans.filter(|table| !SMALL.contains(table)).collect();
    assert!(whole.is_empty(), "{}: {whole:?} {plan:#?}", list.path);
    assert!((1..=MAX_BUFFERS).contains(&buffers(&plan)), "{}: {plan:#?}", list.path);
}

#[tokio::test]
async fn plans_of_every_list_read_no_growing_table_as_a_whole() {
    let statements = Statements::watch();
    let app = TestApp::start().await;
    statements.to(&app);
    let (reader, rare, chat) =
        (app.owner().await, category(&app, "rare").await, category(&app, "chat").await);
    let mut db = app.databases.postgres.get().await.unwrap();
    sql_query("SET statement_timeout = '120s'").execute(&mut *db).await.unwrap();
    for sql in SEEDED {
        let rows = sql_query(*sql).bind::<SqlUuid, _>(chat).execute(&mut *db).await;
        assert!(rows.unwrap_or_else(|error| panic!("{sql}: {error}")) > 0, "{sql}");
    }
    sql_query(ANALYZED).execute(&mut *db).await.unwrap();
    let seeded = Seeded {
        idea: first(&mut db, "SELECT idea_id AS id FROM idea_votes LIMIT 1").await,
        tag: first(&mut db, "SELECT tag_id AS id FROM idea_tag_links LIMIT 1").await,
        person: first(&mut db, "SELECT author_id AS id FROM ideas LIMIT 1").await,
        reader: reader.user_id,
        rare,
    };
    for list in ideas(&seeded).iter().chain(&others(&seeded)) {
        let (all, text) = sent(&statements, &reader, list).await;
        assert_bounded(&mut db, list, &all, &text).await;
    }
    // A common word finds the newest thousand.
    let listed = reader.get(&format!("{IDEAS}?search=common%20wor&limit=1")).await.data().clone();
    assert_eq!(listed["total"], 1000);
    id_of(&listed["items"][0]);
    drop(db);
    app.stop().await;
}
