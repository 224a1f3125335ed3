//! Extension of a folder with its loaded code.

use std::path::Path;

use anyhow::Result;
use extension_bundle::{CheckedBundle, FieldError, SERVER};
use sandbox::{Engine, Handler};

use crate::{
    Finding,
    check::{CheckOptions, check_bytes, findings},
    pack,
};

/// Extension that satisfies the rules of an upload.
pub(crate) struct Extension {
    pub checked: CheckedBundle,
    /// Loaded `server.js`; `None` without one.
    pub handler: Option<Handler>,
}

/// Checks and loads a folder.
///
/// # Errors
/// The inner error is findings; the outer one a fault of the environment.
pub(crate) async fn load(dir: &Path, engine: &Engine) -> Result<Result<Extension, Vec<Finding>>> {
    let packed = pack::bytes(dir)?;
    let checked = check_bytes(&packed, &CheckOptions::default(), async || Ok(engine.clone())).await?;
    let bundle = checked.bundle;
    let checked = match checked.result {
        Ok(checked) => checked,
        Err(errors) => return Ok(Err(findings(dir, &bundle, &errors))),
    };
    let Some(code) = &checked.handler_code else { return Ok(Ok(Extension { checked, handler: None })) };
    match engine.compile(code).await {
        Ok(handler) => Ok(Ok(Extension { checked, handler: Some(handler) })),
        Err(failure) => {
            let place = failure.stack.as_deref().and_then(|stack| stack.lines().next()).unwrap_or_default();
            let message = format!("server.js does not load: {failure} {}", place.trim());
            Ok(Err(findings(dir, &bundle, &[FieldError::new(SERVER, message.trim_end())])))
        }
    }
}
