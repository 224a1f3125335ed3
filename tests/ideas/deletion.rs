//! People who are deleted (reference/ideas.md#deleted-people).

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::RunQueryDsl;
use lumio_tests::{TestApp, eventually, world};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    IDEAS, category, comment_path, commented, create, execute, id_of, input, mention, of_idea, path, shown,
};

#[derive(QueryableByName)]
struct Table {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Tables of the board, and those of people and their notifications, that contain a text.
async fn naming(app: &TestApp, text: &str) -> Vec<String> {
    const TABLES: &str = "SELECT relname::text AS name FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
            AND (relname LIKE 'idea%' OR relname IN ('users', 'notifications')) ORDER BY 1";
    let tables: Vec<Table> =
        sql_query(TABLES).load(&mut *app.databases.postgres.get().await.unwrap()).await.unwrap();
    let mut found = Vec::new();
    for Table { name } in tables {
        if world::count(app, &format!("{name} AS t WHERE t::text ILIKE '%{text}%'")).await > 0 {
            found.push(name);
        }
    }
    found
}

fn counts(shown: &Value) -> (i64, i64, i64) {
    let number = |name: &str| shown[name].as_i64().expect("a number");
    (number("vote_count_up"), number("vote_count_down"), number("comment_count"))
}

#[tokio::test]
async fn admin_delete_user_leaves_nothing_of_the_person_on_the_board() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["users:read", "users:delete"]).await;
    let (person, other, chat) = (app.owner().await, app.owner().await, category(&app, "chat").await);
    let renamed =
        "UPDATE users SET display_name = 'Planted Person', username = 'planted-person' WHERE id = $1";
    assert_eq!(execute(&app, renamed, person.user_id).await, 1);
    let named = mention(&person).replace("@someone", "@Planted <b>Person</b>");
    let mut new = input("Dark colors", chat);
    new["description"] = json!(format!("<p>With {named} we talked.</p>"));
    let kept = id_of(&other.post(IDEAS, new).await.expect(201)["data"]);
    let gone = id_of(&create(&person, "The planted idea", chat).await);
    let own = commented(&person, kept, "By the planted person", None).await;
    commented(&other, kept, "A reply to the planted", Some(own)).await;
    let stays = commented(&other, kept, &format!("As {named} wrote"), None).await;
    commented(&person, kept, "A planted reply", Some(stays)).await;
    commented(&other, gone, &format!("On it {}", mention(&other)), None).await;
    for caller in [&person, &other] {
        for id in [kept, gone] {
            caller.put(&of_idea(id, "vote"), json!({ "vote_type": "up" })).await.data();
        }
        let at = format!("{}/vote", comment_path(stays));
        caller.put(&at, json!({ "vote_type": "down" })).await.data();
    }
    let tag = id_of(person.post("/v1/ideas/tags", json!({ "name": "dark" })).await.data());
    other.patch(&path(kept), json!({ "tag_ids": [tag] })).await.data();
    assert_eq!(counts(&shown(&app, kept).await), (2, 0, 4));
    assert!(naming(&app, "planted").await.len() >= 4);

    admin.delete(&format!("/v1/admin/users/{}", person.user_id)).await.expect(204);
    assert_eq!(naming(&app, "planted").await, Vec::<String>::new());
    assert_eq!(world::count(&app, "audit_log AS t WHERE t::text ILIKE '%planted%'").await, 0);
    assert_eq!(naming(&app, &person.user_id.to_string()).await, Vec::<String>::new());
    let after = shown(&app, kept).await;
    assert_eq!(counts(&after), (1, 0, 1));
    assert_eq!(after["description"], "<p>With [deleted user] we talked.</p>");
    assert_eq!(after["tags"][0]["created_by"], Value::Null);
    app.anonymous().get(&path(gone)).await.refused("NOT_FOUND", "Idea not found");
    let comments = app.anonymous().get(&of_idea(kept, "comments")).await.data().clone();
    let comment = &comments[0];
    assert_eq!((&comment["id"], &comment["replies"]), (&json!(stays), &json!([])));
    assert_eq!(
        (&comment["body"], &comment["vote_count_down"]),
        (&json!("As [deleted user] wrote"), &json!(1))
    );
    let total = app.anonymous().get(IDEAS).await.data()["total"].clone();
    assert_eq!(total, 1);
    let foreign: Vec<Uuid> = comments.as_array().unwrap().iter().map(id_of).collect();
    assert_eq!(foreign, [stays]);
    app.stop().await;
}

#[tokio::test]
async fn admin_delete_user_deadlocks_with_no_change_of_an_idea() {
    let app = TestApp::start().await;
    let admin = app.admin_with(&["users:read", "users:delete"]).await;
    let (author, chat) = (app.owner().await, category(&app, "chat").await);
    let idea = id_of(&create(&author, "Dark colors", chat).await);
    let waiting = async |number: i64| {
        let locks = "pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        eventually("statements wait for locks", async || world::count(&app, locks).await == number).await;
    };
    for (status, votes_meanwhile) in [("planned", false), ("open", true)] {
        let voter = app.owner().await;
        create(&voter, "Own colors", chat).await;
        voter.put(&of_idea(idea, "vote"), json!({ "vote_type": "up" })).await.data();
        let mut other = app.databases.postgres.get().await.unwrap();
        for sql in ["BEGIN".to_owned(), format!("SELECT FROM ideas WHERE id = '{idea}' FOR NO KEY UPDATE")] {
            sql_query(sql).execute(&mut *other).await.unwrap();
        }
        let vote = async {
            if votes_meanwhile {
                voter.put(&of_idea(idea, "vote"), json!({ "vote_type": "down" })).await.expect(200);
            }
        };
        let removal = async {
            waiting(i64::from(votes_meanwhile)).await;
            admin.delete(&format!("/v1/admin/users/{}", voter.user_id)).await.expect(204);
        };
        let change = async {
            waiting(1 + i64::from(votes_meanwhile)).await;
            // The number of open ideas changes, which the deletion changes too.
            let moved = format!("UPDATE ideas SET status = '{status}' WHERE id = '{idea}'");
            for sql in [moved.as_str(), "COMMIT"] {
                sql_query(sql).execute(&mut *other).await.unwrap();
            }
        };
        tokio::join!(vote, removal, change);
        drop(other);
        assert_eq!(counts(&shown(&app, idea).await), (0, 0, 0));
    }
    app.stop().await;
}
