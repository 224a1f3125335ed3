//! Forms of names: snake_case, segments, singular and plural.

/// Returns the lower-case segments of an identifier or file name.
#[must_use]
pub fn segments(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let characters: Vec<char> = part.chars().collect();
        let mut current = String::new();
        for (index, c) in characters.iter().enumerate() {
            let before = index.checked_sub(1).map(|at| characters[at]);
            let after = characters.get(index + 1);
            let begins = c.is_uppercase()
                && before.is_some_and(|before| {
                    !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
                });
            if begins && !current.is_empty() {
                found.push(std::mem::take(&mut current));
            }
            current.extend(c.to_lowercase());
        }
        if !current.is_empty() {
            found.push(current);
        }
    }
    found
}

/// Returns a name in snake_case.
#[must_use]
pub fn snake_case(name: &str) -> String {
    segments(name).join("_")
}

/// Returns a snake_case name in camelCase.
#[must_use]
pub fn camel_case(name: &str) -> String {
    let mut found = String::new();
    for (index, segment) in name.split('_').enumerate() {
        let mut characters = segment.chars();
        match characters.next() {
            Some(first) if index > 0 => {
                found.extend(first.to_uppercase());
                found.push_str(characters.as_str());
            }
            _ => found.push_str(segment),
        }
    }
    found
}

/// Returns a variant's name in SCREAMING_SNAKE_CASE.
#[must_use]
pub fn screaming(name: &str) -> String {
    snake_case(name).to_uppercase()
}

/// Returns the name with its last segment in the singular and in the plural, itself among them.
#[must_use]
pub fn numbers(name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    if let Some(stem) = name.strip_suffix("ies") {
        found.push(format!("{stem}y"));
    } else if let Some(stem) = name.strip_suffix("es")
        && ["s", "x", "ch", "sh", "z"].iter().any(|end| stem.ends_with(end))
    {
        found.push(stem.to_owned());
    }
    if let Some(stem) = name.strip_suffix('s') {
        found.push(stem.to_owned());
    } else if let Some(stem) = name.strip_suffix('y') {
        found.push(format!("{stem}ies"));
    }
    if ["s", "x", "ch", "sh"].iter().any(|end| name.ends_with(end)) {
        found.push(format!("{name}es"));
    } else {
        found.push(format!("{name}s"));
    }
    found
}

/// True when a snake_case name is the beginning or begins with it and an underscore.
#[must_use]
pub fn begins_with(name: &str, beginning: &str) -> bool {
    name.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_follow_case_and_underscores() {
        assert_eq!(segments("HTTPServer_of-two.rs"), ["http", "server", "of", "two", "rs"]);
        assert_eq!(segments("createUserApiKey"), ["create", "user", "api", "key"]);
        assert_eq!(segments("MAX_LENGTH"), ["max", "length"]);
    }

    #[test]
    fn camel_case_and_snake_case_are_inverse() {
        assert_eq!(snake_case("createUserApiKey"), "create_user_api_key");
        assert_eq!(camel_case("create_user_api_key"), "createUserApiKey");
        assert_eq!(screaming("RateLimitExceeded"), "RATE_LIMIT_EXCEEDED");
    }

    #[test]
    fn numbers_know_singular_and_plural() {
        assert!(numbers("policies").contains(&"policy".to_owned()));
        assert!(numbers("api_key").contains(&"api_keys".to_owned()));
        assert!(numbers("switches").contains(&"switch".to_owned()));
        assert!(begins_with("api_keys_expire", "api_keys") && !begins_with("api_keys_expire", "api_key"));
    }
}
