//! Pure: no I/O, no clock. A response's body: where it ends, and what it was before it was compressed.

use crate::sandbox::parameters::{TOO_MANY_PARAMETERS, Unreadable};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use std::io::Read;

const BAD_CHUNK: Unreadable = Unreadable { status: 400, description: "Bad Request: invalid chunk" };
const BAD_COMPRESSION: Unreadable = Unreadable { status: 400, description: "Bad Request: can't decompress the body" };

/// How a body says where it ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Framing {
    /// After this many bytes.
    Length(usize),
    /// After the empty chunk.
    Chunked,
}

/// How a body is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Encoding {
    /// As it is.
    None,
    /// gzip or zlib: Telegram looks which.
    Compressed,
}

/// The body at the beginning of `bytes` and how many bytes it took; `None` while it is not complete.
pub(super) fn read(bytes: &[u8], framing: Framing, longest: usize) -> Result<Option<(Vec<u8>, usize)>, Unreadable> {
    match framing {
        Framing::Length(length) if length > longest => Err(TOO_MANY_PARAMETERS),
        Framing::Length(length) => Ok(bytes.get(..length).map(|body| (body.to_vec(), length))),
        Framing::Chunked => chunks(bytes, longest),
    }
}

fn chunks(bytes: &[u8], longest: usize) -> Result<Option<(Vec<u8>, usize)>, Unreadable> {
    let mut body = Vec::new();
    let mut rest = bytes;
    loop {
        let Some((line, after)) = line(rest) else { return Ok(None) };
        let size = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        let size = std::str::from_utf8(size).ok().and_then(|size| usize::from_str_radix(size, 16).ok());
        let size = size.ok_or(BAD_CHUNK)?;
        if size == 0 {
            return Ok(after_trailers(after).map(|after| (body, bytes.len() - after.len())));
        }
        if size > longest - body.len() {
            return Err(TOO_MANY_PARAMETERS);
        }
        let Some((chunk, after)) = after.split_at_checked(size) else { return Ok(None) };
        body.extend_from_slice(chunk);
        match after {
            [b'\r', b'\n', next @ ..] => rest = next,
            [] | [b'\r'] => return Ok(None),
            _ => return Err(BAD_CHUNK),
        }
    }
}

fn after_trailers(mut rest: &[u8]) -> Option<&[u8]> {
    loop {
        let (line, after) = line(rest)?;
        if line.is_empty() {
            return Some(after);
        }
        rest = after;
    }
}

fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.windows(2).position(|two| two == b"\r\n")?;
    Some((&bytes[..end], &bytes[end + 2..]))
}

/// `body` as it was before it was written as `encoding`, which may be no longer than `longest`.
pub(super) fn decode(body: Vec<u8>, encoding: Encoding, longest: usize) -> Result<Vec<u8>, Unreadable> {
    match encoding {
        Encoding::None => Ok(body),
        Encoding::Compressed if body.starts_with(&[0x1f, 0x8b]) => all_of(MultiGzDecoder::new(&body[..]), longest),
        Encoding::Compressed => all_of(ZlibDecoder::new(&body[..]), longest),
    }
}

fn all_of(decoder: impl Read, longest: usize) -> Result<Vec<u8>, Unreadable> {
    let mut decoded = Vec::new();
    // One byte more than allowed, to see whether there is one.
    let limit = u64::try_from(longest).unwrap_or(u64::MAX).saturating_add(1);
    decoder.take(limit).read_to_end(&mut decoded).map_err(|_| BAD_COMPRESSION)?;
    if decoded.len() > longest { Err(TOO_MANY_PARAMETERS) } else { Ok(decoded) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use std::io::Write;

    #[test]
    fn chunks_are_put_together() {
        let text = b"5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\nmore";
        let (body, length) = chunks(text, 100).unwrap().unwrap();
        assert_eq!((body.as_slice(), length), (&b"hello world"[..], text.len() - 4));
        for end in 0..text.len() - 4 {
            assert_eq!(chunks(&text[..end], 100), Ok(None), "{end} bytes");
        }
    }

    #[test]
    fn broken_and_endless_chunks_are_refused() {
        assert_eq!(chunks(b"x\r\n", 100), Err(BAD_CHUNK));
        assert_eq!(chunks(b"\r\n", 100), Err(BAD_CHUNK));
        assert_eq!(chunks(b"1\r\nabc", 100), Err(BAD_CHUNK));
        assert_eq!(chunks(b"65\r\n", 100), Err(TOO_MANY_PARAMETERS));
        assert_eq!(chunks(b"ffffffffffffffff\r\n", 100), Err(TOO_MANY_PARAMETERS));
    }

    #[test]
    fn gzip_and_zlib_are_told_apart_and_junk_is_refused() {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(b"hello").unwrap();
        let gzip = gzip.finish().unwrap();
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"hello").unwrap();
        assert_eq!(decode(gzip.clone(), Encoding::Compressed, 5), Ok(b"hello".to_vec()));
        assert_eq!(decode(zlib.finish().unwrap(), Encoding::Compressed, 5), Ok(b"hello".to_vec()));
        assert_eq!(decode(gzip, Encoding::Compressed, 4), Err(TOO_MANY_PARAMETERS));
        assert_eq!(decode(b"hello".to_vec(), Encoding::Compressed, 5), Err(BAD_COMPRESSION));
    }
}
