//! Hostile GraphQL requests: ten shapes, each of any size. The hostile size is the largest that is not refused as too
//! complex; [`largest`] finds it, so that the tests follow a moved bound.

use serde_json::{Value, json};

/// One way to make a request expensive.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub name: &'static str,
    /// The request of a size. The seed makes it a new one.
    pub request: fn(size: usize, seed: usize) -> Value,
}

/// The ten shapes, and two more ways to the same bounds.
pub const SHAPES: [Shape; 13] = [
    Shape { name: "fragments beside", request: beside },
    Shape { name: "fragments nested", request: nested },
    Shape { name: "fragments inline", request: inline },
    Shape { name: "aliases", request: aliases },
    Shape { name: "unknown fields", request: unknown },
    Shape { name: "variables", request: variables },
    Shape { name: "directives", request: directives },
    Shape { name: "input lists", request: input_lists },
    Shape { name: "introspection", request: introspection },
    Shape { name: "mixed introspection", request: mixed_introspection },
    Shape { name: "batch", request: batch },
    Shape { name: "repeated fields", request: repeated },
    Shape { name: "long document", request: long },
];

/// Larger than any bound.
const MAX_SIZE: usize = 1 << 20;

/// The largest size that is not refused, given the test of a size: the first refused size is searched between a power
/// of two and the next.
pub async fn largest<E>(mut is_refused: impl AsyncFnMut(usize) -> Result<bool, E>) -> Result<usize, E> {
    let mut too_large = 1;
    while too_large < MAX_SIZE && !is_refused(too_large).await? {
        too_large *= 2;
    }
    let (mut fits, mut refused) = (too_large / 2, too_large);
    while refused - fits > 1 {
        let middle = usize::midpoint(fits, refused);
        if is_refused(middle).await? {
            refused = middle;
        } else {
            fits = middle;
        }
    }
    Ok(fits)
}

/// True when a response reports that the request was too large or too complex.
#[must_use]
pub fn is_too_complex(answer: &Value) -> bool {
    let first = if answer.is_array() { &answer[0] } else { answer };
    let error = &first["errors"][0];
    error["extensions"]["code"] == "QUERY_TOO_COMPLEX" || error["message"] == "Request body too large"
}

fn document(query: &str, seed: usize) -> Value {
    json!({ "query": format!("{query} # {seed}") })
}

fn list(count: usize, item: impl FnMut(usize) -> String) -> String {
    (0..count).map(item).collect()
}

/// As many fragments as allowed, side by side, that select the same.
fn beside(size: usize, seed: usize) -> Value {
    const FRAGMENTS: usize = 48;
    let spreads = list(FRAGMENTS, |n| format!("...f{n} "));
    let fields = list(size, |n| format!("a{n}:id "));
    let fragments = list(FRAGMENTS, |n| format!("fragment f{n} on CurrentUser {{ {fields} }} "));
    document(&format!("{{ me {{ {spreads} }} }} {fragments}"), seed)
}

/// A fragment within a fragment within a fragment.
fn nested(size: usize, seed: usize) -> Value {
    const FRAGMENTS: usize = 48;
    let fields = list(size, |n| format!("a{n}:id "));
    let fragments = list(FRAGMENTS, |n| {
        let next = if n + 1 < FRAGMENTS { format!("...f{}", n + 1) } else { String::new() };
        format!("fragment f{n} on CurrentUser {{ {fields} {next} }} ")
    });
    document(&format!("{{ me {{ ...f0 }} }} {fragments}"), seed)
}

/// Inline fragments within each other.
fn inline(size: usize, seed: usize) -> Value {
    const LEVELS: usize = 50;
    let fields = list(size, |n| format!("a{n}:id "));
    document(&format!("{{ me {{ {} {fields} {} }} }}", "... { ".repeat(LEVELS), "} ".repeat(LEVELS)), seed)
}

/// The same public fields under many names, with everything below them.
fn aliases(size: usize, seed: usize) -> Value {
    let fields = list(size, |n| {
        if n % 2 == 0 {
            format!(
                "a{n}: plans {{ id slug name description priceMonthly features {{ featureKey enabled }} }} "
            )
        } else {
            format!("a{n}: storeExtensions(limit: 10) {{ total items {{ id name slug }} }} ")
        }
    });
    document(&format!("{{ {fields} }}"), seed)
}

/// Fields that do not exist: an error each.
fn unknown(size: usize, seed: usize) -> Value {
    document(&format!("{{ me {{ {} }} }}", list(size, |n| format!("x{n} "))), seed)
}

/// A variable with many values that are not what is declared: an error each.
fn variables(size: usize, seed: usize) -> Value {
    let query = "query($v: [String!]) { searchPlatformUsers(query: \"a\", platforms: $v) { id } }";
    json!({ "query": format!("{query} # {seed}"), "variables": { "v": vec![1; size] } })
}

/// Directives on a field.
fn directives(size: usize, seed: usize) -> Value {
    document(&format!("{{ plans {{ id {} }} }}", "@include(if: true) ".repeat(size)), seed)
}

/// A list in the document with many values that are not what is declared.
fn input_lists(size: usize, seed: usize) -> Value {
    let items = "{ a: [1] } ".repeat(size);
    document(&format!("{{ searchPlatformUsers(query: \"a\", platforms: [{items}]) {{ id }} }}"), seed)
}

/// All types with their fields, under many names.
fn introspection(size: usize, seed: usize) -> Value {
    let types = list(size, |n| {
        format!("t{n}: types {{ name fields {{ name type {{ kind ofType {{ name }} }} }} }} ")
    });
    document(&format!("{{ __schema {{ {types} }} }}"), seed)
}

/// Fields of a type under many names, beside another field.
fn mixed_introspection(size: usize, seed: usize) -> Value {
    let fields = list(size, |n| format!("f{n}: fields {{ name type {{ kind }} }} "));
    document(&format!("{{ plans {{ id }} __type(name: \"Account\") {{ {fields} }} }}"), seed)
}

/// Ten operations, each as expensive as a refused one may be.
fn batch(size: usize, seed: usize) -> Value {
    (0..10).map(|n| unknown(size, seed * 10 + n)).collect()
}

/// A field again and again.
fn repeated(size: usize, seed: usize) -> Value {
    document(&format!("{{ me {{ {} }} }}", "id ".repeat(size)), seed)
}

/// Text that means nothing.
fn long(size: usize, seed: usize) -> Value {
    document(&format!("{{ plans {{ id }} }} #{}", "x".repeat(size)), seed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn hostile_search_finds_the_largest_accepted_size() {
        for bound in [1, 2, 3, 50, 999, 1024] {
            let found = largest(async |size| Ok::<_, ()>(size > bound)).await;
            assert_eq!(found, Ok(bound));
        }
    }

    #[test]
    fn hostile_requests_are_all_different() {
        for shape in SHAPES {
            assert_ne!((shape.request)(3, 1), (shape.request)(3, 2), "{}", shape.name);
        }
    }
}
