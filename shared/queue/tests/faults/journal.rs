//! Journal of the handlers' actions in a file: it survives killed processes, and processes can share it.

use std::{
    collections::BTreeMap,
    fs::{File, OpenOptions},
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

/// Lines that handlers append; one write each, so lines of several processes do not mix.
#[derive(Clone)]
pub struct Journal {
    file: Arc<File>,
    path: PathBuf,
    /// Directory of the process that created the journal and removes it.
    directory: Option<Arc<TempDir>>,
}

/// Counts of what happened to one job.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct JobRecord {
    /// The attempt of each start, in order.
    pub attempts: Vec<u32>,
    /// Effects, without any guard against doing it twice.
    pub effects: usize,
    /// Handlers that were dropped before their end.
    pub dropped: usize,
}

impl Journal {
    /// Creates a journal in a new directory.
    pub fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("journal");
        Self { directory: Some(Arc::new(directory)), ..Self::open(&path) }
    }

    /// Opens the journal of another process.
    pub fn open(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        Self { file: Arc::new(file), path: path.to_owned(), directory: None }
    }

    /// Path of the file.
    pub fn path(&self) -> &Path {
        assert!(self.directory.is_some(), "the file belongs to another process");
        &self.path
    }

    /// Records the start of an attempt.
    pub fn started(&self, job: u64, attempt: usize) {
        self.write(job, &format!("start {attempt}"));
    }

    /// Records the effect of a job.
    pub fn effect(&self, job: u64) {
        self.write(job, "effect -");
    }

    /// Records that a handler was dropped before its end.
    pub fn dropped(&self, job: u64) {
        self.write(job, "dropped -");
    }

    /// Counts of all jobs.
    pub fn read(&self) -> BTreeMap<u64, JobRecord> {
        let mut jobs = BTreeMap::<u64, JobRecord>::new();
        for line in std::fs::read_to_string(&self.path).unwrap().lines() {
            let mut words = line.split(' ');
            let record = jobs.entry(words.next().unwrap().parse().unwrap()).or_default();
            match (words.next().unwrap(), words.next().unwrap()) {
                ("start", attempt) => record.attempts.push(attempt.parse().unwrap()),
                ("effect", _) => record.effects += 1,
                ("dropped", _) => record.dropped += 1,
                (other, _) => panic!("{other}"),
            }
        }
        jobs
    }

    /// Counts of one job.
    pub fn record(&self, job: u64) -> JobRecord {
        self.read().remove(&job).unwrap_or_default()
    }

    /// All starts of all jobs.
    pub fn starts(&self) -> usize {
        self.read().values().map(|record| record.attempts.len()).sum()
    }

    /// Jobs that had their effect.
    pub fn done(&self) -> usize {
        self.read().values().filter(|record| record.effects > 0).count()
    }

    /// Effects beyond the first of their job.
    pub fn repeated_effects(&self) -> usize {
        self.read().values().map(|record| record.effects.saturating_sub(1)).sum()
    }

    fn write(&self, job: u64, what: &str) {
        (&*self.file).write_all(format!("{job} {what}\n").as_bytes()).unwrap();
    }
}
