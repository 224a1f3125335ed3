//! Addresses of objects at Spotify, as people copy them.

/// Length of an id.
const ID_LENGTH: usize = 22;

/// Id of the object of a kind (`track`, `playlist`) that an address names: `spotify:{kind}:{id}`, or
/// `https://open.spotify.com/{kind}/{id}`, also with a language or a query. `None` for any other text.
#[must_use]
pub fn id_in_address(kind: &str, address: &str) -> Option<String> {
    let address = address.trim();
    let own = address.strip_prefix("spotify:").and_then(|rest| rest.strip_prefix(kind)?.strip_prefix(':'));
    let id = match own {
        Some(id) => id.to_owned(),
        None => id_of_page(kind, address)?,
    };
    let is_id = id.len() == ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_id.then_some(id)
}

fn id_of_page(kind: &str, address: &str) -> Option<String> {
    let page = url::Url::parse(address).ok()?;
    if page.scheme() != "https" || page.host_str() != Some("open.spotify.com") {
        return None;
    }
    let mut segments = page.path_segments()?.skip_while(|segment| segment.starts_with("intl-"));
    match (segments.next(), segments.next(), segments.next()) {
        (Some(found), Some(id), None) if found == kind => Some(id.to_owned()),
        _ => None,
    }
}
