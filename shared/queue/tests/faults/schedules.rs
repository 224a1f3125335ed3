//! Jobs that are added by a schedule.

use std::collections::BTreeMap;

use queue::{CronJob, Error};

use crate::{
    child::ChildProcess,
    journal::Journal,
    work::{Does, Settings, TestQueue, Work, eventually},
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schedules_of_three_processes_add_one_job_a_tick() {
    let test = TestQueue::new(Settings::default());
    let ticks = Journal::new();
    let worker = test.worker();
    let processes: Vec<_> = (0..3).map(|_| ChildProcess::cron(&test, &ticks)).collect();
    let seen_by_all = || ticks.read().values().filter(|seen| seen.attempts.len() == 3).count();
    eventually("all three processes tick", async || seen_by_all() >= 3).await;
    for process in processes {
        process.terminate().await;
    }
    test.drained().await;

    let starts = |journal: &Journal| -> BTreeMap<u64, usize> {
        journal.read().into_iter().map(|(tick, record)| (tick, record.attempts.len())).collect()
    };
    let (seen, run) = (starts(&ticks), starts(&test.journal));
    assert_eq!(run.keys().collect::<Vec<_>>(), seen.keys().collect::<Vec<_>>(), "every tick has its job");
    assert!(run.values().all(|starts| *starts == 1), "{run:?}");
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn schedules_that_are_invalid_are_refused() {
    let test = TestQueue::new(Settings::default());
    let payload = |_| Work { job: 0, does: Does::Fail };
    let refused = CronJob::new("nightly", "at noon", test.producer.clone(), payload).unwrap_err();
    assert!(matches!(&refused, Error::Invalid { field: "schedule", .. }), "{refused}");
    let refused = CronJob::new("", "0 0 4 * * *", test.producer.clone(), payload).unwrap_err();
    assert!(matches!(&refused, Error::Invalid { field: "cron name", .. }), "{refused}");
}
