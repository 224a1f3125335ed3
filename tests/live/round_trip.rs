//! Commands that are sent to Redis together.

use foundation::redis::RoundTrip;
use lumio_tests::TestApp;
use redis::{Script, cmd};
use shared::id;

#[tokio::test]
async fn round_trip_returns_each_answer_also_for_scripts_unknown_to_the_server() {
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
async fn round_trip_fails_when_one_call_fails() {
    let app = TestApp::start().await;
    let redis = app.state.redis.clone();
    let mut trip = RoundTrip::default();
    let _pong = trip.command::<String>(cmd("PING"));
    let _wrong = trip.command::<u64>(cmd("NO-SUCH-COMMAND"));
    let failed = trip.send(&redis).await;
    assert!(failed.is_err(), "{failed:?}");
    // An empty trip sends nothing, and the connection stays usable.
    RoundTrip::default().send(&redis).await.unwrap();
    redis.ping().await.unwrap();
    app.stop().await;
}
