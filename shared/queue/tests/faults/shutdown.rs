//! Shutdown of workers.

use crate::{
    child::ChildProcess,
    server::RedisServer,
    work::{Does, Settings, TestQueue, eventually},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_finishes_running_jobs_and_leaves_the_rest() {
    let test = TestQueue::new(Settings::default());
    test.add(0..60, Does::Sleep { ms: 300 }).await;
    let worker = ChildProcess::worker(&test, "first");
    eventually("it works", async || test.journal.done() >= 10 && test.journal.starts() > test.journal.done())
        .await;
    worker.terminate().await;

    let (started, done) = (test.journal.starts(), test.journal.done());
    assert_eq!(started, done, "every job it began is done");
    assert!(done < 60, "it stopped before the end");
    let stats = test.stats().await;
    assert_eq!((stats.running, stats.ready + stats.delayed), (0, 60 - done as u64));
    let mut consumers = redis::cmd("XINFO");
    consumers.arg("CONSUMERS").arg(test.key("s")).arg("workers");
    let consumers: Vec<redis::Value> = test.raw(&consumers).await.unwrap();
    assert_eq!((stats.workers, consumers), (0, vec![]), "it said goodbye");

    let second = test.worker();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done(), test.journal.repeated_effects()), (60, 60, 0));
    second.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_in_a_rolling_restart_runs_every_job_once() {
    let test = TestQueue::new(Settings::default());
    test.add(0..400, Does::Sleep { ms: 30 }).await;
    let mut worker = test.worker();
    for round in 1..=4 {
        eventually("jobs are done", async || test.journal.done() >= round * 60).await;
        let next = test.worker();
        std::mem::replace(&mut worker, next).stop().await;
    }
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done()), (400, 400));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_leaves_new_jobs_to_other_workers() {
    let test = TestQueue::new(Settings::default());
    let path = test.journal.path().with_extension("released");
    let stopping = test.worker();
    test.add([0], Does::AwaitFile { path: path.clone() }).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    let stopped = tokio::spawn(stopping.stop());
    let other = test.worker();
    for job in 1..20 {
        test.add([job], Does::Sleep { ms: 0 }).await;
        eventually("another worker does it", async || test.journal.done() as u64 == job).await;
    }
    assert!(!stopped.is_finished());
    std::fs::write(path, "").unwrap();
    stopped.await.unwrap();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done()), (20, 20));
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_puts_back_jobs_that_have_not_started() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    test.add([0], Does::Pause).await;
    eventually("it is paused", async || test.journal.done() == 1).await;
    test.add(1..6, Does::Sleep { ms: 0 }).await;
    eventually("it holds jobs", async || test.stats().await.running == 5).await;
    worker.stop().await;
    // At once, and not when their lease has run out.
    let stats = test.stats().await;
    assert_eq!((stats.ready, stats.running, stats.delayed), (5, 0, 0));
    assert_eq!((test.metrics.count("PutBack"), test.journal.starts()), (5, 1));
    let other = test.worker();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done()), (6, 6));
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_stops_handlers_beyond_the_drain_and_puts_back_their_jobs() {
    let test = TestQueue::new(Settings { drain_ms: Some(300), ..Settings::default() });
    let path = test.journal.path().with_extension("released");
    let stopping = test.worker();
    test.add(0..5, Does::AwaitFile { path: path.clone() }).await;
    test.add(5..8, Does::Sleep { ms: 100 }).await;
    eventually("the short ones are done", async || test.journal.done() == 3 && test.journal.starts() == 8)
        .await;
    stopping.stop().await;
    // At once, not when their lease has run out, and as if they had never begun.
    let stats = test.stats().await;
    assert_eq!((stats.ready, stats.running, stats.delayed, stats.dead), (5, 0, 0, 0));
    assert_eq!((test.metrics.count("PutBack"), test.metrics.count("Retried")), (5, 0));
    assert!((0..5).all(|job| test.journal.record(job).dropped == 1), "no handler goes on beside the next");
    std::fs::write(path, "").unwrap();
    let other = test.worker();
    test.drained().await;
    assert_eq!((test.journal.done(), test.journal.repeated_effects()), (8, 0));
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_while_redis_is_down_loses_no_job() {
    let mut server = RedisServer::start();
    let settings = Settings { settle_timeout_ms: 1_000, lease_ms: 2_000, ..Settings::default() };
    let test = TestQueue::on(&server.url(), settings);
    let (mut busy, mut idle) = (ChildProcess::worker(&test, "busy"), None);
    test.add(0..10, Does::Sleep { ms: 400 }).await;
    eventually("all run", async || test.journal.starts() == 10).await;
    let spare = idle.insert(ChildProcess::worker(&test, "idle"));
    eventually("both are there", async || test.stats().await.workers == 2).await;
    server.kill();
    eventually("all are done", async || test.journal.done() == 10).await;
    for worker in [&mut busy, spare] {
        worker.signal("TERM");
        assert!(worker.exit().await.success());
    }
    server.restart();
    // The workers could not report to Redis that the jobs are done, so they run again.
    let after = test.worker();
    test.drained().await;
    assert_eq!((test.journal.done(), test.journal.starts(), test.stats().await.dead), (10, 20, 0));
    after.stop().await;
}
