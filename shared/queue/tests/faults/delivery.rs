//! Adding jobs, and their distribution among workers.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use apalis::prelude::Data;
use queue::{Connection, EnqueueOptions, Error, Oldest, Producer};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::{
    server::{RedisServer, shared_url},
    work::{Does, Settings, TestQueue, Work, eventually},
};

const NOOP: Does = Does::Sleep { ms: 0 };

/// The workers that ran each job.
type Runs = Arc<Mutex<BTreeMap<u64, Vec<usize>>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_takes_one_of_many_pushes_with_one_key() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    let pushes = (0..10).map(|_| {
        let connection = Connection::open(&test.url, &test.prefix).unwrap();
        let producer = Producer::new(&connection, test.settings.config()).unwrap();
        tokio::spawn(async move {
            let mut added = 0;
            for _ in 0..5 {
                let work = Work { job: 7, does: NOOP };
                added +=
                    usize::from(producer.enqueue(&work, EnqueueOptions::new().key("same")).await.unwrap());
            }
            added
        })
    });
    let mut added = 0;
    for push in pushes.collect::<Vec<_>>() {
        added += push.await.unwrap();
    }
    test.drained().await;
    assert_eq!((added, test.journal.starts()), (1, 1));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_frees_a_key_after_its_lifetime_and_keeps_keys_per_queue() {
    let test = TestQueue::new(Settings { idempotency_ttl_ms: 400, ..Settings::default() });
    let other = TestQueue::new(Settings::default());
    let work = Work { job: 1, does: NOOP };
    let key = || EnqueueOptions::new().key("k");
    assert!(test.producer.enqueue(&work, key()).await.unwrap());
    assert!(other.producer.enqueue(&work, key()).await.unwrap());
    assert!(!other.producer.enqueue(&work, key()).await.unwrap());
    let again = async || test.producer.enqueue(&work, key()).await.unwrap();
    eventually("the key is free", again).await;
    assert_eq!(test.stats().await.ready, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_of_a_bulk_reports_each_job_and_keeps_the_order() {
    let test = TestQueue::new(Settings { concurrency: 1, ..Settings::default() });
    let jobs: Vec<Work> = (0..1_200).map(|job| Work { job, does: NOOP }).collect();
    // Every tenth job repeats the key of the one before it.
    let key = |job: u64| EnqueueOptions::new().key(format!("k{}", if job % 10 == 9 { job - 1 } else { job }));
    let added = test.producer.enqueue_bulk(jobs.iter().map(|work| (work, key(work.job)))).await.unwrap();
    let expected: Vec<bool> = (0..1_200).map(|job| job % 10 != 9).collect();
    assert_eq!(added, expected);
    assert_eq!((test.metrics.count("Enqueued"), test.metrics.count("Duplicate")), (1_080, 120));

    let seen = Arc::new(Mutex::new(Vec::<u64>::new()));
    let (queue, order) = (test.queue.clone(), seen.clone());
    let handler =
        |work: Work, order: Data<Arc<Mutex<Vec<u64>>>>| async move { order.lock().unwrap().push(work.job) };
    let worker = tokio::spawn(queue.worker().data(order).build(handler).run());
    test.drained().await;
    worker.abort();
    let expected: Vec<u64> = (0..1_200).filter(|job| job % 10 != 9).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_of_a_delayed_job_waits_in_milliseconds() {
    let test = TestQueue::new(Settings::default());
    let worker = test.worker();
    let delay = Duration::from_millis(650);
    let added = Instant::now();
    let work = Work { job: 1, does: NOOP };
    assert!(test.producer.enqueue(&work, EnqueueOptions::new().delay(delay)).await.unwrap());
    assert_eq!(test.stats().await.delayed, 1);
    test.drained().await;
    assert!(added.elapsed() >= delay - Duration::from_millis(1), "{:?}", added.elapsed());
    assert_eq!((test.journal.done(), test.metrics.count("Promoted")), (1, 1));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_promotes_a_whole_backlog_of_delayed_jobs() {
    let test = TestQueue::new(Settings::default());
    let jobs: Vec<Work> = (0..2_300).map(|job| Work { job, does: NOOP }).collect();
    let delay = EnqueueOptions::new().delay(Duration::from_millis(50));
    test.producer.enqueue_bulk(jobs.iter().map(|work| (work, delay.clone()))).await.unwrap();
    let worker = test.worker();
    test.drained().await;
    assert_eq!((test.journal.done(), test.journal.starts()), (2_300, 2_300));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_to_three_workers_runs_each_job_once() {
    let test = TestQueue::new(Settings { concurrency: 5, ..Settings::default() });
    let runs = Runs::default();
    let workers: Vec<_> = (0..3)
        .map(|number| {
            let handler = move |work: Work, runs: Data<Runs>| async move {
                tokio::time::sleep(Duration::from_millis(2)).await;
                runs.lock().unwrap().entry(work.job).or_default().push(number);
            };
            tokio::spawn(test.queue.worker().data(runs.clone()).build(handler).run())
        })
        .collect();
    eventually("all workers are there", async || test.stats().await.workers == 3).await;
    test.add(0..1_500, NOOP).await;
    test.drained().await;
    workers.iter().for_each(tokio::task::JoinHandle::abort);

    let runs = runs.lock().unwrap();
    assert_eq!(runs.len(), 1_500);
    assert!(runs.values().all(|workers| workers.len() == 1));
    for number in 0..3 {
        let share = runs.values().filter(|workers| workers[0] == number).count();
        assert!(share > 150, "worker {number} got {share} of 1500 jobs");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_keeps_queues_of_other_prefixes_apart() {
    let (one, other) = (TestQueue::new(Settings::default()), TestQueue::new(Settings::default()));
    let worker = one.worker();
    other.add([1], NOOP).await;
    one.add([2], NOOP).await;
    one.drained().await;
    assert_eq!((one.journal.done(), other.stats().await.ready), (1, 1));
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_to_a_full_queue_is_refused() {
    let test = TestQueue::new(Settings { max_backlog: 10, ..Settings::default() });
    test.add(0..9, NOOP).await;
    let delayed = Work { job: 9, does: NOOP };
    assert!(
        test.producer.enqueue(&delayed, EnqueueOptions::new().delay(Duration::from_secs(60))).await.unwrap()
    );
    let refused = test.producer.enqueue(&delayed, EnqueueOptions::new().key("k")).await.unwrap_err();
    assert_eq!(refused.to_string(), "queue test is full: it may hold 10 jobs");
    // The refused job has not taken its key.
    let worker = test.worker();
    eventually("there is room", async || {
        matches!(test.producer.enqueue(&delayed, EnqueueOptions::new().key("k")).await, Ok(true))
    })
    .await;
    worker.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_of_invalid_jobs_is_refused_as_a_whole() {
    let test = TestQueue::new(Settings::default());
    let huge = "x".repeat(300 * 1024);
    let producer = Producer::<String>::new(&test.connection, test.settings.config()).unwrap();
    let (small, options) = ("x".to_owned(), EnqueueOptions::new);
    let wrong = [
        ("payload", &huge, options()),
        ("idempotency key", &small, options().key("")),
        ("max_attempts", &small, options().max_attempts(0)),
    ];
    for (field, payload, options) in wrong {
        let good = (&small, EnqueueOptions::new());
        let refused = producer.enqueue_bulk([good, (payload, options)]).await.unwrap_err();
        assert!(matches!(&refused, Error::Invalid { field: named, .. } if *named == field), "{refused}");
    }
    assert_eq!(test.stats().await.ready, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_statistics_of_an_unused_queue_are_empty() {
    let connection = Connection::open(&shared_url(), "test-unused").unwrap();
    assert_eq!(
        serde_json::to_value(connection.stats("nothing").await.unwrap()).unwrap(),
        serde_json::json!({
            "ready": 0, "running": 0, "delayed": 0, "dead": 0, "workers": 0
        })
    );
    assert_eq!(connection.dead_letters("nothing", 10).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_repeats_a_push_with_a_lost_reply_without_a_second_job() {
    let server = RedisServer::start();
    let proxy = LossyProxy::start(&server.url()).await;
    let test = TestQueue::on(&proxy.url, Settings::default());
    let work = Work { job: 1, does: NOOP };
    let push = |key: &str| test.producer.enqueue(&work, EnqueueOptions::new().key(key));
    assert!(push("before").await.unwrap());
    proxy.lose_next_reply();
    assert!(push("lost").await.unwrap(), "the repeated push is the one that counts");
    assert!(proxy.has_lost(), "no reply was lost");
    assert!(!push("lost").await.unwrap());
    assert_eq!(test.stats().await.ready, 2);
    // Without a key a repeated push could be a second job.
    proxy.lose_next_reply();
    let error = test.producer.enqueue(&work, EnqueueOptions::new()).await.unwrap_err();
    assert!(matches!(error, Error::Redis(_)), "{error}");
    eventually(
        "it was added nevertheless",
        async || matches!(test.connection.stats("test").await, Ok(stats) if stats.ready == 3),
    )
    .await;
}

/// Proxy before Redis that can cut a connection after Redis has replied.
struct LossyProxy {
    url: String,
    lose: Arc<AtomicBool>,
}

impl LossyProxy {
    async fn start(redis_url: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("redis://{}", listener.local_addr().unwrap());
        let lose = Arc::new(AtomicBool::new(false));
        let (target, losing) = (redis_url.trim_start_matches("redis://").to_owned(), lose.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                tokio::spawn(forward(client, server, losing.clone()));
            }
        });
        Self { url, lose }
    }

    fn lose_next_reply(&self) {
        self.lose.store(true, Ordering::SeqCst);
    }

    fn has_lost(&self) -> bool {
        !self.lose.load(Ordering::SeqCst)
    }
}

async fn forward(mut client: TcpStream, mut server: TcpStream, lose: Arc<AtomicBool>) {
    let ((mut from_client, mut to_client), (mut from_server, mut to_server)) =
        (client.split(), server.split());
    let requests = tokio::io::copy(&mut from_client, &mut to_server);
    let replies = async {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = from_server.read(&mut buffer).await {
            if lose.swap(false, Ordering::SeqCst) {
                return;
            }
            if to_client.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    };
    tokio::select! {
        _ = requests => {}
        () = replies => {}
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_knows_the_oldest_open_job_until_it_ends() {
    let test = TestQueue::new(Settings { max_attempts: 2, ..Settings::default() });
    let oldest = async || test.connection.oldest("test").await.unwrap();
    assert_eq!(oldest().await, Oldest::None);
    let before = SystemTime::now() - Duration::from_millis(1);
    test.add([0], Does::Fail).await;
    let Oldest::AddedAt(first) = oldest().await else { panic!("a job is open") };
    assert!((before..=SystemTime::now()).contains(&first.into()), "{first}");
    let worker = test.worker();
    // The job stays the oldest between its attempts, also when newer ones exist.
    eventually("it waits for its second attempt", async || test.stats().await.delayed == 1).await;
    assert_eq!(oldest().await, Oldest::AddedAt(first));
    test.drained().await;
    assert_eq!((oldest().await, test.dead_errors().await.len()), (Oldest::None, 1));
    worker.stop().await;
    test.add(0..2_000, NOOP).await;
    assert!(matches!(oldest().await, Oldest::AddedAt(_)));
    test.add([2_000], NOOP).await;
    assert_eq!(oldest().await, Oldest::Unknown, "more than are looked at");
}

/// Ids of the traces in which each job ran.
type Traces = Arc<Mutex<BTreeMap<u64, Vec<String>>>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn delivery_continues_the_trace_of_the_work_that_added_the_job() {
    let test = TestQueue::new(Settings::default());
    let traces = Traces::default();
    let handler = |work: Work, traces: Data<Traces>| async move {
        let trace = trace_context::current().expect("each job runs within a trace").trace_id();
        let mut all = traces.lock().unwrap();
        let of_job = all.entry(work.job).or_default();
        of_job.push(trace);
        if of_job.len() == 1 { Err("once more") } else { Ok(()) }
    };
    let worker = tokio::spawn(test.queue.worker().data(traces.clone()).build(handler).run());
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let continued = EnqueueOptions::new().trace(format!("00-{trace}-00f067aa0ba902b7-01"));
    test.producer.enqueue(&Work { job: 1, does: NOOP }, continued).await.unwrap();
    test.producer.enqueue(&Work { job: 2, does: NOOP }, EnqueueOptions::new()).await.unwrap();
    test.drained().await;
    worker.abort();
    let traces = traces.lock().unwrap();
    assert_eq!(traces[&1], [trace, trace], "the second attempt too");
    assert_eq!(traces[&2].len(), 2);
    assert!(traces[&2].iter().all(|own| own != trace), "{traces:?}");
}
