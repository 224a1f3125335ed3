//! Small books, and the book of this checkout.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::{
    blocks::{self, Mark},
    book::Book,
    check,
};

const SETTINGS: &str = "[book]\ntitle = \"T\"\nsrc = \".\"\n[build]\ncreate-missing = false\n\
    [output.html]\nsmart-punctuation = false\ninput-404 = \"\"\n[output.html.print]\nenable = false\n";

/// Writes a book and builds it into the folder `out` beside its documents.
fn built(files: &[(&str, &str)]) -> (TempDir, Book) {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("docs");
    for (path, text) in [("book.toml", SETTINGS)].iter().chain(files) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let book = Book::read(&root).unwrap();
    book.build(&folder.path().join("out")).unwrap();
    (folder, book)
}

fn findings(folder: &TempDir, book: &Book) -> Vec<String> {
    let found = check::findings(book, &folder.path().join("out")).unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn findings_are_links_that_lead_nowhere_and_unmarked_blocks() {
    let (folder, book) = built(&[
        (
            "SUMMARY.md",
            "# Summary\n\n[One](README.md)\n\n- [Two](a/README.md)\n  - [Three](a/b.md)\n- [R](reference/r.md)\n",
        ),
        (
            "README.md",
            "# One\n\n[ok](a/README.md#deep--down) [ok](a/b.md) [ok](image.svg) [ok](https://x.example)\n\
             [file](a/none.md)\n[anchor](a/README.md#none)\n[out](../README.md)\n[picture](none.svg)\n",
        ),
        ("a/README.md", "# Two\n\n## `Deep` & down\n\n[up](../README.md#one) [own](#none)\n"),
        ("a/b.md", "# Three\n\n```sh\nls\n```\n\n    indented\n\n[alone](alone.md)\n"),
        ("a/alone.md", "# Alone\n"),
        ("image.svg", "<svg/>"),
        ("reference/r.md", "# R\n\n```js\n1\n```\n"),
        ("reference/x.md", "# X\n"),
    ]);
    let unmarked = "a block must be marked `run`, `compile` or `shown: reason` behind its language";
    assert_eq!(
        findings(&folder, &book),
        [
            "README.md:4: a/none.md: is no chapter of the book".to_owned(),
            "README.md:5: a/README.md#none: no such heading".to_owned(),
            "README.md:6: ../README.md: leads out of the book".to_owned(),
            "README.md:7: none.svg: no such file".to_owned(),
            "a/README.md:5: #none: no such heading".to_owned(),
            "a/alone.md:0: SUMMARY.md does not list it".to_owned(),
            format!("a/b.md:3: {unmarked}"),
            format!("a/b.md:7: {unmarked}"),
            "a/b.md:9: alone.md: is no chapter of the book".to_owned(),
            format!("reference/r.md:3: {unmarked}"),
            "reference/x.md:0: SUMMARY.md does not list it".to_owned(),
        ]
    );
}

#[test]
fn findings_are_none_for_a_sound_book_and_its_pages_hold_the_blocks() {
    let text = "# One\n\n```sh run\necho \"a\" >b && cat <<'END'\n<b>&amp;\nEND\n```\n\n\
        ```json compile\n{ \"a\": 1 }\n```\n";
    let (folder, book) = built(&[
        ("SUMMARY.md", "# Summary\n\n- [One](a/one.md)\n- [R](reference/r.md)\n"),
        ("a/one.md", text),
        ("reference/r.md", "# R\n\n```json compile\n2\n```\n\n```json compile continued\n3\n```\n"),
    ]);
    assert_eq!(findings(&folder, &book), [""; 0]);
    let (of_documents, of_pages) =
        (blocks::of_documents(&book), blocks::of_pages(&book, &folder.path().join("out")).unwrap());
    assert_eq!(of_pages.len(), 4);
    for (document, page) in of_documents.iter().zip(&of_pages) {
        assert_eq!((&document.info, &document.text), (&page.info, &page.text));
    }
    assert_eq!(
        of_pages.iter().map(|block| block.mark()).collect::<Vec<_>>(),
        [Ok(Mark::Run), Ok(Mark::Compile), Ok(Mark::Compile), Ok(Mark::Compile)]
    );
    let search = fs::read_dir(folder.path().join("out")).unwrap();
    let names: Vec<String> = search.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().any(|name| name.starts_with("searchindex-")), "{names:?}");
}

#[test]
fn built_book_replaces_a_book_and_nothing_else() {
    let (folder, book) = built(&[("SUMMARY.md", "- [One](one.md)\n"), ("one.md", "# One\n")]);
    let out = folder.path().join("out");
    fs::write(out.join("leftover.html"), "").unwrap();
    book.build(&out).unwrap();
    assert!(!out.join("leftover.html").exists() && out.join("one.html").is_file());
    let names = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 2, "only the documents and the built book remain");

    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("mine.txt"), "").unwrap();
    assert!(book.build(&other).unwrap_err().to_string().contains("holds something else"));
    assert!(other.join("mine.txt").exists());
}

#[test]
fn findings_of_this_checkout_are_none() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let (book, out) = (Book::read(&root).unwrap(), TempDir::new().unwrap());
    let out = out.path().join("docs");
    book.build(&out).unwrap();
    let found: Vec<String> =
        check::findings(&book, &out).unwrap().iter().map(|finding| format!("docs/{finding}")).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}
