//! Facts of the whole product that tables join: texts of variants, constructors of errors, routes and fields.

use std::collections::HashMap;

use crate::{
    checkout::Checkout,
    source::{
        Source,
        messages::{Code, Text},
        operations::{Field, Route},
    },
};

/// Methods that give the text of a variant.
const TEXT_METHODS: [&str; 5] = ["as_str", "text", "key", "name", "slug"];

/// Facts of the product by name.
#[derive(Debug)]
pub struct Index<'a> {
    pub checkout: &'a Checkout,
    pub product: Vec<&'a Source>,
    pub routes: Vec<&'a Route>,
    pub fields: Vec<&'a Field>,
    texts: HashMap<(&'a str, &'a str), &'a str>,
    constructors: HashMap<&'a str, &'a str>,
    /// Code by package folder, function and position of the argument.
    functions: HashMap<(&'a str, &'a str, usize), &'a Code>,
    constants: HashMap<&'a str, &'a str>,
}

impl<'a> Index<'a> {
    /// Reads the product.
    #[must_use]
    pub fn read(checkout: &'a Checkout) -> Self {
        let product: Vec<&Source> = checkout.product().collect();
        let mut index = Self {
            checkout,
            routes: product.iter().flat_map(|source| &source.facts.routes).collect(),
            fields: product.iter().flat_map(|source| &source.facts.fields).collect(),
            product: Vec::new(),
            texts: HashMap::new(),
            constructors: HashMap::new(),
            functions: HashMap::new(),
            constants: HashMap::new(),
        };
        for source in &product {
            index.take_messages(source);
            index.take_texts(source);
        }
        index.product = product;
        index
    }

    fn take_messages(&mut self, source: &'a Source) {
        let package = self.package(source);
        for message in &source.facts.messages {
            match (&message.text, &message.code) {
                (Text::Constructor(name), Code::Variant(variant)) => {
                    self.constructors.insert(name, variant);
                }
                (Text::Forwarded(function, position), code) if function != "new" && function != "from" => {
                    self.functions.insert((package, function, *position), code);
                }
                _ => {}
            }
        }
    }

    fn take_texts(&mut self, source: &'a Source) {
        for constant in &source.facts.constants {
            if let Some(text) = &constant.text {
                self.constants.entry(&constant.name).or_insert(text);
            }
        }
        let tables = &source.facts.enums;
        for row in tables.rows.iter().filter(|row| TEXT_METHODS.contains(&row.method.as_str())) {
            self.texts.entry((&row.owner, &row.variant)).or_insert(&row.value);
        }
        for (owner, variant, text) in &tables.assigned {
            self.texts.entry((owner, variant)).or_insert(text);
        }
    }

    fn package(&self, source: &Source) -> &'a str {
        self.checkout.package_of(&source.path).map_or("", |package| package.folder.as_str())
    }

    /// Returns the text that an enum gives for a variant, by a method or in a macro.
    #[must_use]
    pub fn text(&self, owner: &str, variant: &str) -> Option<&'a str> {
        self.texts.get(&(owner, variant)).copied()
    }

    /// Returns the text of a constant, of the source before others.
    #[must_use]
    pub fn constant<'b>(&'b self, source: &'b Source, name: &str) -> Option<&'b str> {
        let own = source.facts.constants.iter().find(|constant| constant.name == name);
        own.and_then(|constant| constant.text.as_deref()).or_else(|| self.constants.get(name).copied())
    }

    /// Returns the variant of a code enum that a message has: `Code::NotFound`.
    #[must_use]
    pub fn variant<'b>(&'b self, source: &Source, code: &'b Code) -> Option<&'b str> {
        match code {
            Code::Variant(variant) => Some(variant),
            Code::Constructor(name) => self.constructors.get(name.as_str()).copied(),
            Code::Function(name, position) => {
                match self.functions.get(&(self.package(source), name.as_str(), *position))? {
                    Code::Variant(variant) => Some(variant),
                    Code::Constructor(name) => self.constructors.get(name.as_str()).copied(),
                    Code::Function(..) => None,
                }
            }
        }
    }
}
