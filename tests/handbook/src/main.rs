//! `lumio-handbook`: builds the handbook, checks it, and prints its code blocks.

use std::{
    fs,
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use handbook::{
    blocks::{self, Block, Mark},
    book::Book,
    check,
};

/// Builds the handbook, checks it, and prints its code blocks.
#[derive(Debug, Parser)]
#[command(name = "lumio-handbook", version)]
struct Arguments {
    /// Folder with `book.toml`.
    #[arg(long, default_value = "docs")]
    docs: PathBuf,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the pages into a folder, in place of those that it holds.
    Build {
        /// The folder.
        out: PathBuf,
    },
    /// Check links, pages and marks of blocks. Exits 1 when something is found.
    Check {
        /// Folder of the built book; it is built anew into a temporary one when absent.
        #[arg(long)]
        book: Option<PathBuf>,
    },
    /// Print the chapters, in their order.
    Chapters {
        /// Only those with a block of this mark: run, compile or shown.
        #[arg(long)]
        mark: Option<Mark>,
    },
    /// Print code blocks, in their order.
    Blocks {
        /// Read them from the pages of this built book instead of the documents.
        #[arg(long)]
        book: Option<PathBuf>,
        /// Only those of this chapter, for example start/README.md.
        #[arg(long)]
        chapter: Option<String>,
        /// Only those of this mark: run, compile or shown.
        #[arg(long)]
        mark: Option<Mark>,
        /// Write a file for each into this folder instead; those that continue a block are in its file.
        #[arg(long)]
        out: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).with_writer(std::io::stderr).init();
    run(Arguments::parse()).unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::from(2)
    })
}

fn run(arguments: Arguments) -> Result<ExitCode> {
    let book = Book::read(&arguments.docs)?;
    match arguments.command {
        Command::Build { out } => {
            book.build(&out)?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Check { book: Some(folder) } => report(&arguments.docs, &book, &folder),
        Command::Check { book: None } => {
            let folder = tempfile::tempdir()?;
            let folder = folder.path().join("docs");
            book.build(&folder)?;
            report(&arguments.docs, &book, &folder)
        }
        Command::Chapters { mark } => {
            let blocks = blocks::of_documents(&book);
            let has_mark = |chapter: &str| {
                mark.is_none_or(|mark| {
                    blocks.iter().any(|block| block.chapter == chapter && block.mark() == Ok(mark))
                })
            };
            let chapters = book.chapters.iter().filter(|chapter| has_mark(&chapter.path));
            print(&chapters.map(|chapter| format!("{}\n", chapter.path)).collect::<String>())
        }
        Command::Blocks { book: folder, chapter, mark, out } => {
            let found = match folder {
                Some(folder) => blocks::of_pages(&book, &folder)?,
                None => blocks::of_documents(&book),
            };
            let is_wanted = |block: &Block| {
                chapter.as_ref().is_none_or(|chapter| block.chapter == *chapter)
                    && mark.is_none_or(|mark| block.mark() == Ok(mark))
            };
            write_blocks(found.into_iter().filter(is_wanted), out.as_deref())
        }
    }
}

fn report(docs: &Path, book: &Book, folder: &Path) -> Result<ExitCode> {
    let found = check::findings(book, folder)?;
    let text: String = found.iter().map(|finding| format!("{}/{finding}\n", docs.display())).collect();
    print(&text)?;
    Ok(ExitCode::from(u8::from(!found.is_empty())))
}

fn write_blocks(blocks: impl Iterator<Item = Block>, out: Option<&Path>) -> Result<ExitCode> {
    let Some(out) = out else {
        return print(&blocks.map(|block| block.text).collect::<Vec<_>>().join("\n"));
    };
    fs::create_dir_all(out)?;
    for file in blocks::files(blocks)? {
        let path = out.join(file.name);
        ensure!(!path.exists(), "{} exists", path.display());
        fs::write(path, file.text)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes to a reader that may have gone, such as `head`.
fn print(text: &str) -> Result<ExitCode> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}
