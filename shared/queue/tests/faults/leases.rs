//! Workers that die, hang or are slow while they hold jobs.

use std::time::Duration;

use crate::{
    child::ChildProcess,
    work::{Does, LocalWorker, Settings, TestQueue, eventually},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_of_killed_workers_lose_no_job() {
    const JOBS: usize = 500;
    const KILLS: usize = 10;
    let settings = Settings { lease_ms: 1_000, max_lost: 100, concurrency: 20, ..Settings::default() };
    let test = TestQueue::new(settings);
    test.add(0..JOBS as u64, Does::Sleep { ms: 60 }).await;
    for kill in 0..KILLS {
        let started = test.journal.starts();
        let worker = ChildProcess::worker(&test, "victim");
        // Each is killed in the middle of its work, however slow the machine.
        eventually("it works", async || test.journal.starts() >= started + 25).await;
        tokio::time::sleep(Duration::from_millis(kill as u64 * 7)).await;
        worker.kill();
    }
    assert!(test.journal.done() < JOBS, "the last kill came too late");
    let worker = ChildProcess::worker(&test, "survivor");
    test.drained().await;
    worker.terminate().await;

    let (starts, repeated) = (test.journal.starts(), test.journal.repeated_effects());
    assert_eq!((test.journal.done(), test.stats().await.dead), (JOBS, 0), "none lost, none buried");
    // A kill repeats at most the jobs that the worker held. Between an effect and its settlement lies a
    // moment, so an effect may occur twice; handlers must guard themselves.
    assert!(starts > JOBS && starts <= JOBS + KILLS * 20, "{starts} starts");
    assert!(repeated <= KILLS * 20, "{repeated} repeated effects");
    assert_eq!(test.stats().await.running, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_are_renewed_so_that_a_long_job_runs_once() {
    let test = TestQueue::new(Settings { lease_ms: 3_000, ..Settings::default() });
    let workers = [test.worker(), test.worker()];
    test.add([1], Does::Sleep { ms: 8_000 }).await;
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done()), (1, 1));
    assert_eq!((test.metrics.count("Reclaimed"), test.metrics.count("LeaseLost")), (0, 0));
    for worker in workers {
        worker.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_that_are_lost_do_not_fork_the_job() {
    let test = TestQueue::new(Settings { lease_ms: 1_000, ..Settings::default() });
    let slow = ChildProcess::worker(&test, "slow");
    test.add([1], Does::FailIn { worker: "slow".into(), ms: 1_000 }).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    slow.signal("STOP");
    let other = test.worker();
    eventually("another worker has it", async || test.journal.starts() == 2).await;
    // The first worker resumes, fails the job and reports it, perhaps while the other is still running it.
    slow.signal("CONT");
    test.drained().await;
    slow.terminate().await;
    test.drained().await;
    let record = test.journal.record(1);
    assert_eq!((record.attempts, record.effects), (vec![1, 1], 1));
    assert_eq!(test.stats().await.dead, 0);
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_of_a_frozen_worker_continue_if_the_job_was_not_taken() {
    let test = TestQueue::new(Settings { lease_ms: 1_000, max_lost: 1, ..Settings::default() });
    let frozen = ChildProcess::worker(&test, "frozen");
    let path = test.journal.path().with_extension("released");
    test.add([1], Does::AwaitFile { path: path.clone() }).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    for _ in 0..2 {
        frozen.signal("STOP");
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        frozen.signal("CONT");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let mut pending = redis::cmd("XPENDING");
    pending.arg(test.key("s")).arg("workers").arg("-").arg("+").arg(10);
    let pending: Vec<(String, String, u64, u32)> = test.raw(&pending).await.unwrap();
    assert_eq!(pending.iter().map(|row| row.3).collect::<Vec<_>>(), [1], "no delivery counts as lost");
    std::fs::write(path, "").unwrap();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.done(), test.stats().await.dead), (1, 1, 0));
    frozen.terminate().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_end_for_the_new_owner_on_a_late_success() {
    let test = TestQueue::new(Settings { lease_ms: 1_000, max_attempts: 2, ..Settings::default() });
    let slow = ChildProcess::worker(&test, "slow");
    test.add([1], Does::FailIn { worker: "local".into(), ms: 2_000 }).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    slow.signal("STOP");
    let other = test.worker();
    eventually("another worker has it", async || test.journal.starts() == 2).await;
    slow.signal("CONT");
    eventually("the first worker has done it", async || test.journal.done() == 1).await;
    test.drained().await;
    slow.terminate().await;
    other.stop().await;
    // The failure of the second worker followed the success, or preceded it and led to one more attempt; in
    // neither case does the job end as a dead letter.
    assert_eq!(test.stats().await.dead, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leases_of_a_dropped_worker_are_released_and_its_handlers_stopped() {
    let test = TestQueue::new(Settings { lease_ms: 1_000, ..Settings::default() });
    let short = Some(Duration::from_millis(200));
    let dropped = LocalWorker::run(&test.queue, &test.journal, short);
    test.add([1], Does::Sleep { ms: 5_000 }).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    dropped.stop().await;
    eventually("its handler is stopped", async || test.journal.record(1).dropped == 1).await;
    let other = test.worker();
    test.drained().await;
    assert_eq!((test.journal.starts(), test.journal.record(1).effects), (2, 1));
    other.stop().await;
}
