//! Pure: no I/O, no clock. Pictures as Telegram keeps them: a few sizes, each under an id of its own.

use serde::Serialize;

/// Longest side of each size that is kept, smallest first (tdlib names them s, m, x, y).
const SIDES: [u32; 4] = [90, 320, 800, 1280];

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct Photo {
    /// Smallest first.
    pub(super) sizes: Vec<Size>,
    /// The URL that it was sent by, if it was.
    pub(super) url: Option<String>,
}

/// A `PhotoSize`, its fields in Telegram's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Size {
    pub(super) file_id: String,
    pub(super) file_unique_id: String,
    pub(super) file_size: u64,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// How large a picture is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sandbox) struct Dimensions {
    pub(in crate::sandbox) width: u32,
    pub(in crate::sandbox) height: u32,
}

impl Photo {
    /// The sizes of a picture of `dimensions`; `name` makes an id of a number of letters.
    pub(super) fn new(dimensions: Dimensions, url: Option<String>, mut name: impl FnMut(usize) -> String) -> Self {
        let longest = dimensions.width.max(dimensions.height).max(1);
        let mut sizes = Vec::new();
        for side in SIDES {
            let side = side.min(longest);
            let scaled =
                |length: u32| u32::try_from(u64::from(length) * u64::from(side) / u64::from(longest)).unwrap_or(1);
            let (width, height) = (scaled(dimensions.width).max(1), scaled(dimensions.height).max(1));
            sizes.push(Size {
                file_id: format!("AgACAgIAAxkD{}", name(56)),
                file_unique_id: format!("AQAD{}", name(12)),
                // About what a JPEG of that size has.
                file_size: 400 + u64::from(width) * u64::from(height) / 8,
                width,
                height,
            });
            if side == longest {
                break;
            }
        }
        Self { sizes, url }
    }

    /// The id of its largest size.
    pub(super) fn file_id(&self) -> &str {
        self.sizes.last().map_or("", |size| &size.file_id)
    }
}

/// How large the picture in `bytes` is; `None` where it is none that Telegram could read.
pub(in crate::sandbox) fn dimensions(bytes: &[u8]) -> Option<Dimensions> {
    let word = |from: usize, to: usize| {
        Some(bytes.get(from..to)?.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)))
    };
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Some(Dimensions { width: word(16, 20)?, height: word(20, 24)? });
    }
    if bytes.starts_with(b"GIF8") || bytes.starts_with(b"BM") || bytes.get(8..12) == Some(b"WEBP") {
        // What these say of their size is not needed: Telegram makes a JPEG of them anyway.
        return Some(Dimensions { width: 640, height: 640 });
    }
    let mut place = bytes.starts_with(b"\xff\xd8").then_some(2)?;
    loop {
        let marker = word(place, place + 2)?;
        let length = usize::try_from(word(place + 2, place + 4)?).ok()?;
        // Start of frame: all of C0 to CF but those that hold tables.
        if (0xffc0..=0xffcf).contains(&marker) && ![0xffc4, 0xffc8, 0xffcc].contains(&marker) {
            return Some(Dimensions { width: word(place + 7, place + 9)?, height: word(place + 5, place + 7)? });
        }
        if marker < 0xff00 {
            return None;
        }
        place += 2 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_the_sizes_that_fit_in_it() {
        let photo = Photo::new(Dimensions { width: 1000, height: 500 }, None, |length| "a".repeat(length));
        let sizes: Vec<_> = photo.sizes.iter().map(|size| (size.width, size.height)).collect();
        assert_eq!(sizes, [(90, 45), (320, 160), (800, 400), (1000, 500)]);
    }

    #[test]
    fn what_is_no_picture_has_no_dimensions() {
        assert_eq!(dimensions(b"hello"), None);
        assert_eq!(dimensions(b"\xff\xd8"), None);
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x02\0\0\0\x03";
        assert_eq!(dimensions(png), Some(Dimensions { width: 2, height: 3 }));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x11\x08\0\x05\0\x07";
        assert_eq!(dimensions(jpeg), Some(Dimensions { width: 7, height: 5 }));
    }
}
