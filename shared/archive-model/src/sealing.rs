//! Sealing of the secrets of an archive: HPKE (RFC 9180) with X25519, HKDF-SHA256 and AES-256-GCM
//! (reference/archives.md#secrets).
//!
//! The file is a sequence of records: a length of four bytes, most significant first, and the sealed record. Records are
//! sealed in one context, so none can be removed, repeated or moved. The last one states their number.

use std::io::{self, Read};

use base64::{Engine, prelude::BASE64_STANDARD};
use rustls::crypto::{
    aws_lc_rs::hpke::DH_KEM_X25519_HKDF_SHA256_AES_256 as SUITE,
    hpke::{EncapsulatedSecret, Hpke, HpkeOpener, HpkePrivateKey, HpkePublicKey, HpkeSealer},
};
use serde::{Deserialize, Serialize};
use shared::secret::Secret;
use uuid::Uuid;

use crate::{Error, Result};

/// Name of the suite in the manifest.
pub const SUITE_NAME: &str = "DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM";
/// Bytes of a key.
const KEY_BYTES: usize = 32;
/// Text before the account in the information that a context is bound to.
const INFO: &str = "lumio account archive v1 ";
/// Largest record of a file.
pub(crate) const MAX_RECORD_BYTES: usize = 16 * 1024 * 1024;

/// A sealed record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// Row of a table of credentials.
    Row {
        /// Name of the table.
        table: String,
        /// The row, as a line of a file of rows.
        line: String,
    },
    /// Secret in a column.
    Column {
        /// Name of the table.
        table: String,
        /// Name of the column.
        column: String,
        /// Name of the row in the place of the secret.
        row: String,
        /// The secret.
        value: String,
    },
    /// Secret setting of an install.
    Setting {
        /// The install.
        install: Uuid,
        /// Name of the setting.
        key: String,
        /// The secret.
        value: String,
    },
    /// End of the records.
    End {
        /// Number of the records before it.
        records: u64,
    },
}

/// Public key that secrets are sealed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_BYTES]);

/// Key pair of a recipient.
pub struct KeyPair {
    /// Public key.
    pub public: PublicKey,
    /// Private key, in base64.
    pub private: Secret,
}

impl PublicKey {
    /// Reads a key in base64.
    ///
    /// # Errors
    /// [`Error::Key`] for another form, or a point that no secret can be sealed to.
    pub fn parse(text: &str) -> Result<Self> {
        const FORM: &str = "The key must be an X25519 public key: base64 of 32 bytes";
        let bytes = BASE64_STANDARD.decode(text.trim()).map_err(|_malformed| Error::Key(FORM))?;
        let key = Self(bytes.try_into().map_err(|_other_length| Error::Key(FORM))?);
        // Refuses points of small order.
        Sealer::new(Uuid::nil(), &key).map_err(|_refused| Error::Key(FORM))?;
        Ok(key)
    }

    /// Key in base64.
    #[must_use]
    pub fn text(&self) -> String {
        BASE64_STANDARD.encode(self.0)
    }
}

impl KeyPair {
    /// Makes a key pair.
    ///
    /// # Errors
    /// A failure of the random number generator.
    pub fn generate() -> Result<Self> {
        let (public, private) =
            SUITE.generate_key_pair().map_err(|_failed| Error::Key("A key cannot be made"))?;
        let public = public.0.try_into().map_err(|_other_length| Error::Key("A key cannot be made"))?;
        Ok(Self {
            public: PublicKey(public),
            private: Secret::new(BASE64_STANDARD.encode(private.secret_bytes())),
        })
    }
}

/// Sealer of the records of one archive.
pub struct Sealer {
    context: Box<dyn HpkeSealer>,
    encapsulated: Vec<u8>,
    records: u64,
}

impl Sealer {
    /// Begins the records of an account.
    ///
    /// # Errors
    /// [`Error::Key`] for a key that cannot be used.
    pub fn new(account: Uuid, key: &PublicKey) -> Result<Self> {
        let (encapsulated, context) = SUITE
            .setup_sealer(&info(account), &HpkePublicKey(key.0.to_vec()))
            .map_err(|_refused| Error::Key("The key cannot be used"))?;
        Ok(Self { context, encapsulated: encapsulated.0, records: 0 })
    }

    /// Encapsulated secret, in base64.
    #[must_use]
    pub fn encapsulated(&self) -> String {
        BASE64_STANDARD.encode(&self.encapsulated)
    }

    /// Number of the records so far, without the end.
    #[must_use]
    pub const fn records(&self) -> u64 {
        self.records
    }

    /// Appends a record to the bytes of the file.
    ///
    /// # Errors
    /// A failure of the cipher, or a record that is too large.
    pub fn append(&mut self, record: &Record, out: &mut Vec<u8>) -> Result<()> {
        let text = serde_json::to_vec(record)?;
        let sealed =
            self.context.seal(&[], &text).map_err(|_failed| Error::Key("A secret cannot be sealed"))?;
        if sealed.len() > MAX_RECORD_BYTES {
            return Err(Error::Archive("A record of the secrets is too large".to_owned()));
        }
        let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&sealed);
        if !matches!(record, Record::End { .. }) {
            self.records += 1;
        }
        Ok(())
    }

    /// Appends the end of the records.
    ///
    /// # Errors
    /// A failure of the cipher.
    pub fn finish(&mut self, out: &mut Vec<u8>) -> Result<()> {
        self.append(&Record::End { records: self.records }, out)
    }
}

/// Opener of the records of one archive.
pub struct Opener<R> {
    context: Box<dyn HpkeOpener>,
    file: R,
    record_bytes: usize,
    records: u64,
    has_ended: bool,
}

impl<R: Read> Opener<R> {
    /// Begins to read the records of an account.
    ///
    /// # Errors
    /// [`Error::Key`] for a malformed key, or one of another recipient in form.
    pub fn new(account: Uuid, private: &Secret, encapsulated: &str, file: R) -> Result<Self> {
        const FORM: &str = "The private key must be base64 of 32 bytes";
        let private =
            BASE64_STANDARD.decode(private.expose().trim()).map_err(|_malformed| Error::Key(FORM))?;
        if private.len() != KEY_BYTES {
            return Err(Error::Key(FORM));
        }
        let encapsulated = BASE64_STANDARD
            .decode(encapsulated)
            .map_err(|_malformed| Error::Archive("The encapsulated secret is not base64".to_owned()))?;
        let context = SUITE
            .setup_opener(&EncapsulatedSecret(encapsulated), &info(account), &HpkePrivateKey::from(private))
            .map_err(|_refused| Error::Key(NOT_OPENED))?;
        Ok(Self { context, file, record_bytes: MAX_RECORD_BYTES, records: 0, has_ended: false })
    }

    /// Opener with another maximum size of a record, in bytes.
    #[must_use]
    pub fn limited(self, record_bytes: usize) -> Self {
        Self { record_bytes, ..self }
    }

    /// Next record; `None` after the last.
    ///
    /// # Errors
    /// [`Error::Key`] for records that the key does not open; [`Error::Archive`] for a file that is cut off or
    /// malformed.
    pub fn next_record(&mut self) -> Result<Option<Record>> {
        if self.has_ended {
            return Ok(None);
        }
        let mut length = [0; 4];
        self.file.read_exact(&mut length).map_err(cut_off)?;
        let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
        if length > self.record_bytes {
            return Err(Error::Archive("A record of the secrets is too large".to_owned()));
        }
        let mut sealed = vec![0; length];
        self.file.read_exact(&mut sealed).map_err(cut_off)?;
        let text = self.context.open(&[], &sealed).map_err(|_refused| Error::Key(NOT_OPENED))?;
        let record: Record = serde_json::from_slice(&text)
            .map_err(|error| Error::Archive(format!("A record of the secrets is malformed: {error}")))?;
        if let Record::End { records } = record {
            self.has_ended = true;
            if records != self.records {
                return Err(Error::Archive("Records of the secrets are missing".to_owned()));
            }
            return Ok(None);
        }
        self.records += 1;
        Ok(Some(record))
    }
}

const NOT_OPENED: &str = "The private key does not open the secrets of this archive";

fn info(account: Uuid) -> Vec<u8> {
    format!("{INFO}{account}").into_bytes()
}

fn cut_off(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => Error::Archive("The file of secrets is cut off".to_owned()),
        _ => Error::File(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCOUNT: Uuid = Uuid::from_u128(7);

    fn record(value: &str) -> Record {
        Record::Column {
            table: "overlays".into(),
            column: "token".into(),
            row: "1".into(),
            value: value.into(),
        }
    }

    fn sealed(key: &PublicKey, values: &[&str]) -> (String, Vec<u8>) {
        let (mut sealer, mut out) = (Sealer::new(ACCOUNT, key).unwrap(), Vec::new());
        for value in values {
            sealer.append(&record(value), &mut out).unwrap();
        }
        sealer.finish(&mut out).unwrap();
        (sealer.encapsulated(), out)
    }

    fn opened(account: Uuid, private: &Secret, encapsulated: &str, file: &[u8]) -> Result<Vec<Record>> {
        let mut opener = Opener::new(account, private, encapsulated, file)?;
        let mut records = Vec::new();
        while let Some(record) = opener.next_record()? {
            records.push(record);
        }
        Ok(records)
    }

    #[test]
    fn opener_returns_the_records_to_their_recipient_only() {
        let (pair, other) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let (encapsulated, file) = sealed(&pair.public, &["one", "two"]);
        let records = opened(ACCOUNT, &pair.private, &encapsulated, &file).unwrap();
        assert_eq!(records, [record("one"), record("two")]);
        assert!(!String::from_utf8_lossy(&file).contains("overlays"));
        assert!(opened(ACCOUNT, &other.private, &encapsulated, &file).is_err());
        assert!(
            opened(Uuid::from_u128(8), &pair.private, &encapsulated, &file).is_err(),
            "of another account"
        );
        assert_eq!(PublicKey::parse(&pair.public.text()).unwrap(), pair.public);
    }

    #[test]
    fn opener_refuses_a_file_that_was_cut_or_changed() {
        let pair = KeyPair::generate().unwrap();
        let (encapsulated, file) = sealed(&pair.public, &["one", "two"]);
        for end in 0..file.len() {
            assert!(opened(ACCOUNT, &pair.private, &encapsulated, &file[..end]).is_err(), "cut at {end}");
        }
        let first = 4 + usize::try_from(u32::from_be_bytes(file[..4].try_into().unwrap())).unwrap();
        assert!(opened(ACCOUNT, &pair.private, &encapsulated, &file[first..]).is_err(), "without the first");
        let mut changed = file;
        *changed.last_mut().unwrap() ^= 1;
        assert!(opened(ACCOUNT, &pair.private, &encapsulated, &changed).is_err());
    }

    #[test]
    fn opener_and_sealer_refuse_a_record_above_the_maximum() {
        let pair = KeyPair::generate().unwrap();
        let (encapsulated, _) = sealed(&pair.public, &[]);
        let of_length = |length: usize| {
            let length = u32::try_from(length).unwrap().to_be_bytes();
            opened(ACCOUNT, &pair.private, &encapsulated, &length).unwrap_err().to_string()
        };
        assert_eq!(of_length(MAX_RECORD_BYTES), "The file of secrets is cut off");
        assert_eq!(of_length(MAX_RECORD_BYTES + 1), "A record of the secrets is too large");

        let mut sealer = Sealer::new(ACCOUNT, &pair.public).unwrap();
        let mut append = |bytes: usize| sealer.append(&record(&"x".repeat(bytes)), &mut Vec::new());
        append(MAX_RECORD_BYTES - 1_024).unwrap();
        assert_eq!(append(MAX_RECORD_BYTES).unwrap_err().to_string(), "A record of the secrets is too large");
    }

    #[test]
    fn public_key_refuses_other_forms_and_points_of_small_order() {
        for text in ["", "abc", "AAAA", &BASE64_STANDARD.encode([0; 32]), &BASE64_STANDARD.encode([9; 33])] {
            assert!(PublicKey::parse(text).is_err(), "{text}");
        }
    }
}
