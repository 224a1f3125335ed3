//! Scripts of the pages. mdBook writes some into each page; in files of their own they need no exception of the
//! content security policy (reference/conventions.md#handbook).

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

const OPENING: &str = "<script>";
const CLOSING: &str = "</script>";
/// Digits of the hash in the name of a file, as mdBook names its own.
const HASH_DIGITS: usize = 8;

/// Moves the scripts of all pages into files.
///
/// # Errors
/// A page that cannot be read or written, or whose script does not end.
pub fn move_out(folder: &Path) -> Result<()> {
    for path in pages(folder)? {
        let page = fs::read_to_string(&path)?;
        let depth = path.strip_prefix(folder)?.components().count().saturating_sub(1);
        let (page, scripts) =
            separated(&page, depth).with_context(|| format!("{}: a script does not end", path.display()))?;
        for (name, script) in scripts {
            fs::write(folder.join(name), script)?;
        }
        fs::write(&path, page)?;
    }
    Ok(())
}

/// Returns the paths of all pages below a folder.
///
/// # Errors
/// A folder that cannot be read.
pub fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.path().extension().is_some_and(|extension| extension == "html") {
            found.push(entry.into_path());
        }
    }
    Ok(found)
}

/// Separates a page that is `depth` folders deep from its scripts. `None` for a script without an end.
fn separated(page: &str, depth: usize) -> Option<(String, Vec<(String, String)>)> {
    let (mut text, mut scripts, mut rest) = (String::with_capacity(page.len()), Vec::new(), page);
    while let Some((before, after)) = rest.split_once(OPENING) {
        let (script, after) = after.split_once(CLOSING)?;
        let hash: String = hex::encode(Sha256::digest(script)).chars().take(HASH_DIGITS).collect();
        let name = format!("inline-{hash}.js");
        text.push_str(before);
        text.push_str(&format!("<script src=\"{}{name}\">{CLOSING}", "../".repeat(depth)));
        scripts.push((name, script.to_owned()));
        rest = after;
    }
    text.push_str(rest);
    Some((text, scripts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separated_scripts_run_in_their_order() {
        let page = "<a><script>let a;</script><b><script src=\"x.js\"></script><script>\na()\n</script></a>";
        let (page, scripts) = separated(page, 2).unwrap();
        let [(first, one), (second, two)] = scripts.as_slice() else { panic!("{scripts:?}") };
        assert_eq!((one.as_str(), two.as_str()), ("let a;", "\na()\n"));
        assert_eq!(
            page,
            format!(
                "<a><script src=\"../../{first}\"></script><b><script src=\"x.js\"></script>\
                 <script src=\"../../{second}\"></script></a>"
            )
        );
        assert!(first.len() == "inline-01234567.js".len() && first != second, "{first}, {second}");
        assert!(separated("<script>", 0).is_none());
    }
}
