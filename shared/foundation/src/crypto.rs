//! Encryption at rest: AES-256-GCM under numbered keys, bound to the place where the secret is stored
//! (reference/storage.md#encryption-at-rest).
//!
//! A sealed value is `key id length (1 byte) | key id | nonce (12 bytes) | ciphertext and tag`. The place
//! (table, row and column) is authenticated but not stored, so that a ciphertext copied to another row does
//! not open.

use aes_gcm::{
    Aes256Gcm, Key, KeyInit, Nonce,
    aead::{Aead, Payload},
};
use rand::RngExt;
use uuid::Uuid;

use shared::{
    Error, Result,
    secret::{NamedKey, Secret},
};

const NONCE_BYTES: usize = 12;

/// Place where a secret is stored. It is the associated data of its ciphertext.
#[derive(Debug, Clone, Copy)]
pub struct SecretLocation<'a> {
    /// Name of the table.
    pub table: &'a str,
    /// Name of the column.
    pub column: &'a str,
    /// Identity of the row, see [`row`].
    pub row: &'a str,
}

impl SecretLocation<'_> {
    fn associated_data(&self) -> Vec<u8> {
        format!("{}\0{}\0{}", self.table, self.column, self.row).into_bytes()
    }
}

/// Keys in use. The first one encrypts, all of them decrypt.
#[derive(Debug, Clone)]
pub struct Keyring {
    keys: Vec<NamedKey>,
}

impl Keyring {
    /// Creates a ring whose first key encrypts new values.
    ///
    /// # Errors
    /// No key at all, or a key id that is empty, too long or used twice.
    pub fn new(keys: Vec<NamedKey>) -> Result<Self> {
        if keys.is_empty() {
            return Err(Error::Internal("no encryption key is configured".into()));
        }
        for (index, key) in keys.iter().enumerate() {
            if key.id.is_empty() || key.id.len() > 64 || keys[..index].iter().any(|other| other.id == key.id)
            {
                return Err(Error::Internal(format!(
                    "encryption key id `{}` is empty, too long or repeated",
                    key.id
                )));
            }
        }
        Ok(Self { keys })
    }

    /// Encrypts a secret for a place under the current key.
    ///
    /// # Errors
    /// A failure of the cipher, which occurs only for texts of more than 64 GiB.
    pub fn seal(&self, place: SecretLocation<'_>, secret: &Secret) -> Result<Vec<u8>> {
        let current = &self.keys[0];
        let nonce: [u8; NONCE_BYTES] = rand::rng().random();
        let aad = place.associated_data();
        let payload = Payload { msg: secret.expose().as_bytes(), aad: &aad };
        let sealed = cipher(&current.key)
            .encrypt(&Nonce::from(nonce), payload)
            .map_err(|_error| Error::Internal("a secret could not be encrypted".into()))?;
        let id_length = u8::try_from(current.id.len()).unwrap_or(u8::MAX);
        let mut out = Vec::with_capacity(1 + current.id.len() + NONCE_BYTES + sealed.len());
        out.push(id_length);
        out.extend_from_slice(current.id.as_bytes());
        out.extend_from_slice(&nonce);
        out.extend_from_slice(&sealed);
        Ok(out)
    }

    /// Decrypts a value that was sealed for the same place.
    ///
    /// # Errors
    /// [`Error::Decryption`] when the key is not in the ring, the place differs or the bytes were changed.
    pub fn open(&self, place: SecretLocation<'_>, sealed: &[u8]) -> Result<Secret> {
        let unreadable = |why: &str| Error::Decryption(format!("{}.{}: {why}", place.table, place.column));
        let (id, rest) = split_key_id(sealed).ok_or_else(|| unreadable("too short"))?;
        let key = self
            .keys
            .iter()
            .find(|key| key.id.as_bytes() == id)
            .ok_or_else(|| unreadable("its key is not configured"))?;
        let (nonce, ciphertext) =
            rest.split_at_checked(NONCE_BYTES).ok_or_else(|| unreadable("too short"))?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_error| unreadable("too short"))?;
        let aad = place.associated_data();
        let text = cipher(&key.key)
            .decrypt(&Nonce::from(nonce), Payload { msg: ciphertext, aad: &aad })
            .map_err(|_error| unreadable("key, place or bytes do not match"))?;
        String::from_utf8(text).map(Secret::new).map_err(|_error| unreadable("not text"))
    }

    /// Key that encrypts new values.
    #[must_use]
    pub fn current(&self) -> &NamedKey {
        &self.keys[0]
    }

    /// Keys that only decrypt older values.
    #[must_use]
    pub fn retired(&self) -> &[NamedKey] {
        &self.keys[1..]
    }

    /// Id of the key of a sealed value, which need not be in the ring.
    #[must_use]
    pub fn key_id(sealed: &[u8]) -> Option<String> {
        split_key_id(sealed).map(|(id, _)| String::from_utf8_lossy(id).into_owned())
    }

    /// Bytes that every value under the current key begins with.
    #[must_use]
    pub fn current_prefix(&self) -> Vec<u8> {
        let id = self.current().id.as_bytes();
        let mut prefix = vec![u8::try_from(id.len()).unwrap_or(u8::MAX)];
        prefix.extend_from_slice(id);
        prefix
    }

    /// True when a sealed value is under another key than the current one and should be sealed again.
    #[must_use]
    pub fn is_stale(&self, sealed: &[u8]) -> bool {
        split_key_id(sealed).is_none_or(|(id, _)| id != self.keys[0].id.as_bytes())
    }
}

/// Form of a row's id in the associated data.
#[must_use]
pub fn row(id: Uuid) -> String {
    id.to_string()
}

fn cipher(key: &[u8; 32]) -> Aes256Gcm {
    Aes256Gcm::new(&Key::<Aes256Gcm>::from(*key))
}

fn split_key_id(sealed: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = sealed.split_first()?;
    rest.split_at_checked(usize::from(*length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(id: &str, byte: u8) -> NamedKey {
        NamedKey { id: id.into(), key: [byte; 32] }
    }

    const PLACE: SecretLocation<'static> = SecretLocation { table: "t", column: "c", row: "1" };

    #[test]
    fn keyring_opens_a_secret_only_at_its_own_location() {
        let ring = Keyring::new(vec![key("a", 1)]).unwrap();
        let sealed = ring.seal(PLACE, &Secret::new("hush")).unwrap();
        assert_eq!(ring.open(PLACE, &sealed).unwrap().expose(), "hush");
        for place in [
            SecretLocation { row: "2", ..PLACE },
            SecretLocation { column: "d", ..PLACE },
            SecretLocation { table: "u", ..PLACE },
        ] {
            assert!(matches!(ring.open(place, &sealed), Err(Error::Decryption(_))));
        }
    }

    #[test]
    fn keyring_opens_values_of_old_keys_and_reports_them_stale() {
        let old = Keyring::new(vec![key("a", 1)]).unwrap();
        let sealed = old.seal(PLACE, &Secret::new("hush")).unwrap();
        let rotated = Keyring::new(vec![key("b", 2), key("a", 1)]).unwrap();
        assert_eq!(rotated.open(PLACE, &sealed).unwrap().expose(), "hush");
        assert!(rotated.is_stale(&sealed) && !old.is_stale(&sealed));
        let lost = Keyring::new(vec![key("b", 2)]).unwrap();
        assert!(matches!(lost.open(PLACE, &sealed), Err(Error::Decryption(_))));
    }

    #[test]
    fn keyring_refuses_changed_or_truncated_bytes() {
        let ring = Keyring::new(vec![key("a", 1)]).unwrap();
        let sealed = ring.seal(PLACE, &Secret::new("hush")).unwrap();
        for cut in 0..sealed.len() {
            assert!(ring.open(PLACE, &sealed[..cut]).is_err(), "cut at {cut}");
        }
        let mut changed = sealed;
        *changed.last_mut().unwrap() ^= 1;
        assert!(ring.open(PLACE, &changed).is_err());
    }

    #[test]
    fn crypto_keys_are_not_printed() {
        assert!(!format!("{:?}", key("a", 7)).contains('7'));
    }
}
