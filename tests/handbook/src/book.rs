//! The book: chapters in the order of `SUMMARY.md`, and the folder of their pages.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use mdbook_driver::{MDBook, config::Config};

use crate::scripts;

/// Page of a folder, which mdBook makes of its `README.md`.
const INDEX: &str = "index";
const README: &str = "README";

/// A chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chapter {
    /// Path of the document from the folder of the book, with `/`.
    pub path: String,
    /// Path of the page from the folder of the built book, with `/`.
    pub page: String,
    pub text: String,
}

/// A book with its chapters in order.
#[derive(Debug)]
pub struct Book {
    pub root: PathBuf,
    pub chapters: Vec<Chapter>,
}

impl Book {
    /// Reads the chapters that `SUMMARY.md` lists.
    ///
    /// # Errors
    /// A wrong `book.toml` or `SUMMARY.md`, or a chapter that cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let book = load(root, Path::new("book"))?;
        let mut chapters = Vec::new();
        for chapter in book.book.chapters() {
            let path = chapter.path.as_deref().context("a chapter has no document")?;
            let (path, page) = (slashed(path)?, slashed(&page_of(path))?);
            chapters.push(Chapter { path, page, text: chapter.content.clone() });
        }
        Ok(Self { root: root.to_owned(), chapters })
    }

    /// Builds the pages into a folder, in place of the pages that it holds.
    ///
    /// # Errors
    /// A folder with other content, a chapter that cannot be rendered, or a file that cannot be written.
    pub fn build(&self, out: &Path) -> Result<()> {
        let is_replaceable = !out.exists() || out.join("index.html").is_file() || is_empty(out)?;
        ensure!(is_replaceable, "{} holds something else than a book", out.display());
        let out = std::path::absolute(out)?;
        let parent = out.parent().context("the folder must have a name")?;
        fs::create_dir_all(parent)?;
        // Beside the target, so that a server never serves half a book.
        let fresh = tempfile::Builder::new().prefix(".handbook-").tempdir_in(parent)?;
        let (new, old) = (fresh.path().join("new"), fresh.path().join("old"));
        load(&self.root, &new)?.build()?;
        scripts::move_out(&new)?;
        if out.exists() {
            fs::rename(&out, &old)?;
        }
        fs::rename(&new, &out).with_context(|| format!("cannot write {}", out.display()))
    }
}

fn load(root: &Path, out: &Path) -> Result<MDBook> {
    let root = std::path::absolute(root)?;
    let mut config = Config::from_disk(root.join("book.toml"))?;
    out.clone_into(&mut config.build.build_dir);
    MDBook::load_with_config(root, config)
}

fn page_of(path: &Path) -> PathBuf {
    let is_readme = path.file_stem().is_some_and(|stem| stem == README);
    let page = path.with_extension("html");
    if is_readme { page.with_file_name(INDEX).with_extension("html") } else { page }
}

fn slashed(path: &Path) -> Result<String> {
    Ok(path.to_str().context("a path is not Unicode")?.replace('\\', "/"))
}

fn is_empty(folder: &Path) -> Result<bool> {
    Ok(folder.is_dir() && fs::read_dir(folder)?.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_of_a_readme_is_the_index_of_its_folder() {
        for (path, page) in
            [("README.md", "index.html"), ("start/README.md", "start/index.html"), ("a/b.md", "a/b.html")]
        {
            assert_eq!(page_of(Path::new(path)), Path::new(page));
        }
    }
}
