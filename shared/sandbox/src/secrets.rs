use std::fmt;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

use crate::host::HostError;

/// Maximum number of different values that one invocation may read; an extension has no more secrets than
/// that.
const MAX_VALUES: usize = 20;
/// Minimum length of a value that is replaced, in characters: shorter ones occur in every text.
const MIN_LENGTH: usize = 4;
/// Text in place of a secret.
const BLANK: &str = "[secret]";

/// Secrets that handler code has read, to be removed from everything that it writes.
#[derive(Default)]
pub(crate) struct SecretsRead {
    values: Vec<String>,
    /// Number of values that were known from the beginning.
    known: usize,
    /// Finder of all `values` in one pass; `None` while there are none.
    finder: Option<AhoCorasick>,
}

impl SecretsRead {
    /// Adds values that handler code has from the beginning. They do not count against the values that it may
    /// read.
    pub(crate) fn know(&mut self, values: &[String]) {
        let long = values.iter().filter(|value| value.chars().take(MIN_LENGTH).count() == MIN_LENGTH);
        self.values.extend(long.cloned());
        self.known = self.values.len();
        if self.values.is_empty() {
            return;
        }
        match finder(&self.values) {
            Ok(finder) => self.finder = Some(finder),
            // Only for a set that is too large to be searched for; lines that could hold one are dropped
            // then.
            Err(error) => tracing::error!(%error, "secret settings cannot be redacted"),
        }
    }

    /// Adds a value before handler code gets it.
    ///
    /// # Errors
    /// `Limit` for a value beyond the maximum: the code must not get a value that could not be removed.
    pub(crate) fn remember(&mut self, value: &str) -> Result<(), HostError> {
        if value.chars().take(MIN_LENGTH).count() < MIN_LENGTH
            || self.values.iter().any(|known| known == value)
        {
            return Ok(());
        }
        if self.values.len() - self.known >= MAX_VALUES {
            return Err(HostError::limit(format!(
                "ctx.secrets.get: the limit of {MAX_VALUES} different secrets per invocation is used up"
            )));
        }
        self.values.push(value.to_owned());
        match finder(&self.values) {
            Ok(finder) => self.finder = Some(finder),
            Err(error) => {
                self.values.pop();
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns the text without the values. Each place is replaced once, so work and result are proportional
    /// to the text.
    pub(crate) fn removed_from(&self, text: String) -> String {
        let Some(finder) = self.finder.as_ref().filter(|finder| finder.is_match(&text)) else { return text };
        let mut rest = String::with_capacity(text.len());
        finder.replace_all_with(&text, &mut rest, |_, _, rest| {
            rest.push_str(BLANK);
            true
        });
        rest
    }
}

fn finder(values: &[String]) -> Result<AhoCorasick, HostError> {
    AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        // Small also for long values.
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(values)
        .map_err(|error| HostError::internal(format!("the secrets cannot be searched for: {error}")))
}

/// Omits the values.
impl fmt::Debug for SecretsRead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretsRead").field("values", &self.values.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(values: &[&str]) -> SecretsRead {
        let mut secrets = SecretsRead::default();
        for value in values {
            secrets.remember(value).unwrap();
        }
        secrets
    }

    #[test]
    fn secrets_are_replaced_by_the_longest_match() {
        let secrets = read(&["secret", "key-", "key-1234"]);
        assert_eq!(secrets.removed_from("key-1234 key-9 secret".to_owned()), "[secret] [secret]9 [secret]");
        assert_eq!(secrets.removed_from("nothing".to_owned()), "nothing");
    }

    #[test]
    fn secrets_are_remembered_once_and_not_if_short() {
        let mut secrets = SecretsRead::default();
        for _ in 0..1000 {
            secrets.remember("e").unwrap();
            secrets.remember("äöü").unwrap();
            secrets.remember("äöüß").unwrap();
        }
        assert_eq!(secrets.values, ["äöüß"]);
        assert_eq!(secrets.removed_from("e äöüß".to_owned()), "e [secret]");
    }

    #[test]
    fn secrets_above_the_limit_are_refused() {
        let mut secrets = SecretsRead::default();
        for value in 0..MAX_VALUES {
            secrets.remember(&format!("value {value}")).unwrap();
        }
        assert!(secrets.remember("value 0").is_ok());
        assert!(secrets.remember("another").unwrap_err().message.contains("limit of 20"));
    }
}
