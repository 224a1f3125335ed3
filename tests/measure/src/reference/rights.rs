//! Tables of permissions and of error codes.

use super::{Index, code, markdown_table};

/// Enum of the codes.
const CODE: &str = "Code";

/// Returns the permissions of a scope by their resource, in the order of the catalogue.
///
/// # Errors
/// A scope without permissions.
pub fn permissions(index: &Index<'_>, scope: &str) -> Result<String, String> {
    let assigned = index.product.iter().flat_map(|source| &source.facts.enums.assigned);
    let texts = assigned.filter(|(owner, ..)| owner == scope).map(|(.., text)| text.as_str());
    let mut resources: Vec<(&str, Vec<&str>)> = Vec::new();
    for (resource, action) in texts.filter_map(|text| text.split_once(':')) {
        match resources.iter_mut().find(|(known, _)| *known == resource) {
            Some((_, actions)) => actions.push(action),
            None => resources.push((resource, vec![action])),
        }
    }
    if resources.is_empty() {
        return Err(format!("{scope} is no scope of permissions"));
    }
    let rows: Vec<Vec<String>> =
        resources.iter().map(|(resource, actions)| vec![code(resource), actions.join(", ")]).collect();
    Ok(markdown_table(&["Resource", "Actions"], &rows))
}

/// Returns the codes of errors with their statuses, in the order of their enum.
#[must_use]
pub fn error_codes(index: &Index<'_>) -> String {
    let mut rows = Vec::new();
    for source in &index.product {
        let tables = &source.facts.enums;
        let given = |variant: &str, method: &str| {
            let own = |row: &&crate::source::enums::Row| {
                row.owner == CODE && row.variant == variant && row.method == method
            };
            tables.rows.iter().find(own).map(|row| row.value.as_str())
        };
        for variant in tables.variants.iter().filter(|variant| variant.owner == CODE) {
            let (Some(text), Some(status)) = (given(&variant.name, "as_str"), given(&variant.name, "status"))
            else {
                continue;
            };
            rows.push(vec![code(text), number(status).to_owned(), variant.meaning.clone()]);
        }
    }
    markdown_table(&["Code", "Status", "Meaning"], &rows)
}

/// Number of a status by its constant.
fn number(status: &str) -> &str {
    match status {
        "BAD_REQUEST" => "400",
        "UNAUTHORIZED" => "401",
        "FORBIDDEN" => "403",
        "NOT_FOUND" => "404",
        "REQUEST_TIMEOUT" => "408",
        "CONFLICT" => "409",
        "PRECONDITION_FAILED" => "412",
        "UNSUPPORTED_MEDIA_TYPE" => "415",
        "UNPROCESSABLE_ENTITY" => "422",
        "PRECONDITION_REQUIRED" => "428",
        "TOO_MANY_REQUESTS" => "429",
        "INTERNAL_SERVER_ERROR" => "500",
        "SERVICE_UNAVAILABLE" => "503",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;
    use crate::checkout::Checkout;

    const SOURCE: &str = "permissions! { /// Doc.\nScope { A = \"things:read\", B = \"others:edit\", C = \"things:edit\", } }
        pub enum Code { /// Missing. More.\nNotFound, /// Late.\nTimeout }
        impl Code {
            pub const fn as_str(self) -> &'static str { match self { Self::NotFound => \"NOT_FOUND\", Self::Timeout => \"BAD_REQUEST\" } }
            pub const fn status(self) -> StatusCode { match self { Self::NotFound => StatusCode::NOT_FOUND, Self::Timeout => StatusCode::REQUEST_TIMEOUT } }
        }";

    fn checkout(folder: &Path) -> Checkout {
        let write = |path: &str, text: &str| {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("Cargo.toml", "[workspace]\nmembers = [\"api/things\"]\n");
        write("api/things/Cargo.toml", "[package]\nname = \"things\"\n");
        write("api/things/src/lib.rs", SOURCE);
        Checkout::read(folder, &[]).unwrap()
    }

    #[test]
    fn permissions_are_grouped_by_resource() {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout(folder.path());
        let index = Index::read(&checkout);
        let expected = "| Resource | Actions |\n|---|---|\n| `things` | read, edit |\n| `others` | edit |\n";
        assert_eq!(permissions(&index, "Scope").unwrap(), expected);
        assert_eq!(permissions(&index, "Other").unwrap_err(), "Other is no scope of permissions");
    }

    #[test]
    fn error_codes_have_their_status() {
        let folder = tempfile::tempdir().unwrap();
        let checkout = checkout(folder.path());
        let expected = "| Code | Status | Meaning |\n|---|---|---|\n| `NOT_FOUND` | 404 | Missing. |\n\
            | `BAD_REQUEST` | 408 | Late. |\n";
        assert_eq!(error_codes(&Index::read(&checkout)), expected);
    }
}
