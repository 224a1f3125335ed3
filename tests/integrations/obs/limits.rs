//! Bounds of the tests of connections (reference/obs.md#test).

use live_model::obs::{ObsExchange, ObsReply};
use lumio_tests::{both_refused, eventually};
use platforms_stand_in::obs::ObsStandIn;
use serde_json::json;

use super::{TEST_RESULT, builder, connect, gql, owner, rest};

const MAX_WAITING_TESTS: usize = 500;

#[tokio::test]
async fn test_obs_connection_refuses_more_than_five_hundred_waiting_tests() {
    let obs = ObsStandIn::start(None).await;
    let app = builder(&obs).start().await;
    let owner = owner(&app).await;
    connect(&owner, &obs, None).await;
    let list = app.state.redis.key("obs:tests");
    let mut connection = app.state.redis.get().await.unwrap();
    let others = ["{}"; MAX_WAITING_TESTS];
    redis::cmd("RPUSH").arg(&list).arg(&others[..]).query_async::<()>(&mut *connection).await.unwrap();
    let (first, second) = (rest(&owner, "test").await, gql(&owner, "testObsConnection", TEST_RESULT).await);
    let message = "Too many tests of connections are waiting";
    both_refused(&first, &second, 429, "RATE_LIMIT_EXCEEDED", message);

    redis::cmd("LPOP").arg(&list).query_async::<()>(&mut *connection).await.unwrap();
    let (answer, ()) = tokio::join!(rest(&owner, "test"), async {
        eventually("it waits in the place of another one", async || {
            let waiting: usize = redis::cmd("LLEN").arg(&list).query_async(&mut *connection).await.unwrap();
            waiting == MAX_WAITING_TESTS
        })
        .await;
        redis::cmd("LTRIM").arg(&list).arg(-1).arg(-1).query_async::<()>(&mut *connection).await.unwrap();
        let exchange = ObsExchange::new(app.state.redis.clone());
        let call = exchange.take_test().await.unwrap().expect("a test waits");
        exchange.answer(call.id, &ObsReply::Done).await.unwrap();
    });
    let done = json!({ "success": true, "error": null, "relayed": false });
    assert_eq!(*answer.expect(200), done);
    drop(connection);
    app.stop().await;
}
