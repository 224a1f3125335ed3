//! What handlers did, in a file: it survives whatever is killed, and processes can share it.

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
    /// Of the process that made it, which also removes it.
    directory: Option<Arc<TempDir>>,
}

/// What happened to one job, in numbers.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Deeds {
    /// The attempt of each start, in order.
    pub attempts: Vec<u32>,
    /// Effects, without any guard against doing it twice.
    pub effects: usize,
    /// Handlers that were dropped before their end.
    pub dropped: usize,
}

impl Journal {
    pub fn new() -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("journal");
        Self { directory: Some(Arc::new(directory)), ..Self::open(&path) }
    }

    pub fn open(path: &Path) -> Self {
        let file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        Self { file: Arc::new(file), path: path.to_owned(), directory: None }
    }

    pub fn path(&self) -> &Path {
        assert!(self.directory.is_some(), "the file belongs to another process");
        &self.path
    }

    pub fn started(&self, job: u64, attempt: usize) {
        self.write(job, &format!("start {attempt}"));
    }

    pub fn effect(&self, job: u64) {
        self.write(job, "effect -");
    }

    pub fn dropped(&self, job: u64) {
        self.write(job, "dropped -");
    }

    pub fn read(&self) -> BTreeMap<u64, Deeds> {
        let mut jobs = BTreeMap::<u64, Deeds>::new();
        for line in std::fs::read_to_string(&self.path).unwrap().lines() {
            let mut words = line.split(' ');
            let deeds = jobs.entry(words.next().unwrap().parse().unwrap()).or_default();
            match (words.next().unwrap(), words.next().unwrap()) {
                ("start", attempt) => deeds.attempts.push(attempt.parse().unwrap()),
                ("effect", _) => deeds.effects += 1,
                ("dropped", _) => deeds.dropped += 1,
                (other, _) => panic!("{other}"),
            }
        }
        jobs
    }

    pub fn deeds(&self, job: u64) -> Deeds {
        self.read().remove(&job).unwrap_or_default()
    }

    /// All starts of all jobs.
    pub fn starts(&self) -> usize {
        self.read().values().map(|deeds| deeds.attempts.len()).sum()
    }

    /// Jobs that had their effect.
    pub fn done(&self) -> usize {
        self.read().values().filter(|deeds| deeds.effects > 0).count()
    }

    /// Effects beyond the first of their job.
    pub fn repeated_effects(&self) -> usize {
        self.read().values().map(|deeds| deeds.effects.saturating_sub(1)).sum()
    }

    fn write(&self, job: u64, what: &str) {
        (&*self.file).write_all(format!("{job} {what}\n").as_bytes()).unwrap();
    }
}
