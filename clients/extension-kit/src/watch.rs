//! Changes of an extension's files. They are polled: a bundle has few files, and polling works on every file system
//! and in every container.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use crate::pack;

/// Interval of the polls.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(300);

/// Files with their sizes and times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, (u64, Option<SystemTime>)>);

impl Snapshot {
    /// Reads the files of a bundle, and one more. A folder that cannot be read for a moment has no files.
    pub fn of(dir: &Path, events: Option<&Path>) -> Self {
        let entries = pack::entries(dir).unwrap_or_default();
        let paths = entries.into_iter().map(|entry| entry.source).chain(events.map(Path::to_owned));
        Self(
            paths
                .filter_map(|path| {
                    let metadata = fs::metadata(&path).ok()?;
                    Some((path, (metadata.len(), metadata.modified().ok())))
                })
                .collect(),
        )
    }
}

/// Waits until the files differ from a snapshot.
pub(crate) async fn changed(dir: &Path, events: Option<&Path>, seen: &Snapshot) {
    while Snapshot::of(dir, events) == *seen {
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn snapshot_changes_with_content_and_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("server.js"), "1").unwrap();
        let before = Snapshot::of(dir.path(), None);
        assert_eq!(before, Snapshot::of(dir.path(), None));
        fs::write(dir.path().join("server.js"), "22").unwrap();
        changed(dir.path(), None, &before).await;
        let before = Snapshot::of(dir.path(), None);
        fs::write(dir.path().join("layer.js"), "3").unwrap();
        assert_ne!(before, Snapshot::of(dir.path(), None));
        fs::write(dir.path().join("README.md"), "no part of the bundle").unwrap();
        fs::remove_file(dir.path().join("layer.js")).unwrap();
        assert_eq!(before, Snapshot::of(dir.path(), None));
    }
}
