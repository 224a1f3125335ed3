//! Rust sources as facts. The syntax tree is dropped at once: only plain data leaves the thread that parsed it.

pub mod access;
pub mod attributes;
pub mod constants;
pub mod definitions;
pub mod enums;
pub mod messages;
pub mod modules;
pub mod operations;
pub mod publics;
pub mod signatures;
pub mod strip;
pub mod tests;
pub mod variables;

use anyhow::{Context, Result};
use syn::spanned::Spanned;

use crate::text::comments::{self, Block};

/// A name and the line where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub line: usize,
}

/// A Rust source of the checkout.
#[derive(Debug)]
pub struct Source {
    /// Path from the root, with `/`.
    pub path: String,
    /// Lines of the file.
    pub lines: usize,
    pub comments: Vec<Block>,
    pub facts: Facts,
}

/// Everything that the rows know of a source. What is compiled for tests only is left out unless the field says so.
#[derive(Debug, Default)]
pub struct Facts {
    /// Lines of items behind `#[cfg(test)]`.
    pub test_lines: usize,
    /// Child modules, items, imports and paths; child modules for tests are in it, marked.
    pub module: modules::Module,
    /// Every identifier that is defined, in tests too.
    pub defined: Vec<Named>,
    /// Public items without documentation.
    pub undocumented: Vec<Named>,
    /// True when the file begins with `//!`.
    pub has_module_doc: bool,
    /// Test functions, in tests too.
    pub tests: Vec<tests::Test>,
    /// Types, functions and constants in snake_case, as subjects of unit tests.
    pub subjects: Vec<String>,
    pub operations: Vec<operations::Operation>,
    pub routes: Vec<operations::Route>,
    pub fields: Vec<operations::Field>,
    pub messages: Vec<messages::Message>,
    pub constants: Vec<constants::Constant>,
    /// First sentences of the documentation of functions.
    pub functions: Vec<signatures::Function>,
    pub checkouts: Vec<Named>,
    pub account_ids: Vec<Named>,
    pub enums: enums::Tables,
    /// Variables of the environment that the configuration reads.
    pub variables: Vec<variables::Variable>,
}

impl Source {
    /// Reads a source.
    ///
    /// # Errors
    /// A text that does not parse.
    pub fn read(path: &str, text: &str) -> Result<Self> {
        let mut file = syn::parse_file(text).with_context(|| format!("{path} does not parse"))?;
        let mut facts = Facts {
            module: modules::read(&file.items),
            defined: definitions::read(&file),
            tests: tests::read(&file),
            has_module_doc: attributes::is_documented(&file.attrs),
            ..Facts::default()
        };
        facts.test_lines = strip::strip_tests(&mut file.items);
        facts.undocumented = publics::read(&file);
        facts.subjects = definitions::subjects(&file);
        facts.constants = constants::read(&file);
        facts.operations = operations::operations(&file);
        facts.routes = operations::routes(&file);
        facts.fields = operations::fields(&file);
        facts.messages = messages::read(&file);
        facts.functions = signatures::read(&file);
        (facts.checkouts, facts.account_ids) = access::read(&file);
        facts.enums = enums::read(&file);
        facts.variables = variables::read(&file);
        // The lines of spans were all asked for; their source map would grow with every file of the thread.
        drop(file);
        Ok(Self { path: path.to_owned(), lines: text.lines().count(), comments: comments::rust(text), facts })
    }
}

/// Returns the line of a node, from 1.
pub fn line_of(node: &impl Spanned) -> usize {
    node.span().start().line
}

/// Returns the text of a node as written, white space joined.
pub fn text_of(node: &impl Spanned) -> String {
    node.span().source_text().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
