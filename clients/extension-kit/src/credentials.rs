//! Files that hold a credential. A bundle is public when its version is published, so none may get into it
//! (reference/extension-kit.md#pack).

use anyhow::{Result, bail};

/// Begin of the credentials of Lumio.
const PREFIX: &[u8] = b"lm_";
/// Hexadecimal digits of a credential after its kind.
const BODY_DIGITS: usize = 64;
/// Begin of a private key in a text file.
const PRIVATE_KEY: &str = "PRIVATE KEY-----";

/// Checks a file of a bundle.
///
/// # Errors
/// A file that holds a credential, or has the usual name of one that does.
pub fn check(path: &str, content: &[u8]) -> Result<()> {
    if has_usual_name(path) || has_token(content) || has_private_key(content) {
        bail!(
            "{path} seems to hold a credential, and the files of a published version are public: \
             keep it outside of the folder, or let its name begin with a dot"
        );
    }
    Ok(())
}

fn has_usual_name(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(extension, "pem" | "key" | "p12" | "pfx") || name.starts_with("secrets") && extension == "json"
}

fn has_token(content: &[u8]) -> bool {
    let mut starts = content.windows(PREFIX.len()).enumerate().filter(|(_, part)| *part == PREFIX);
    starts.any(|(start, _)| content.get(start + PREFIX.len()..).is_some_and(is_rest_of_token))
}

/// True for a kind, `_` and a body.
fn is_rest_of_token(rest: &[u8]) -> bool {
    let kind = rest.iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let body = rest.get(kind + 1..kind + 1 + BODY_DIGITS);
    kind > 0
        && rest.get(kind) == Some(&b'_')
        && body.is_some_and(|body| body.iter().all(u8::is_ascii_hexdigit))
}

fn has_private_key(content: &[u8]) -> bool {
    content.windows(PRIVATE_KEY.len()).any(|part| part == PRIVATE_KEY.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_refuses_files_that_seem_to_hold_a_credential() {
        let token = format!("const key = 'lm_user_{}';", "0a".repeat(32));
        let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n";
        for (path, content) in [
            ("token.txt", token.as_str()),
            ("assets/a.js", &format!("lm_lm_ lm_{token}")),
            ("a.txt", key),
            ("secrets.json", "{}"),
            ("a/Secrets.prod.json", "{}"),
            ("a/tls.key", ""),
            ("tls.PEM", ""),
        ] {
            let error = check(path, content.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{path} seems to hold a credential")), "{error}");
        }
        for (path, content) in [
            ("server.js", "const prefix = 'lm_user_'; // lm_ lm_user_0a"),
            ("secrets.js", "export const names = [];"),
            ("assets/key.svg", "<svg/>"),
        ] {
            check(path, content.as_bytes()).unwrap();
        }
    }
}
