//! Reader of typed values from named variables. It collects every mistake, so that one start shows them all.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fmt::Display,
    num::NonZeroUsize,
    path::Path,
    str::FromStr,
};

use super::{
    descriptions::descriptions,
    file::{self, CONFIG_FILE},
    variables::{Declared, Mask, Source, Variable, unknown},
};
use crate::secret::Secret;

/// Source of variables: the process environment and a file, or a map in tests.
#[derive(Debug)]
pub struct Reader {
    variables: BTreeMap<String, String>,
    /// Names of the variables whose values are from the file.
    from_file: BTreeSet<String>,
    /// Every name that was requested: the list of all variables.
    declared: RefCell<BTreeMap<String, Declared>>,
    /// Names of variables whose values are not Unicode.
    unreadable: Vec<String>,
    mistakes: Vec<String>,
    warnings: Vec<String>,
}

impl Reader {
    pub(super) fn new(variables: impl IntoIterator<Item = (String, String)>) -> Self {
        // An empty variable counts as unset: compose files and shells pass unset variables on as empty ones.
        let variables = variables.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        let mut reader = Self {
            variables,
            from_file: BTreeSet::new(),
            declared: RefCell::default(),
            unreadable: Vec::new(),
            mistakes: Vec::new(),
            warnings: Vec::new(),
        };
        reader.add_file();
        reader
    }

    /// Adds the variables of the file, where the environment sets none.
    fn add_file(&mut self) {
        let Some(path) = self.optional(CONFIG_FILE) else { return };
        let in_file = match file::read(Path::new(&path)) {
            Ok(variables) => variables,
            Err(reason) => return self.mistake(CONFIG_FILE, reason),
        };
        for (name, value) in in_file {
            if !value.is_empty() && !self.variables.contains_key(&name) {
                self.from_file.insert(name.clone());
                self.variables.insert(name, value);
            }
        }
    }

    /// Reads variables of the operating system. Only the variables that are requested must be Unicode.
    pub(super) fn of_os(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let (mut readable, mut unreadable) = (Vec::new(), Vec::new());
        for (name, value) in variables {
            match (name.into_string(), value.into_string()) {
                (Ok(name), Ok(value)) => readable.push((name, value)),
                (Ok(name), Err(_not_text)) => unreadable.push(name),
                (Err(_foreign), _) => {}
            }
        }
        Self { unreadable, ..Self::new(readable) }
    }

    /// Text of the variable, if it is set.
    pub fn optional(&self, name: &str) -> Option<String> {
        self.declare(name, None, Mask::Nothing);
        self.variables.get(name).cloned()
    }

    /// Text of the variable, or a default.
    pub fn text(&self, name: &str, default: &str) -> String {
        self.declare(name, Some(default), Mask::Nothing);
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    /// Secret text, if it is set.
    pub fn secret(&self, name: &str) -> Option<Secret> {
        self.declare(name, None, Mask::Whole);
        self.optional(name).map(Secret::new)
    }

    /// URL that contains credentials, if it is set.
    pub fn secret_url(&self, name: &str) -> Option<Secret> {
        self.declare(name, None, Mask::Password);
        self.optional(name).map(Secret::new)
    }

    /// Records the default of a variable where the reader does not know it itself.
    pub fn default_of(&self, name: &str, default: impl Display) {
        self.declare(name, Some(&default.to_string()), Mask::Nothing);
    }

    fn declare(&self, name: &str, default: Option<&str>, mask: Mask) {
        self.declared.borrow_mut().entry(name.to_owned()).or_default().merge(default, mask);
    }

    /// Parsed value or a default. `expected` completes the sentence "NAME must be …".
    pub fn value<T: FromStr + Display>(&mut self, name: &str, default: T, expected: &str) -> T {
        self.default_of(name, &default);
        match self.optional(name).map(|text| text.parse::<T>()) {
            None => default,
            Some(Ok(value)) => value,
            Some(Err(_unparsable)) => {
                self.mistake(name, format_args!("must be {expected}"));
                default
            }
        }
    }

    /// Parsed value within bounds, or a default.
    pub fn within<T>(&mut self, name: &str, default: T, lowest: T, highest: T) -> T
    where
        T: FromStr + PartialOrd + Display + Copy,
    {
        let expected = format!("a number from {lowest} to {highest}");
        let value = self.value(name, default, &expected);
        if value < lowest || value > highest {
            self.mistake(name, format_args!("must be {expected}"));
            return default;
        }
        value
    }

    /// Number of threads. 0 and an unset variable mean one per core.
    pub fn threads(&mut self, name: &str) -> usize {
        match self.within(name, 0, 0, 256) {
            0 => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            threads => threads,
        }
    }

    /// `true` or `false`, or a default.
    pub fn flag(&mut self, name: &str, default: bool) -> bool {
        self.value(name, default, "`true` or `false`")
    }

    /// Comma-separated parts of a variable. Empty when it is not set.
    pub fn list(&self, name: &str) -> Vec<String> {
        let text = self.optional(name).unwrap_or_default();
        Self::parts(&text)
    }

    /// Comma-separated parts of a secret variable.
    pub fn secret_list(&self, name: &str) -> Vec<String> {
        self.secret(name).map(|text| Self::parts(text.expose())).unwrap_or_default()
    }

    fn parts(text: &str) -> Vec<String> {
        text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// Records a mistake. The value is never part of the message, because it may be a secret.
    pub fn mistake(&mut self, name: &str, what: impl Display) {
        self.mistakes.push(format!("{name} {what}"));
    }

    /// Records a warning about a value that works but is probably a mistake.
    pub fn warn(&mut self, name: &str, what: impl Display) {
        self.warnings.push(format!("{name} {what}"));
    }

    /// All variables, in the order of names.
    pub(super) fn variables(&self) -> Vec<Variable> {
        let (declared, mut descriptions) = (self.declared.borrow(), descriptions());
        let variable = |(name, declared): (&String, &Declared)| {
            let source = if self.from_file.contains(name) { Source::File } else { Source::Environment };
            let set = self.variables.get(name).map(|value| (value.as_str(), source));
            declared.variable(name, set, descriptions.remove(name.as_str()).unwrap_or_default())
        };
        declared.iter().map(variable).collect()
    }

    /// Warnings so far, and one for each `LUMIO_` name that is never read.
    pub(super) fn warnings(&self) -> Vec<String> {
        let declared = self.declared.borrow();
        let set = self.variables.keys().chain(&self.unreadable).map(String::as_str);
        let known: Vec<&str> = declared.keys().map(String::as_str).collect();
        self.warnings.iter().cloned().chain(unknown(set, &known)).collect()
    }

    pub(super) fn finish(mut self) -> Result<(), Vec<String>> {
        for name in std::mem::take(&mut self.unreadable) {
            if self.declared.borrow().contains_key(&name) {
                self.mistake(&name, "must be text in UTF-8");
            }
        }
        if self.mistakes.is_empty() { Ok(()) } else { Err(self.mistakes) }
    }
}
