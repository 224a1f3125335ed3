//! Requests with one key at the same time, in two processes over the same databases.

use futures::future::join_all;
use lumio_tests::{
    Answer, Caller, Person, TestApp, eventually, is_slow,
    world::{connect, count, published},
};
use platforms_stand_in::Platform;
use serde_json::{Value, json};

use super::{NOT_REPEATABLE, RUNNING, is_conflict, is_executed, is_repetition, is_replay, post_with_key};

/// Requests at the same time in each process.
const CONCURRENT: usize = 4;
/// Requests with one key in all, at the same time.
const HUNDRED: usize = 100;

/// An operation whose effects can be counted.
struct Counted {
    path: &'static str,
    /// Input with a mark of its own.
    input: fn(&str) -> Value,
    is_secret: bool,
}

const COMMAND: Counted = Counted {
    path: "/v1/bot-commands",
    input: |mark| json!({ "name": mark, "response": "example.com" }),
    is_secret: false,
};
const KEY: Counted = Counted {
    path: "/v1/api-keys",
    input: |mark| json!({ "label": mark, "permissions": ["chat:read"] }),
    is_secret: true,
};
const MESSAGE: Counted = Counted {
    path: "/v1/chat/send",
    input: |mark| json!({ "platform": "twitch", "message": mark }),
    is_secret: false,
};
const EVENT: Counted = Counted {
    path: "/v1/events",
    input: |mark| json!({ "event_type": "custom:mark", "data": { "mark": mark }, "is_test": false }),
    is_secret: false,
};

impl Counted {
    /// Number of effects with a mark.
    async fn effects(&self, app: &TestApp, owner: &Person, mark: &str) -> usize {
        let rows = async |condition: String| usize::try_from(count(app, &condition).await).expect("a count");
        match self.path {
            "/v1/bot-commands" => rows(format!("bot_commands WHERE name = '{mark}'")).await,
            "/v1/api-keys" => rows(format!("user_api_keys WHERE label = '{mark}'")).await,
            "/v1/chat/send" => {
                let sent = app.platforms.sent_messages(Platform::Twitch).into_iter();
                sent.filter(|message| message.text == mark).count()
            }
            _ => {
                let events = published(app, &format!("events:{}", owner.account_id)).await.into_iter();
                events.filter(|event| event.to_string().contains(&format!("\"{mark}\""))).count()
            }
        }
    }

    /// Sends the same request a number of times to each caller, all at once.
    async fn send(&self, callers: &[Caller], times: usize, mark: &str) -> Vec<Answer> {
        let input = (self.input)(mark);
        let each = callers.iter().flat_map(|caller| (0..times).map(move |_| caller));
        join_all(each.map(|caller| post_with_key(caller, self.path, mark, &input))).await
    }

    /// Checks that one answer is that of the execution, and every other one is its repetition or a refusal to wait.
    fn check(&self, mark: &str, answers: &[Answer]) {
        let is_known = |answer: &Answer| is_replay(answer) || answer.status == 409;
        let (others, executed): (Vec<&Answer>, Vec<&Answer>) =
            answers.iter().partition(|answer| is_known(answer));
        assert_eq!(executed.len(), 1, "{mark}: {answers:?}");
        assert!((200..300).contains(&executed[0].status), "{}", executed[0].text);
        for other in others {
            match other.error().1.as_str() {
                RUNNING => assert_eq!((other.status, other.header("retry-after")), (409, "1")),
                NOT_REPEATABLE if self.is_secret => {}
                _ => is_repetition(executed[0], other),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_with_one_key_at_the_same_time_have_one_effect() {
    let keys = if is_slow() { 100 } else { 15 };
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let (mut second, address) = app.second_process().await;
    let owner = app.owner().await;
    app.override_every_feature(owner.account_id, true).await;
    connect(&app, owner.account_id, Platform::Twitch, "streamer").await;
    let callers = [owner.caller.clone(), owner.at(&address)];
    for counted in [COMMAND, KEY, MESSAGE, EVENT] {
        for number in 0..keys {
            let mark = format!("mark{number}");
            counted.check(&mark, &counted.send(&callers, CONCURRENT, &mark).await);
            assert_eq!(counted.effects(&app, &owner, &mark).await, 1, "{} {mark}", counted.path);
            let later = counted.send(&callers[1..], 1, &mark).await.remove(0);
            if counted.is_secret {
                is_conflict(&later, NOT_REPEATABLE);
            } else {
                assert!(is_replay(&later), "{}", later.text);
            }
            // Accounts have a bounded number of them.
            clear(&app).await;
        }
    }
    let mark = "hundred";
    COMMAND.check(mark, &COMMAND.send(&callers, HUNDRED / callers.len(), mark).await);
    assert_eq!(COMMAND.effects(&app, &owner, mark).await, 1);
    let shares = app.databases.postgres.shares();
    assert!(shares.request_peak <= 3, "{shares:?}");
    second.kill();
    app.stop().await;
}

async fn clear(app: &TestApp) {
    use diesel_async::RunQueryDsl;
    let mut db = app.databases.postgres.get().await.unwrap();
    for table in ["bot_commands", "user_api_keys"] {
        diesel::sql_query(format!("DELETE FROM {table}")).execute(&mut *db).await.unwrap();
    }
}

#[tokio::test]
async fn processes_learn_of_a_right_that_was_given_with_a_key() {
    let app = TestApp::start().await;
    let (mut second, address) = app.second_process().await;
    let (staff, member) = (app.system_admin().await, app.owner().await);
    let rights = async |caller: &Caller| caller.get("/v1/users/me").await.data()["user_permissions"].clone();
    let elsewhere = member.at(&address);
    let before = rights(&member).await;
    assert_eq!(rights(&elsewhere).await, before);
    let role = staff.post("/v1/user-roles", json!({ "name": "Fan", "permissions": ["ideas:read"] })).await;
    let path = format!("/v1/users/{}/roles", member.user_id);
    let given = post_with_key(&staff, &path, "k", &json!({ "role_id": role.data()["id"] })).await;
    is_executed(&given, 201);
    assert_eq!(rights(&member).await, json!(["ideas:read"]));
    eventually("the other process knows", async || rights(&elsewhere).await == json!(["ideas:read"])).await;
    second.kill();
    app.stop().await;
}
