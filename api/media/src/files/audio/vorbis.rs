//! Memory that the codebooks of a Vorbis stream take in the decoder (reference/media.md#bounds-of-sounds).
//!
//! Twenty bytes of a header can state a codebook of 15 MiB of vectors or of 128 MiB of tables, and a header has 256 of
//! them. Floors of type 0 take up to about 2 MiB more. Nothing else grows beyond what the size of the header allows.

use std::io;

use super::malformed;

/// Maximum number of values in the vectors of all codebooks of Vorbis. Those of encoders have up to 150,000.
const MAX_VECTOR_VALUES: u32 = 1024 * 1024;
/// Maximum number of tables of all codebooks of Vorbis, each of 2 KiB. Those of encoders have up to 4,700.
const MAX_TABLES: u32 = 8192;
/// Maximum number of entries of a codebook of Vorbis. The decoder has the same.
const MAX_ENTRIES: u32 = 128 * 1024;
/// Maximum number of dimensions of a codebook of Vorbis. The decoder has the same.
const MAX_DIMENSIONS: u32 = 32;
/// Maximum length of a codeword of Vorbis, in bits.
const MAX_CODEWORD_LENGTH: u32 = 32;

/// First bytes of the header with the codebooks.
const SETUP: &[u8] = b"\x05vorbis";
/// First bits of a codebook.
const BOOK: u32 = 0x0056_4342;

/// Checks that a header begins with codebooks within the bounds.
pub(super) fn check(setup: &[u8]) -> io::Result<()> {
    let mut bits = Bits { bytes: setup.strip_prefix(SETUP).unwrap_or_default(), at: 0 };
    read_books(&mut bits).ok_or_else(|| malformed("malformed or large codebooks"))
}

/// Reads all codebooks; `None` for a malformed one, and when the sums exceed a bound.
fn read_books(bits: &mut Bits<'_>) -> Option<()> {
    let (mut values, mut tables) = (0, 0);
    for _ in 0..=bits.read(8)? {
        let book = Book::read(bits)?;
        values += book.values;
        tables += book.tables;
        if values > MAX_VECTOR_VALUES || tables > MAX_TABLES {
            return None;
        }
    }
    Some(())
}

/// Size of a codebook in the decoder.
struct Book {
    values: u32,
    tables: u32,
}

impl Book {
    fn read(bits: &mut Bits<'_>) -> Option<Self> {
        if bits.read(24)? != BOOK {
            return None;
        }
        let (dimensions, entries) = (bits.read(16)?, bits.read(24)?);
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) || entries > MAX_ENTRIES {
            return None;
        }
        let tables = Codewords::read(bits, entries)?.tables();
        let lookup = bits.read(4)?;
        if lookup == 0 {
            return Some(Self { values: 0, tables });
        }
        // The smallest value and the step.
        bits.skip(64)?;
        let (width, _is_sequence) = (bits.read(4)? + 1, bits.read(1)?);
        let values = entries * dimensions;
        let stated = match lookup {
            1 => values_per_dimension(entries, dimensions)?,
            2 => values,
            _ => return None,
        };
        bits.skip(stated * width)?;
        Some(Self { values, tables })
    }
}

/// Largest number whose power of the dimensions is not above the entries. The library computes it with rounding, and
/// checks it with powers of 32 bits: `None` where that fails, or where it would read the rest of the header from
/// another place.
fn values_per_dimension(entries: u32, dimensions: u32) -> Option<u32> {
    let rounded = (entries as f32).powf(1.0 / dimensions as f32).floor() as u32;
    let is_root =
        rounded.checked_pow(dimensions)? <= entries && (rounded + 1).checked_pow(dimensions)? > entries;
    is_root.then_some(rounded)
}

/// Numbers of codewords of a codebook that are longer than the bits of one, two and three tables.
#[derive(Default)]
struct Codewords {
    beyond: [u32; 3],
}

impl Codewords {
    fn read(bits: &mut Bits<'_>, entries: u32) -> Option<Self> {
        let mut codewords = Self::default();
        let is_ordered = bits.read(1)? == 1;
        if is_ordered {
            codewords.read_ordered(bits, entries)?;
            return Some(codewords);
        }
        let is_sparse = bits.read(1)? == 1;
        for _ in 0..entries {
            if !is_sparse || bits.read(1)? == 1 {
                codewords.add(bits.read(5)? + 1, 1);
            }
        }
        Some(codewords)
    }

    /// Reads how many codewords there are of each length, from the shortest on.
    fn read_ordered(&mut self, bits: &mut Bits<'_>, entries: u32) -> Option<()> {
        let (mut length, mut left) = (bits.read(5)? + 1, entries);
        while left > 0 {
            let count = bits.read(u32::BITS - left.leading_zeros())?;
            if length > MAX_CODEWORD_LENGTH {
                return None;
            }
            self.add(length, count);
            left = left.checked_sub(count)?;
            length += 1;
        }
        Some(())
    }

    fn add(&mut self, length: u32, count: u32) {
        for (beyond, bits) in self.beyond.iter_mut().zip([8, 16, 24]) {
            *beyond += if length > bits { count } else { 0 };
        }
    }

    /// Largest number of tables that the codewords need. A table is for the codewords with the same first 8, 16 or 24
    /// bits, of which a complete code has at least two.
    fn tables(&self) -> u32 {
        let [second, third, fourth] = self.beyond.map(|beyond| beyond / 2);
        1 + second.min(1 << 8) + third.min(1 << 16) + fourth
    }
}

/// Reader of bits, the lowest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    /// A number of up to 32 bits; `None` behind the end.
    fn read(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        for place in 0..count {
            let byte = self.bytes.get(self.at / 8)?;
            number |= u32::from((byte >> (self.at % 8)) & 1) << place;
            self.at += 1;
        }
        Some(number)
    }

    fn skip(&mut self, count: u32) -> Option<()> {
        self.at += usize::try_from(count).ok()?;
        (self.at <= self.bytes.len() * 8).then_some(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{super::tests::OGG, *};

    /// A codebook whose codewords all have one length, as pairs of a number and its bits.
    fn book(dimensions: u32, length: u32, entries: u32, lookup: u32) -> Vec<(u32, u32)> {
        let count_bits = u32::BITS - entries.leading_zeros();
        let mut book = vec![(BOOK, 24), (dimensions, 16), (entries, 24), (1, 1), (length - 1, 5)];
        book.extend([(entries, count_bits), (lookup, 4)]);
        if lookup > 0 {
            let stated = values_per_dimension(entries, dimensions).unwrap();
            book.extend([(0, 32), (0, 32), (0, 4), (0, 1)]);
            book.extend(vec![(0, 1); usize::try_from(stated).unwrap()]);
        }
        book
    }

    fn header(books: &[Vec<(u32, u32)>]) -> Vec<u8> {
        let count = (u32::try_from(books.len()).unwrap() - 1, 8);
        let numbers = std::iter::once(&count).chain(books.iter().flatten());
        let bits: Vec<bool> =
            numbers.flat_map(|(number, bits)| (0..*bits).map(move |bit| (number >> bit) & 1 == 1)).collect();
        let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| (byte << 1) | u8::from(*bit));
        [SETUP.to_vec(), bits.chunks(8).map(byte).collect()].concat()
    }

    /// A header of 5 KiB whose codebooks have 4 GiB of vectors.
    pub fn bomb() -> Vec<u8> {
        header(&vec![book(31, 17, 131_072, 1); 256])
    }

    #[test]
    fn check_takes_the_codebooks_of_an_encoder() {
        let place = OGG.windows(SETUP.len()).position(|window| window == SETUP).unwrap();
        check(&OGG[place..]).unwrap();
        // The last of the 19 codebooks ends at byte 2414.
        check(&OGG[place..place + 2415]).unwrap();
        for end in [0, 6, 8, 100, 1500, 2400] {
            assert!(check(&OGG[place..place + end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn check_refuses_vectors_above_the_bound() {
        assert!(bomb().len() < 6000 && check(&bomb()).is_err());
        let half = book(16, 15, 32_768, 1);
        check(&header(&[half.clone(), half.clone()])).unwrap();
        assert!(check(&header(&[half.clone(), half, book(1, 1, 2, 1)])).is_err());
    }

    #[test]
    fn check_refuses_tables_above_the_bound() {
        // Each of these codewords is one of two that share a table: 128 MiB for a codebook of 13 bytes.
        let scalar = header(&[book(1, 17, 131_072, 0)]);
        assert!(scalar.len() < 32 && check(&scalar).is_err());
        check(&header(&vec![book(1, 12, 4096, 0); 31])).unwrap();
        assert!(check(&header(&vec![book(1, 12, 4096, 0); 32])).is_err());
    }

    #[test]
    fn check_refuses_what_the_decoder_would_read_otherwise() {
        for wrong in [
            vec![(BOOK + 1, 24), (1, 16), (2, 24), (1, 1), (0, 5), (2, 2), (0, 4)],
            book(0, 1, 2, 0),
            book(33, 1, 2, 0),
            book(1, 18, 262_144, 0),
            // More codewords than entries, codewords of 33 bits, and an unknown kind of vectors.
            vec![(BOOK, 24), (1, 16), (2, 24), (1, 1), (0, 5), (3, 2), (0, 4)],
            vec![(BOOK, 24), (1, 16), (1, 24), (1, 1), (31, 5), (0, 1), (1, 1), (0, 4)],
            vec![(BOOK, 24), (1, 16), (2, 24), (1, 1), (0, 5), (2, 2), (3, 4), (0, 32), (0, 32), (0, 5)],
        ] {
            assert!(check(&header(&[wrong])).is_err());
        }
        check(&header(&[book(1, 1, 2, 0)])).unwrap();
    }

    #[test]
    fn values_per_dimension_are_the_root() {
        for (entries, dimensions, root) in
            [(0, 1, 0), (2, 1, 2), (6561, 8, 3), (81, 4, 3), (80, 4, 2), (131_072, 31, 1)]
        {
            assert_eq!(values_per_dimension(entries, dimensions), Some(root), "{entries} of {dimensions}");
        }
        assert_eq!(values_per_dimension(131_072, 32), None, "the next power exceeds 32 bits");
    }

    #[test]
    fn codewords_of_every_form_count_alike() {
        let tables = |numbers: &[(u32, u32)], entries| {
            let bytes = header(&[numbers.to_vec()]);
            let mut bits = Bits { bytes: &bytes[SETUP.len() + 1..], at: 0 };
            Codewords::read(&mut bits, entries).unwrap().tables()
        };
        let each = |sparse: bool| {
            let mut numbers = vec![(0, 1), (u32::from(sparse), 1)];
            for _ in 0..512 {
                numbers.extend(sparse.then_some((1, 1)));
                numbers.push((8, 5));
            }
            numbers
        };
        assert_eq!(tables(&[(1, 1), (8, 5), (512, 10)], 512), 257);
        assert_eq!(tables(&each(false), 512), 257);
        assert_eq!(tables(&each(true), 512), 257);
        assert_eq!(tables(&[(1, 1), (7, 5), (256, 9)], 256), 1);
    }
}
