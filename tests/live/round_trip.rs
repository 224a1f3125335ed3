//! Calls that go to Redis together.

use lumio_tests::TestApp;
use redis::{Script, cmd};
use shared::{id, redis::RoundTrip};

#[tokio::test]
async fn every_call_has_its_own_answer_also_when_the_server_does_not_know_a_script() {
    let app = TestApp::start().await;
    let redis = app.state.redis.clone();
    // No server has seen this text.
    let unknown = format!("redis.call('SET', KEYS[1], ARGV[1]) return {{1, ARGV[2]}} -- {}", id::new());
    let script: &'static Script = Box::leak(Box::new(Script::new(&unknown)));
    let key = redis.key("test:round_trip");
    for _ in 0..2 {
        let mut trip = RoundTrip::default();
        let before = trip.command::<Option<String>>(cmd("GET").arg(&key).take());
        let scripted = trip.script::<(u8, String)>(script, |call| {
            call.key(&key).arg("stored").arg("told");
        });
        let after = trip.command::<String>(cmd("GET").arg(&key).take());
        let mut answers = trip.send(&redis).await.unwrap();
        assert_eq!(answers.take(after).unwrap(), "stored");
        assert_eq!(answers.take(scripted).unwrap(), (1, "told".to_owned()));
        assert!(answers.take(before).unwrap().is_none_or(|text| text == "stored"));
    }
    app.stop().await;
}

#[tokio::test]
async fn a_call_that_fails_fails_the_round_trip() {
    let app = TestApp::start().await;
    let redis = app.state.redis.clone();
    let mut trip = RoundTrip::default();
    let _pong = trip.command::<String>(cmd("PING"));
    let _wrong = trip.command::<u64>(cmd("NO-SUCH-COMMAND"));
    let failed = trip.send(&redis).await;
    assert!(failed.is_err(), "{failed:?}");
    // Nobody is asked for nothing, and the connection serves on.
    RoundTrip::default().send(&redis).await.unwrap();
    redis.ping().await.unwrap();
    app.stop().await;
}
