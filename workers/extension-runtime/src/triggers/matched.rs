//! Triggers that a message matches.

use super::{CommandLine, CommandTrigger, Line, Moderator, TextTrigger, Triggers};

/// Triggers of a message, each list in the order of the installs.
pub(super) struct Matched<'a> {
    pub moderate: Vec<&'a Moderator>,
    pub commands: Vec<&'a CommandTrigger>,
    pub keywords: Vec<&'a TextTrigger>,
    pub patterns: Vec<(&'a TextTrigger, Vec<Option<String>>)>,
}

impl<'a> Matched<'a> {
    /// Finds the triggers of a line.
    pub fn find(triggers: &'a Triggers, line: &Line, command: Option<&CommandLine<'_>>) -> Self {
        let message = &line.message;
        let open = |install: usize| triggers.is_open(install, Some(&message.platform));
        let roles = line.roles();
        let lowered = message.text.to_lowercase();
        let moderates = |moderator: &&Moderator| {
            open(moderator.install)
                && !moderator.exempt.iter().any(|role| roles.hold(*role))
                && moderator.filter.as_ref().is_none_or(|filter| filter.finds(&message.text, &lowered))
        };
        let commands = command.and_then(|line| triggers.commands.get(&line.name));
        let may_use =
            |trigger: &&CommandTrigger| open(trigger.install) && roles.highest() >= trigger.min_role;
        let keywords = triggers.keywords.find(&lowered);
        let patterns = triggers.patterns.find(&message.text);
        Self {
            moderate: triggers.moderate.iter().filter(moderates).collect(),
            commands: commands.into_iter().flatten().filter(may_use).collect(),
            keywords: keywords
                .into_iter()
                .map(|index| &triggers.keyword_triggers[index])
                .filter(|trigger| open(trigger.install))
                .collect(),
            patterns: patterns
                .into_iter()
                .map(|(index, groups)| (&triggers.pattern_triggers[index], groups))
                .filter(|(trigger, _)| open(trigger.install))
                .collect(),
        }
    }

    /// True when nothing is triggered.
    pub fn is_empty(&self) -> bool {
        self.moderate.is_empty()
            && self.commands.is_empty()
            && self.keywords.is_empty()
            && self.patterns.is_empty()
    }
}
