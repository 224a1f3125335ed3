//! Jobs that harm their worker, and entries that are no jobs.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use queue::{Connection, Error, Metric, MetricHook, StreamQueue};

use crate::{
    child::ChildProcess,
    work::{Does, LocalWorker, RELEASE, Settings, TestQueue, eventually},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_jobs_that_panic_are_retried_and_dead_lettered() {
    let test = TestQueue::new(Settings { max_attempts: 2, ..Settings::default() });
    let worker = test.worker();
    test.add(0..3, Does::Panic).await;
    test.add(3..6, Does::Sleep { ms: 0 }).await;
    test.drained().await;
    for job in 0..3 {
        assert_eq!(test.journal.record(job).attempts, [1, 2]);
    }
    assert_eq!(test.journal.done(), 3);
    assert_eq!(test.dead_errors().await, ["handler panicked: asked to panic"; 3]);
    assert!(worker.is_running());
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_entries_that_are_no_jobs_are_dead_lettered() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    let garbage: [&[&[u8]]; 6] = [
        &[b"j", b"not json"],
        &[b"j", b"\xff\xfe"],
        &[b"j", br#"{"id":"1","a":0,"m":1,"t":0}"#],
        &[b"j", br#"{"id":"1","a":0,"m":1,"t":0,"p":{"job":"no number","does":"Fail"}}"#],
        &[b"other", b"field"],
        &[b"many", b"1", b"\xff", b"2", b"j", b"[]"],
    ];
    for fields in garbage {
        let mut add = redis::cmd("XADD");
        add.arg(test.key("s")).arg("*").arg(fields);
        test.raw::<String>(&add).await.unwrap();
    }
    test.add([1], Does::Sleep { ms: 0 }).await;
    test.drained().await;
    assert_eq!(test.journal.done(), 1);
    let errors = test.dead_errors().await;
    assert_eq!(errors.len(), garbage.len());
    assert!(errors.iter().all(|error| error.starts_with("undecodable: ")), "{errors:?}");

    let letters = test.queue.dead_letters(100).await.unwrap();
    let unreadable = letters.iter().find(|letter| letter.stored == "other=field").unwrap();
    let refused = test.queue.requeue(&unreadable.entry).await.unwrap_err();
    assert!(matches!(&refused, Error::Unreadable { entry, .. } if *entry == unreadable.entry), "{refused}");
    // Its envelope is whole, so it may be requeued: a newer worker may understand the payload.
    let foreign = letters.iter().find(|letter| letter.stored.contains("no number")).unwrap();
    assert!(test.queue.requeue(&foreign.entry).await.unwrap());
    eventually("it is buried again", async || test.stats().await.dead == 6).await;
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_job_that_kills_its_process_is_dead_lettered_alone() {
    let settings = Settings { lease_ms: 500, max_lost: 3, concurrency: 10, ..Settings::default() };
    let test = TestQueue::new(settings);
    test.add(1..9, Does::Sleep { ms: 150 }).await;
    test.add([0], Does::KillProcess).await;

    let mut worker = ChildProcess::worker(&test, "victim");
    let mut deaths = 0;
    eventually("the deadly job is buried and the others are done", async || {
        if worker.has_exited() {
            deaths += 1;
            worker = ChildProcess::worker(&test, "victim");
        }
        test.stats().await.dead > 0 && test.journal.done() == 8
    })
    .await;
    test.drained().await;
    assert_eq!(test.dead_errors().await, ["lost by 4 workers"]);
    assert_eq!((deaths, test.journal.record(0).attempts.len()), (4, 4));
    worker.terminate().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poison_in_a_background_task_restarts_the_worker() {
    let test = TestQueue::new(Settings { lease_ms: 1_000, ..Settings::default() });
    let panics = AtomicUsize::new(2);
    let hook: MetricHook = Arc::new(move |_, metric| {
        if matches!(metric, Metric::Picked { .. }) {
            let left = panics.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            assert!(left.is_err(), "a bug in the hook");
        }
    });
    let connection = Connection::open(&test.url, &test.prefix).unwrap().with_metrics(hook);
    let queue = StreamQueue::new(&connection, test.settings.config()).unwrap();
    let worker = LocalWorker::start(&queue, &test.journal);
    test.add(0..20, Does::Sleep { ms: 0 }).await;
    test.drained().await;
    assert_eq!((test.journal.done(), test.stats().await.dead), (20, 0));
    assert!(worker.is_running());
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn poison_job_that_blocks_its_thread_is_dead_lettered_alone() {
    let settings = Settings { timeout_ms: 100, lease_ms: 1_500, max_lost: 1, ..Settings::default() };
    let test = TestQueue::new(settings);
    let workers = [test.worker(), test.worker(), test.worker()];
    let release = Release;
    test.add([0], Does::Block).await;
    eventually("it runs", async || test.journal.starts() == 1).await;
    test.add(1..200, Does::Sleep { ms: 0 }).await;
    eventually("the others are done", async || test.journal.done() == 199).await;
    eventually("it is buried", async || test.stats().await.dead == 1).await;
    assert_eq!(test.dead_errors().await, ["lost by 2 workers"]);
    assert_eq!((test.journal.record(0).attempts.len(), test.metrics.count("Stuck")), (2, 2));
    drop(release);
    for worker in workers {
        worker.stop().await;
    }
}

/// Without it, a failed test would wait for its blocked threads for ever.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        RELEASE.store(true, Ordering::SeqCst);
    }
}
