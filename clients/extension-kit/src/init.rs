//! `lumio-ext init`: a new extension from a template (reference/extension-kit.md#init).

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{declarations, output::print};

/// Place of the name in a template.
const NAME: &str = "{{name}}";

/// Kind of extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Bot module with a chat command and a handler of an event.
    Command,
    /// Widget with a layer, an event handler and a server function.
    Layer,
}

/// Input of the command.
#[derive(Debug, Clone)]
pub struct InitOptions {
    /// Folder of the extension.
    pub dir: PathBuf,
    /// Name; that of the folder when absent.
    pub name: Option<String>,
    /// Kind of extension.
    pub template: Template,
}

/// File of a template included at compile time.
macro_rules! file {
    ($path:literal, $source:literal) => {
        ($path, include_str!(concat!("../templates/", $source)))
    };
}

const COMMON: [(&str, &str); 3] = [
    file!("tsconfig.json", "tsconfig.json"),
    file!("README.md", "README.md"),
    file!(".gitignore", "gitignore"),
];
const COMMAND: [(&str, &str); 5] = [
    file!("lumio.config.json", "command/lumio.config.json"),
    file!("server.js", "command/server.js"),
    file!("fixtures/roll.json", "command/fixtures/roll.json"),
    file!("fixtures/roll-refused.json", "command/fixtures/roll-refused.json"),
    file!("fixtures/raid.json", "command/fixtures/raid.json"),
];
const LAYER: [(&str, &str); 5] = [
    file!("lumio.config.json", "layer/lumio.config.json"),
    file!("server.js", "layer/server.js"),
    file!("layer.js", "layer/layer.js"),
    file!("fixtures/followed.json", "layer/fixtures/followed.json"),
    file!("fixtures/count.json", "layer/fixtures/count.json"),
];

/// Writes an extension into a folder that is empty or missing, and prints its files.
///
/// # Errors
/// A folder that holds files, and one that cannot be written.
pub fn init(options: &InitOptions, out: &mut dyn Write) -> Result<()> {
    let dir = &options.dir;
    if fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is not empty", dir.display());
    }
    let own_name = dir.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = options.name.clone().or(own_name).filter(|name| !name.trim().is_empty()) else {
        bail!("the extension needs a name: --name NAME");
    };
    let template: &[(&str, &str)] = match options.template {
        Template::Command => &COMMAND,
        Template::Layer => &LAYER,
    };
    let quoted = serde_json::to_string(&name)?;
    let in_json = quoted.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&name);
    for (path, text) in template.iter().chain(&COMMON) {
        let name = if path.ends_with(".json") { in_json } else { &name };
        write(dir, path, &text.replace(NAME, name), out)?;
    }
    write(dir, "types/lumio.d.ts", &declarations::text(), out)?;
    write(dir, "types/lumio.config.schema.json", &declarations::schema(), out)
}

fn write(dir: &Path, path: &str, text: &str, out: &mut dyn Write) -> Result<()> {
    let file = dir.join(path);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    print(out, file.display())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Outcome,
        check::{CheckOptions, check},
        dev::{DevOptions, dev},
        test::test,
    };

    async fn made(template: Template, name: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let options = InitOptions { dir: dir.path().join("ext"), name: Some(name.to_owned()), template };
        init(&options, &mut Vec::new()).unwrap();
        let again = init(&options, &mut Vec::new()).unwrap_err();
        assert!(again.to_string().ends_with("is not empty"), "{again}");
        dir
    }

    #[tokio::test]
    async fn init_makes_extensions_that_pass_check_test_and_dev() {
        for (template, ran) in [
            (Template::Command, ["roll (command)", "welcome (event)", "effect  {\"action\":\"chat:send\""]),
            (Template::Layer, ["-> twitch:follower", "followed (event)", "effect  {\"push\":\"followers\""]),
        ] {
            let dir = made(template, "My \"first\" one").await;
            let path = dir.path().join("ext");
            assert_eq!(check(&path, &CheckOptions::default()).await.unwrap(), [], "{template:?}");
            let mut out = Vec::new();
            let outcome = test(&path, None, &mut out).await.unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(outcome, Outcome::Good, "{text}");
            assert!(text.contains(" passed, 0 failed"), "{text}");
            let mut out = Vec::new();
            let once = DevOptions { once: true, ..DevOptions::default() };
            let outcome = dev(&path, &once, &mut out).await.unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(outcome, Outcome::Good, "{text}");
            for part in ran.into_iter().chain(["loaded My \"first\" one 1.0.0"]) {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
    }
}
