//! `kill -9` of a process between the effect of an operation and its answer, for every operation with a key.

use api_core::access::Idempotency;
use diesel::{QueryableByName, sql_query, sql_types::BigInt};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use lumio_tests::{Answer, TestApp, eventually, is_slow};

use super::{
    Post, RUNNING, SHARES, UNKNOWN, is_replay, is_right_repetition, is_success, posts_of,
    requests::{self, Keyed, Place},
    says,
    stage::Stage,
    world::World,
};
use crate::foreign_inputs::scene::Scene;

const _: () = assert!(SHARES == 4, "there is a test for each share");
/// One operation of so many is tried, unless tests may take their full time.
const SAMPLED: usize = 8;

#[tokio::test]
async fn kills_between_effect_and_answer_leave_one_effect_in_the_first_share() {
    kill_in_share(0).await;
}

#[tokio::test]
async fn kills_between_effect_and_answer_leave_one_effect_in_the_second_share() {
    kill_in_share(1).await;
}

#[tokio::test]
async fn kills_between_effect_and_answer_leave_one_effect_in_the_third_share() {
    kill_in_share(2).await;
}

#[tokio::test]
async fn kills_between_effect_and_answer_leave_one_effect_in_the_fourth_share() {
    kill_in_share(3).await;
}

/// Lets every statement that stores an answer wait for an advisory lock. The effect has happened before.
const WAIT_BEFORE_THE_ANSWER: &str = "
    CREATE FUNCTION wait_before_the_answer() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock_shared(73); RETURN NEW; END $$;
    CREATE TRIGGER wait_before_the_answer BEFORE INSERT OR UPDATE OF status ON idempotent_requests
        FOR EACH ROW WHEN (NEW.status IS NOT NULL) EXECUTE FUNCTION wait_before_the_answer();";

/// Those that wait for it. Advisory locks are those of a database.
const WAITING: &str =
    "FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND classid = 0 AND objid = 73
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";

/// Makes claims that have no answer older than any request may run.
const AGE_CLAIMS: &str =
    "UPDATE idempotent_requests SET started_at = started_at - interval '1 hour' WHERE status IS NULL";

/// Gate before the stored answers. While it is closed, no request ends.
struct Gate(AsyncPgConnection);

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl Gate {
    async fn set(app: &TestApp) -> Self {
        let mut db = AsyncPgConnection::establish(&app.database.url).await.expect("a connection");
        db.batch_execute(WAIT_BEFORE_THE_ANSWER).await.expect("the trigger");
        Self(db)
    }

    async fn close(&mut self) {
        self.0.batch_execute("SELECT pg_advisory_lock(73)").await.expect("the lock");
    }

    async fn open(&mut self) {
        self.0.batch_execute("SELECT pg_advisory_unlock(73)").await.expect("the end of the lock");
    }

    async fn count(&mut self, counted: &str) -> i64 {
        let sql = format!("SELECT count({counted}) AS count {WAITING}");
        sql_query(sql).get_result::<Counted>(&mut self.0).await.expect("the locks").count
    }

    async fn is_reached(&mut self) {
        eventually("the effect has happened", async || self.count("*").await == 1).await;
    }

    /// Ends the connections of a process that was killed: the server would first complete their statements.
    async fn end_connections(&mut self) {
        self.count("pg_terminate_backend(pid)").await;
        eventually("they have ended", async || self.count("*").await == 0).await;
    }
}

/// True when the platform refuses a second effect because the first one holds: a paused player cannot be paused.
fn is_settled(executed: &Answer) -> bool {
    executed.status == 400 && executed.text.contains("Restriction violated")
}

/// An operation in its scene, and a gate before its answer.
struct Trial<'a> {
    app: &'a TestApp,
    stage: Stage<'a>,
    post: &'a Post,
}

async fn kill_in_share(share: usize) {
    let app = TestApp::builder().with("LUMIO_HTTP_THREADS", 2).start().await;
    let (scene, staff) = (Scene::set(&app).await, app.system_admin().await);
    let mut gate = Gate::set(&app).await;
    let sampled = if is_slow() { 1 } else { SAMPLED };
    let mut surprises = Vec::new();
    for post in posts_of(share).filter(|post| !post.is_refused()).step_by(sampled) {
        // Sessions are shorter than the walk may be.
        let staff = app.session(staff.user_id, staff.account_id).await;
        let stage = Stage::set(scene.renewed().await, &staff, post.name()).await;
        let trial = Trial { app: &app, stage, post: &post };
        if let Err(surprise) = trial.run(&mut gate).await {
            surprises.push(format!("{}: {surprise}", post.name()));
        }
    }
    assert!(surprises.is_empty(), "{} surprises: {surprises:#?}", surprises.len());
    drop(scene);
    app.stop().await;
}

impl Trial<'_> {
    async fn run(&self, gate: &mut Gate) -> Result<(), String> {
        let (mut process, address) = self.app.second_process().await;
        let before = self.world().await;
        gate.close().await;
        let request = requests::rest(&self.stage, self.post, Some(Keyed::first("killed").to(Some(&address))));
        let early = tokio::select! {
            answer = request => Some(answer),
            () = gate.is_reached() => None,
        };
        process.kill();
        gate.end_connections().await;
        gate.open().await;
        if let Some(early) = early {
            return Err(format!("it ends before its answer is stored: {} {}", early.status, early.text));
        }
        match self.post.rule.idempotency {
            Some(Idempotency::Transaction) => self.check_nothing_happened(&before).await,
            Some(protocol) => self.check_claim(protocol.is_repeatable()).await,
            None => Err("it has no protocol".to_owned()),
        }
    }

    /// The effect was not committed: the retry executes.
    async fn check_nothing_happened(&self, before: &World) -> Result<(), String> {
        let differences = before.differences(&self.world().await);
        if !differences.is_empty() {
            return Err(format!("it leaves an effect without an answer on {differences:?}"));
        }
        self.check_execution().await
    }

    /// The effect has happened: it is completed, or its outcome stays unknown.
    async fn check_claim(&self, is_repeatable: bool) -> Result<(), String> {
        let running = self.retry().await;
        if !says(&running, RUNNING) {
            return Err(format!("its claim does not hold: {} {}", running.status, running.text));
        }
        let mut db = self.app.databases.postgres.get().await.expect("a connection");
        sql_query(AGE_CLAIMS).execute(&mut *db).await.expect("the claim is aged");
        drop(db);
        if is_repeatable {
            return self.check_execution().await;
        }
        let before = self.world().await;
        for _ in 0..2 {
            let lost = self.retry().await;
            if !says(&lost, UNKNOWN) {
                return Err(format!("its outcome is not unknown: {} {}", lost.status, lost.text));
            }
        }
        let differences = before.differences(&self.world().await);
        if differences.is_empty() { Ok(()) } else { Err(format!("a second effect on {differences:?}")) }
    }

    /// The retry executes, and its answer is repeated without an effect.
    async fn check_execution(&self) -> Result<(), String> {
        let executed = self.retry().await;
        if is_settled(&executed) && !is_replay(&executed) {
            return Ok(());
        }
        if !is_success(&executed) || is_replay(&executed) {
            return Err(format!("the retry does not execute: {} {}", executed.status, executed.text));
        }
        let before = self.world().await;
        let repeated = self.retry().await;
        if !is_right_repetition(self.post, &executed, &repeated) {
            return Err(format!("it is not repeated: {} {}", repeated.status, repeated.text));
        }
        let differences = before.differences(&self.world().await);
        if differences.is_empty() { Ok(()) } else { Err(format!("a second effect on {differences:?}")) }
    }

    async fn retry(&self) -> Answer {
        let keyed = Keyed { place: Place::Repeated, ..Keyed::first("killed") };
        requests::rest(&self.stage, self.post, Some(keyed)).await
    }

    async fn world(&self) -> World {
        World::of(self.app, self.stage.owner()).await
    }
}
