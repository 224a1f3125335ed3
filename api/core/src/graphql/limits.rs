//! Bounds of a GraphQL document, its variables and its response (reference/graphql.md#bounds).
//!
//! They are chosen so that the most expensive admitted document costs at most fifty times the processor time
//! of `{ plans { id } }`; a test checks this.

use serde_json::json;

use crate::{ApiError, Code, Result};

/// Errors in one response. Further errors are dropped.
pub const MAX_ERRORS: usize = 100;

/// Counted and bounded property of a document or request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Length of the document.
    Bytes,
    /// Tokens of the document.
    Tokens,
    /// Operation definitions.
    Operations,
    /// Fragment definitions.
    Fragments,
    /// Uses of fragments, named and inline.
    Spreads,
    /// Selections of any kind, as written.
    Selections,
    /// Directives of the document.
    Directives,
    /// Definitions of variables.
    Variables,
    /// Values of arguments, each item of a list and each field of an object by itself.
    Arguments,
    /// Comparisons that merging fields of one name may take.
    Overlaps,
    /// Selections of one operation, each fragment counted wherever it is spread.
    Expanded,
    /// Deepest nesting of fields.
    Depth,
    /// Fields at the root of one operation.
    RootFields,
    /// Uses of the same root field in one operation.
    Aliases,
    /// Cost of one operation.
    Complexity,
    /// Estimated values of an introspection response.
    Introspection,
    /// The same of an operation that also selects other fields, or has variables or directives.
    MixedIntrospection,
    /// Values within the request: in the variables of an operation, or of a batch.
    Values,
    /// Operations in one batch.
    Batch,
}

impl Bound {
    /// Highest allowed count.
    #[must_use]
    pub const fn allowed(self) -> u64 {
        match self {
            Self::Bytes => 100 * 1024,
            Self::Tokens => 15_000,
            Self::Operations | Self::Fragments => 50,
            Self::Spreads | Self::Directives | Self::Variables => 100,
            Self::Selections | Self::Expanded => 2_500,
            Self::Arguments => 2_000,
            Self::Overlaps => 50_000,
            Self::Depth => 12,
            Self::RootFields => 40,
            Self::Aliases => 20,
            Self::Complexity => 1000,
            Self::Introspection => 100_000,
            Self::MixedIntrospection => 5_000,
            Self::Values => 10_000,
            Self::Batch => 10,
        }
    }

    /// Name in `details.limit`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Tokens => "tokens",
            Self::Operations => "operations",
            Self::Fragments => "fragments",
            Self::Spreads => "spreads",
            Self::Selections | Self::Expanded => "selections",
            Self::Directives => "directives",
            Self::Variables => "variables",
            Self::Arguments => "arguments",
            Self::Overlaps => "overlaps",
            Self::Depth => "depth",
            Self::RootFields => "root_fields",
            Self::Aliases => "aliases",
            Self::Complexity => "complexity",
            Self::Introspection => "introspection",
            Self::MixedIntrospection => "mixed_introspection",
            Self::Values => "values",
            Self::Batch => "batch",
        }
    }

    fn message(self) -> String {
        let allowed = self.allowed();
        match self {
            Self::Bytes => format!("A document must not be longer than {allowed} bytes"),
            Self::Tokens => format!("A document must not have more than {allowed} tokens"),
            Self::Operations => format!("A document must not define more than {allowed} operations"),
            Self::Fragments => format!("A document must not define more than {allowed} fragments"),
            Self::Spreads => {
                format!("A document must not use fragments more than {allowed} times, inline ones included")
            }
            Self::Selections => format!("A document must not select more than {allowed} times"),
            Self::Directives => format!("A document must not have more than {allowed} directives"),
            Self::Variables => format!("A document must not define more than {allowed} variables"),
            Self::Arguments => {
                format!("The arguments of a document must not have more than {allowed} values")
            }
            Self::Overlaps => {
                "A document must not select so many fields of the same name in so many fragments".to_owned()
            }
            Self::Expanded => format!(
                "An operation must not select more than {allowed} times, fragments counted wherever they are spread"
            ),
            Self::Depth => format!("Fields must not be nested deeper than {allowed} levels"),
            Self::RootFields => format!("An operation must not have more than {allowed} root fields"),
            Self::Aliases => format!("A root field must not be asked for more than {allowed} times"),
            Self::Complexity => format!("The operation must not cost more than {allowed}"),
            Self::Introspection => "Introspection must not nest so many lists".to_owned(),
            Self::MixedIntrospection => {
                "Introspection beside other fields, or with variables or directives, must not nest so many lists"
                    .to_owned()
            }
            Self::Values => format!("A request must not hold more than {allowed} values"),
            Self::Batch => format!("A batch must not hold more than {allowed} operations"),
        }
    }

    /// Refuses a count beyond the bound.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX`, with the limit in its details.
    pub fn check(self, asked: u64) -> Result<()> {
        if asked <= self.allowed() {
            return Ok(());
        }
        let details = json!({ "limit": self.name(), "allowed": self.allowed(), "asked": asked });
        Err(ApiError::new(Code::QueryTooComplex, self.message()).with_details(details))
    }
}

/// Refuses a JSON text with more values than a request may hold. It counts the separators between values, so
/// that nothing is parsed or kept.
pub fn check_values(json: &[u8]) -> Result<()> {
    let (mut values, mut in_text, mut is_escaped) = (1_u64, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_text => is_escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    Bound::Values.check(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_ignores_the_content_of_strings() {
        let list = |items: u64| format!("{{\"v\":[{}1]}}", "1,".repeat(usize::try_from(items - 1).unwrap()));
        let max = Bound::Values.allowed();
        assert!(check_values(list(max - 2).as_bytes()).is_ok());
        let error = check_values(list(max).as_bytes()).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "values");
        let text = format!(r#"{{"query":"{}"}}"#, r#"\"[,{"#.repeat(100_000));
        assert!(check_values(text.as_bytes()).is_ok(), "what stands in a text is no value");
    }

    #[test]
    fn limits_are_named_in_the_refusal() {
        assert!(Bound::Fragments.check(50).is_ok());
        let error = Bound::Fragments.check(51).unwrap_err();
        assert_eq!(error.message, "A document must not define more than 50 fragments");
        assert_eq!(error.details.unwrap(), json!({ "limit": "fragments", "allowed": 50, "asked": 51 }));
    }
}
