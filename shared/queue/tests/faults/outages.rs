//! Outages of Redis: killed, frozen, without its data, or not started yet.

use std::time::Duration;

use queue::{EnqueueOptions, Error, Producer};
use tokio::task::JoinHandle;

use crate::{
    server::{RedisServer, refuses},
    work::{Does, Settings, TestQueue, Work, eventually},
};

/// Adds jobs one by one, each with a key, and repeats until Redis replies. Returns the number of new jobs.
fn push_steadily(producer: Producer<Work>, jobs: u64, does: Does) -> JoinHandle<u64> {
    tokio::spawn(async move {
        let mut new = 0;
        for job in 0..jobs {
            let work = Work { job, does: does.clone() };
            let push =
                async || producer.enqueue(&work, EnqueueOptions::new().key(format!("job-{job}"))).await;
            let mut added = push().await;
            while added.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
                added = push().await;
            }
            new += u64::from(added.unwrap());
        }
        new
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_by_a_killed_redis_lose_no_job() {
    const JOBS: u64 = 2_000;
    let mut server = RedisServer::start();
    let test = TestQueue::on(&server.url(), Settings { lease_ms: 3_000, ..Settings::default() });
    let worker = test.worker();
    let pushing = push_steadily(test.producer.clone(), JOBS, Does::Sleep { ms: 2 });
    for kill in 1..=3 {
        eventually("jobs are done", async || test.journal.done() > kill * 300).await;
        server.kill();
        assert!(refuses(&server.url()));
        tokio::time::sleep(Duration::from_millis(kill as u64 * 250)).await;
        server.restart();
    }
    let new = pushing.await.unwrap();
    test.drained().await;
    assert!(worker.is_running());
    assert_eq!((test.journal.done() as u64, test.stats().await.dead), (JOBS, 0));
    // A push may have been repeated after its first reply was lost; it never makes a second job.
    assert!(new <= JOBS, "{new}");
    let starts = test.journal.starts() as u64;
    assert!(starts <= JOBS + 3 * 10, "{starts} starts: more than the worker held at each kill");
    assert!(test.metrics.count("RedisFailed") > 0);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_longer_than_the_lease_lose_no_job() {
    const JOBS: u64 = 300;
    let server = RedisServer::start();
    let test = TestQueue::on(&server.url(), Settings { lease_ms: 1_000, ..Settings::default() });
    let workers = [test.worker(), test.worker()];
    let pushing = push_steadily(test.producer.clone(), JOBS, Does::Sleep { ms: 20 });
    eventually("jobs are done", async || test.journal.done() > 50).await;
    server.freeze();
    tokio::time::sleep(Duration::from_secs(3)).await;
    server.thaw();
    pushing.await.unwrap();
    test.drained().await;
    assert_eq!((test.journal.done() as u64, test.stats().await.dead), (JOBS, 0));
    for worker in workers {
        assert!(worker.is_running());
        worker.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_delay_the_settlement_of_finished_jobs() {
    let mut server = RedisServer::start();
    let test = TestQueue::on(&server.url(), Settings::default());
    let worker = test.worker();
    test.add(0..10, Does::Sleep { ms: 300 }).await;
    eventually("all run", async || test.journal.starts() == 10).await;
    server.kill();
    eventually("all are done", async || test.journal.done() == 10).await;
    server.restart();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.repeated_effects()), (10, 0));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_longer_than_the_lease_do_not_repeat_running_jobs() {
    let mut server = RedisServer::start();
    let test = TestQueue::on(&server.url(), Settings { lease_ms: 3_000, ..Settings::default() });
    let path = test.journal.path().with_extension("released");
    let workers = [test.worker(), test.worker(), test.worker()];
    test.add(0..5, Does::AwaitFile { path: path.clone() }).await;
    eventually("all run", async || test.journal.starts() == 5).await;
    server.kill();
    tokio::time::sleep(Duration::from_secs(4)).await;
    server.restart();
    // Their leases expired meanwhile. All workers have checked for such jobs when this is over.
    tokio::time::sleep(Duration::from_secs(4)).await;
    std::fs::write(path, "").unwrap();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done()), (5, 5));
    for worker in workers {
        worker.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_at_the_start_of_a_worker_are_waited_out() {
    let mut server = RedisServer::stopped();
    let test = TestQueue::on(&server.url(), Settings::default());
    let worker = test.worker();
    let work = Work { job: 1, does: Does::Sleep { ms: 0 } };
    let error = test.producer.enqueue(&work, EnqueueOptions::new()).await.unwrap_err();
    assert!(matches!(error, Error::Redis(_)), "{error}");
    eventually("the worker has noticed", async || test.metrics.count("RedisFailed") > 1).await;
    assert!(worker.is_running());
    server.restart();
    eventually("a push succeeds", async || test.producer.enqueue(&work, EnqueueOptions::new()).await.is_ok())
        .await;
    test.drained().await;
    assert_eq!(test.journal.done(), 1);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn outages_with_loss_of_all_data_do_not_stop_a_worker() {
    let server = RedisServer::start();
    let test = TestQueue::on(&server.url(), Settings::default());
    let worker = test.worker();
    test.add([0], Does::Sleep { ms: 0 }).await;
    test.drained().await;
    // One job is in the middle of its run, and has no entry left to settle.
    test.add([1], Does::Sleep { ms: 500 }).await;
    eventually("it runs", async || test.journal.starts() == 2).await;
    test.raw::<()>(&redis::cmd("FLUSHALL")).await.unwrap();
    test.add(2..12, Does::Sleep { ms: 0 }).await;
    eventually("all are done", async || test.journal.done() == 12).await;
    test.drained().await;
    assert_eq!(test.journal.starts(), 12);
    assert!(worker.is_running());
    worker.stop().await;
}
