//! Functions with the first sentence of their documentation.

use syn::Item;

use super::attributes::{doc, first_sentence};

/// A function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub meaning: String,
}

/// Returns the documented functions of a source.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Function> {
    let functions = file.items.iter().filter_map(|item| match item {
        Item::Fn(function) => {
            let meaning = first_sentence(&doc(&function.attrs)?);
            Some(Function { name: function.sig.ident.to_string(), meaning })
        }
        _ => None,
    });
    functions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_documentation_is_one_sentence() {
        let found = read(&syn::parse_file("/// Makes it. Or not.\nfn make() {}\nfn bare() {}").unwrap());
        assert_eq!(found, [Function { name: "make".to_owned(), meaning: "Makes it.".to_owned() }]);
    }
}
