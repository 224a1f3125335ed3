//! Chat lines that are commands (reference/bots.md#replies).

/// Maximum length of a command's name, in bytes.
const MAX_COMMAND_LENGTH: usize = 32;

/// Line that is a command: the account's prefix, a name, and arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine<'a> {
    /// Name in lower case, without the prefix.
    pub name: String,
    /// Text after the name, trimmed.
    pub arguments: &'a str,
}

impl<'a> CommandLine<'a> {
    /// Reads a message as a command.
    pub fn parse(text: &'a str, prefix: &str) -> Option<Self> {
        let line = text.trim_start().strip_prefix(prefix)?;
        let (name, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let is_name = !name.is_empty()
            && name.len() <= MAX_COMMAND_LENGTH
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        is_name.then(|| Self { name: name.to_ascii_lowercase(), arguments: arguments.trim() })
    }
}
