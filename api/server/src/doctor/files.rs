//! Files that processes read: the engine of handlers and the fonts of documents.

use std::path::PathBuf;

use report_export::Fonts;

use super::{Deployment, Finding};

/// Check of the engine.
pub(super) async fn engine(this: &Deployment<'_>) -> Vec<Finding> {
    let folder = PathBuf::from(&this.config.workers.engine_dir);
    let checked = tokio::task::spawn_blocking(move || {
        sandbox::check_engine(&folder).map_err(|error| error.to_string())
    });
    let remedy = "Run scripts/engine, or point LUMIO_ENGINE_DIR at the folder of the engine of this version.";
    found("engine_unusable", checked.await, remedy)
}

/// Check of the fonts.
pub(super) async fn fonts(this: &Deployment<'_>) -> Vec<Finding> {
    let fonts = Fonts::new(&this.config.exports.font_dir);
    let checked = tokio::task::spawn_blocking(move || fonts.check());
    let remedy = "Install the Noto fonts of the distribution, or point LUMIO_FONT_DIR at them: without them there is no PDF.";
    found("fonts_missing", checked.await, remedy)
}

fn found(
    code: &'static str,
    checked: Result<Result<(), String>, tokio::task::JoinError>,
    remedy: &str,
) -> Vec<Finding> {
    match checked {
        Ok(Ok(())) => Vec::new(),
        Ok(Err(problem)) => vec![Finding::error(code, problem, remedy)],
        Err(error) => vec![Finding::error(code, error.to_string(), remedy)],
    }
}
