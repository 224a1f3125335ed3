//! `lumio-ext replay`: runs a recorded invocation again (reference/extension-kit.md#replay).

use std::{fs, io::Write, path::Path};

use anyhow::{Context, Result};
use extension_bundle::SERVER;
use extension_runtime::local::{RecordedRun, RunReport};

use crate::{
    engine::engine,
    output::{Outcome, print},
};

/// Maximum size of a recording, in bytes.
const MAX_RECORDING_BYTES: u64 = 16 * 1024 * 1024;

/// Runs a recording with the code of a folder, and prints both ends. The outcome is good when they are equal.
///
/// # Errors
/// Files that cannot be read, and code that does not load.
pub async fn replay(recording: &Path, dir: &Path, out: &mut dyn Write) -> Result<Outcome> {
    let shown = || format!("cannot read the recording {}", recording.display());
    let size = fs::metadata(recording).with_context(shown)?.len();
    anyhow::ensure!(
        size <= MAX_RECORDING_BYTES,
        "{} is no recording: it has {size} bytes",
        recording.display()
    );
    let run = RecordedRun::from_json(&fs::read(recording).with_context(shown)?).with_context(shown)?;
    let code = dir.join(SERVER);
    let code = fs::read_to_string(&code).with_context(|| format!("cannot read {}", code.display()))?;
    let replayed = run.replay(&code, &engine().await?).await?;
    print(out, format_args!("handler   {}", replayed.handler))?;
    print(out, format_args!("recorded  {} {}", replayed.recorded.code, replayed.recorded))?;
    for line in &replayed.lines {
        print(out, format_args!("log       {} {}", line.level.as_str(), line.message))?;
    }
    match &replayed.result {
        Ok(value) => print(out, format_args!("now       {value}"))?,
        Err(failure) => {
            print(out, format_args!("now       {} {failure}", failure.code))?;
            print(out, failure.stack.as_deref().unwrap_or_default().trim_end())?;
        }
    }
    Ok(Outcome::of(replayed.is_the_same()))
}

/// Writes the record of a failed run; returns nothing for one that did not fail.
///
/// # Errors
/// A folder that cannot be written.
pub(crate) fn record(report: &RunReport, folder: &Path, name: &str) -> Result<()> {
    let Some(recorded) = &report.recorded else { return Ok(()) };
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(format!("{name}-{}.json", report.handler));
    fs::write(&path, recorded.to_json()?).with_context(|| format!("cannot write {}", path.display()))
}
