//! Failing jobs: attempts, delays between them, dead letters.

use std::time::{Duration, Instant};

use queue::{EnqueueOptions, Error};

use crate::work::{Does, Settings, TestQueue, Work, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_of_a_failing_job_repeat_after_a_requeue() {
    let test = TestQueue::new(Settings { max_attempts: 3, ..Settings::default() });
    let worker = test.worker();
    test.add(0..5, Does::Fail).await;
    test.drained().await;
    for job in 0..5 {
        assert_eq!(test.journal.record(job).attempts, [1, 2, 3]);
    }

    let letters = test.queue.dead_letters(100).await.unwrap();
    assert_eq!(letters.len(), 5);
    for letter in &letters {
        let job = letter.job.as_ref().unwrap();
        assert_eq!((letter.error.as_str(), job.attempts, job.max_attempts), ("asked to fail", 3, 3));
        assert!(job.enqueued_at <= letter.died_at, "{letter:?}");
        assert!(serde_json::from_str::<Work>(&job.payload).unwrap().job < 5);
    }
    assert!(letters.is_sorted_by_key(|letter| std::cmp::Reverse(letter.died_at)), "newest first");
    assert_eq!(test.queue.dead_letters(2).await.unwrap(), letters[..2]);

    for letter in &letters {
        let requeue = || test.queue.requeue(&letter.entry);
        let (one, other) = tokio::join!(requeue(), requeue());
        assert!(one.unwrap() != other.unwrap(), "of two at a time, one requeues it");
        assert!(!requeue().await.unwrap(), "requeued twice");
    }
    test.drained().await;
    for job in 0..5 {
        assert_eq!(test.journal.record(job).attempts, [1, 2, 3, 1, 2, 3]);
    }
    assert_eq!(test.queue.stats().await.unwrap().dead, 5);
    assert_eq!((test.metrics.count("Retried"), test.metrics.count("Buried")), (20, 10));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_can_be_set_for_one_job() {
    let test = TestQueue::new(Settings { max_attempts: 5, ..Settings::default() });
    let worker = test.worker();
    let (work, once) = (Work { job: 1, does: Does::Fail }, EnqueueOptions::new().max_attempts(1));
    assert!(test.producer.enqueue(&work, once).await.unwrap());
    test.drained().await;
    assert_eq!(test.journal.record(1).attempts, [1]);
    assert_eq!(test.dead_errors().await, ["asked to fail"]);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_end_when_a_handler_aborts() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    test.add([1], Does::Abort).await;
    test.drained().await;
    assert_eq!(test.journal.record(1).attempts, [1]);
    assert_eq!(test.dead_errors().await, ["asked to abort"]);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_are_delayed_as_the_handler_requests() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    // Far longer than the backoff of the tests.
    test.add([1], Does::AskForDelay { ms: 700 }).await;
    eventually("the first attempt is over", async || test.stats().await.delayed == 1).await;
    let failed = Instant::now();
    test.drained().await;
    assert!(failed.elapsed() > Duration::from_millis(500), "{:?}", failed.elapsed());
    assert_eq!((test.journal.record(1).attempts, test.journal.done()), (vec![1, 2], 1));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_beyond_the_timeout_are_stopped_before_the_next() {
    let test = TestQueue::new(Settings { timeout_ms: 200, max_attempts: 2, ..Settings::default() });
    let worker = test.worker();
    test.add(0..3, Does::Sleep { ms: 3_000 }).await;
    test.drained().await;
    // A handler that continued would have had its effect by now.
    tokio::time::sleep(Duration::from_millis(3_200)).await;
    for (job, record) in test.journal.read() {
        assert_eq!(
            (record.attempts.as_slice(), record.dropped, record.effects),
            ([1, 2].as_slice(), 2, 0),
            "{job}"
        );
    }
    assert_eq!(test.dead_errors().await, ["timed out after 200ms"; 3]);
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_cannot_be_requeued_by_an_invalid_entry() {
    let test = TestQueue::new(Settings::default());
    let invalid = test.connection.requeue("test", "first").await.unwrap_err();
    assert!(matches!(&invalid, Error::Invalid { field: "entry", .. }), "{invalid}");
    assert!(!test.connection.requeue("test", "1-1").await.unwrap());
    let invalid = test.connection.requeue("two words", "1-1").await.unwrap_err();
    assert!(matches!(&invalid, Error::Invalid { field: "queue", .. }), "{invalid}");
}
