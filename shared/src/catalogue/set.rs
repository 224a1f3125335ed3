//! Trait of permission enums, and sets of permissions.

use std::{fmt, marker::PhantomData};

/// Member of one permission catalogue.
pub trait Permission: Copy + Eq + fmt::Debug + 'static {
    /// All permissions of the scope, in the order of the reference.
    const ALL: &'static [Self];

    /// Text form, `resource:action`.
    fn as_str(self) -> &'static str;

    /// Position in [`Permission::ALL`].
    fn index(self) -> usize;

    /// Permission with the given text.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|permission| permission.as_str() == text)
    }

    /// Part of the text before the colon.
    fn resource(self) -> &'static str {
        self.as_str().split_once(':').map_or("", |(resource, _)| resource)
    }

    /// Permission in words, for example `Bot modules: edit`.
    fn label(self) -> String {
        let spaced = self.as_str().replace(['-', '_'], " ").replacen(':', ": ", 1);
        let mut characters = spaced.chars();
        characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
    }
}

/// Declares a catalogue: an enum whose variants are `resource:action` strings.
macro_rules! permissions {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $(#[doc = concat!("Permission `", $text, "`.")] $variant,)+ }

        impl $name {
            /// Text form, `resource:action`.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// Length of the longest text.
            #[must_use]
            pub fn max_length() -> usize {
                Self::ALL.iter().map(|permission| permission.text().len()).max().unwrap_or_default()
            }
        }

        impl Permission for $name {
            const ALL: &'static [Self] = &[$(Self::$variant,)+];

            fn as_str(self) -> &'static str {
                self.text()
            }

            fn index(self) -> usize {
                self as usize
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.text())
            }
        }
    };
}
pub(crate) use permissions;

/// Set of permissions of one scope. Each permission is one bit, so that a check costs nothing.
pub struct PermissionSet<P> {
    bits: u128,
    scope: PhantomData<fn() -> P>,
}

impl<P: Permission> PermissionSet<P> {
    /// Empty set.
    #[must_use]
    pub const fn empty() -> Self {
        Self { bits: 0, scope: PhantomData }
    }

    /// Set of the whole catalogue.
    #[must_use]
    pub fn all() -> Self {
        P::ALL.iter().copied().collect()
    }

    /// Set of stored permission strings. A wildcard `resource:*` adds every permission of that resource; a
    /// bare `*` or `*:*` and unknown strings add nothing (reference/permissions.md#wildcards).
    pub fn from_strings<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let mut set = Self::empty();
        for text in texts {
            match text.as_ref().split_once(':') {
                Some((resource, "*")) => {
                    P::ALL.iter().filter(|p| p.resource() == resource).for_each(|p| set.insert(*p));
                }
                _ => P::parse(text.as_ref()).into_iter().for_each(|p| set.insert(p)),
            }
        }
        set
    }

    /// True when the set holds the permission.
    #[must_use]
    pub fn contains(&self, permission: P) -> bool {
        self.bits & bit(permission) != 0
    }

    /// Adds a permission.
    pub fn insert(&mut self, permission: P) {
        self.bits |= bit(permission);
    }

    /// Removes a permission.
    pub fn remove(&mut self, permission: P) {
        self.bits &= !bit(permission);
    }

    /// Permissions that both sets hold.
    #[must_use]
    pub const fn intersection(&self, other: &Self) -> Self {
        Self { bits: self.bits & other.bits, scope: PhantomData }
    }

    /// True when `other` holds every permission of this set.
    #[must_use]
    pub const fn is_subset(&self, other: &Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// True when the set holds nothing.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bits == 0
    }

    /// Number of permissions in the set.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Permissions of the set, in catalogue order.
    pub fn iter(&self) -> impl Iterator<Item = P> + '_ {
        P::ALL.iter().copied().filter(|permission| self.contains(*permission))
    }

    /// Strings of the permissions of the set, sorted.
    #[must_use]
    pub fn to_strings(&self) -> Vec<String> {
        let mut texts: Vec<String> = self.iter().map(|permission| permission.as_str().to_owned()).collect();
        texts.sort_unstable();
        texts
    }
}

fn bit<P: Permission>(permission: P) -> u128 {
    1 << permission.index()
}

impl<P: Permission> Extend<P> for PermissionSet<P> {
    fn extend<I: IntoIterator<Item = P>>(&mut self, permissions: I) {
        permissions.into_iter().for_each(|permission| self.insert(permission));
    }
}

impl<P> Clone for PermissionSet<P> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<P> Copy for PermissionSet<P> {}
impl<P> PartialEq for PermissionSet<P> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}
impl<P> Eq for PermissionSet<P> {}
impl<P: Permission> Default for PermissionSet<P> {
    fn default() -> Self {
        Self::empty()
    }
}
impl<P: Permission> fmt::Debug for PermissionSet<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(P::as_str)).finish()
    }
}
impl<P: Permission> FromIterator<P> for PermissionSet<P> {
    fn from_iter<I: IntoIterator<Item = P>>(permissions: I) -> Self {
        let mut set = Self::empty();
        permissions.into_iter().for_each(|permission| set.insert(permission));
        set
    }
}
