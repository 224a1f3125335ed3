//! Syntax and exports of handler code, checked by the engine that will run it. The code is not run here
//! (reference/extensions.md#handler-check).

use sandbox::{Engine, Failure, FailureCode};

use super::{CheckedBundle, FieldError, SERVER, manifest};

/// Parses and links the handler code of a bundle, and compares its exports with the handlers of the manifest.
/// Returns the errors by field, at most 100.
///
/// # Errors
/// An engine that fails for another reason than the code.
pub async fn check_handlers(engine: &Engine, checked: &CheckedBundle) -> Result<Vec<FieldError>, Failure> {
    let Some(code) = &checked.handler_code else { return Ok(Vec::new()) };
    let refused = |message: String| Ok(vec![FieldError::new(SERVER, message)]);
    match engine.check(code).await {
        Ok(exports) => Ok(manifest::check_exports(&checked.manifest, &exports)),
        Err(failure) if matches!(failure.code, FailureCode::Internal | FailureCode::Overloaded) => {
            Err(failure)
        }
        Err(failure) if failure.code == FailureCode::ResponseTooLarge => {
            refused("server.js has too many exports: their names take more than 1 MiB".to_owned())
        }
        Err(failure) => refused(format!("server.js does not parse: {}", position(&failure))),
    }
}

fn position(failure: &Failure) -> String {
    let place = failure.stack.as_deref().and_then(|stack| stack.lines().next()).unwrap_or_default().trim();
    format!("{}: {} {place}", failure.name, failure.message).trim_end().to_owned()
}
