//! Test functions.

use syn::Item;

use super::{attributes::is_test, line_of};

/// A test function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    pub name: String,
    pub line: usize,
    /// Inline modules around it, outermost first.
    pub modules: Vec<String>,
}

/// Returns the test functions of a source.
#[must_use]
pub fn read(file: &syn::File) -> Vec<Test> {
    let mut found = Vec::new();
    collect(&file.items, &mut Vec::new(), &mut found);
    found
}

fn collect(items: &[Item], modules: &mut Vec<String>, found: &mut Vec<Test>) {
    for item in items {
        match item {
            Item::Fn(function) if is_test(&function.attrs) => found.push(Test {
                name: function.sig.ident.to_string(),
                line: line_of(&function.sig.ident),
                modules: modules.clone(),
            }),
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    modules.push(module.ident.to_string());
                    collect(items, modules, found);
                    modules.pop();
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn test_functions_are_found_with_their_modules() {
        let text = "#[test] fn a() {} mod b { #[tokio::test] async fn c() {} fn d() {} }";
        let found = read(&syn::parse_file(text).unwrap());
        assert_eq!(found.len(), 2);
        assert_eq!((found[1].name.as_str(), found[1].modules.as_slice()), ("c", &["b".to_owned()][..]));
    }
}
