//! Order by trend (reference/ideas.md#trending).

use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use lumio_tests::TestApp;
use uuid::Uuid;

use super::{IDEAS, category, execute, id_of};

/// Ideas of random ages and scores: few with high ones, many around 0, some below, and some of equal age.
const SEEDED: &str = "WITH author AS (SELECT id FROM users LIMIT 1),
    made AS (INSERT INTO ideas (id, author_id, category_id, status, vote_count_up, vote_count_down, created_at)
        SELECT gen_random_uuid(), author.id, $1, (ARRAY['open', 'done', 'planned'])[1 + n % 3],
            (random() * power(random(), 5) * 3000)::integer, (random() * power(random(), 2) * 40)::integer,
            date_trunc('milliseconds', now() - power(random(), 3) * interval '300 days')
                - CASE WHEN n % 50 = 0 THEN interval '0' ELSE n * interval '1 second' END
        FROM author, generate_series(1, {number}) AS n RETURNING id)
    INSERT INTO idea_texts (idea_id, title, description) SELECT id, 'Idea of a test', 'Description' FROM made";
/// The order itself, over every row.
const PLAIN: &str = "SELECT id FROM ideas WHERE category_id = $1
    ORDER BY score / power(greatest(extract(epoch FROM $2 - created_at)::double precision, 0) / 3600 + 2, 1.5) DESC,
        created_at DESC, id DESC LIMIT $3 OFFSET $4";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

#[tokio::test]
async fn trending_order_is_that_of_the_formula_over_all_ideas() {
    let app = TestApp::start().await;
    app.owner().await;
    let (chat, other) = (category(&app, "chat").await, category(&app, "other").await);
    for (seeded, number) in [(chat, 450), (other, 3000)] {
        let sql = SEEDED.replace("{number}", &number.to_string());
        assert_eq!(execute(&app, &sql, seeded).await, number);
    }
    // The order depends on the time: both sides take the same.
    let anonymous = app.anonymous();
    for (category, total, limit, offset) in [
        (chat, 450, 1, 0),
        (chat, 450, 7, 93),
        (chat, 450, 100, 300),
        (chat, 450, 100, 400),
        (chat, 450, 20, 450),
        (other, 3000, 20, 0),
        (other, 3000, 100, 0),
        (other, 3000, 100, 400),
    ] {
        let path = format!("{IDEAS}?sort=trending&category_id={category}&limit={limit}&offset={offset}");
        let mut differs = None;
        // A request that takes longer than a second may see another order than the clock beside it.
        for _ in 0..5 {
            let now = app.clock.now();
            let listed = anonymous.get(&path).await.data().clone();
            assert_eq!(listed["total"], total);
            let listed: Vec<Uuid> = listed["items"].as_array().unwrap().iter().map(id_of).collect();
            let expected: Vec<Row> = sql_query(PLAIN)
                .bind::<SqlUuid, _>(category)
                .bind::<Timestamptz, _>(now)
                .bind::<BigInt, _>(limit)
                .bind::<BigInt, _>(offset)
                .load(&mut *app.databases.postgres.get().await.unwrap())
                .await
                .unwrap();
            let expected: Vec<Uuid> = expected.into_iter().map(|row| row.id).collect();
            differs = (listed != expected).then_some((listed, expected));
            if differs.is_none() {
                break;
            }
        }
        assert_eq!(differs, None, "limit {limit}, offset {offset} of {total}");
    }
    app.stop().await;
}
