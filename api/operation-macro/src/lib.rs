//! The attribute `#[operation]`: publishes the documentation of an operation's function as its description.

use proc_macro::TokenStream;
use quote::quote;
use syn::{Attribute, Error, Expr, ExprLit, ItemFn, Lit, Meta, parse_macro_input};

/// Publishes the documentation of the function as the description of the operation of the same name, in the OpenAPI
/// document and in the GraphQL schema. The function itself stays as it is.
#[proc_macro_attribute]
pub fn operation(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let function = parse_macro_input!(item as ItemFn);
    if !arguments.is_empty() {
        return Error::new_spanned(&function.sig, "#[operation] takes no arguments")
            .into_compile_error()
            .into();
    }
    let text = documentation(&function.attrs);
    if text.is_empty() {
        let message = "an operation is described by the documentation of its function";
        return Error::new_spanned(&function.sig.ident, message).into_compile_error().into();
    }
    let name = function.sig.ident.to_string();
    quote! {
        #function

        ::api_core::access::descriptions::submit! {
            ::api_core::access::descriptions::Description { function: #name, text: #text }
        }
    }
    .into()
}

/// Text of the documentation comments, without the blank that follows the slashes.
fn documentation(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes.iter().filter_map(line).collect();
    let lines = lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn line(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    if !pair.path.is_ident("doc") {
        return None;
    }
    match &pair.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
