//! Pictures that a call brings: by id, by URL, or uploaded. The sandbox fetches nothing: it believes a URL, unless it is one
//! that Telegram could not fetch.
//! Source: tdlib/telegram-bot-api `Client.cpp` (`get_input_file`); tdlib/td `FileManager.cpp`.

use super::arguments::Arguments;
use super::outcome::Failure;
use crate::sandbox::parameters::File;
use crate::sandbox::world::{Dimensions, Photo, World, dimensions};
use crate::telegram::link;
use url::{Host, Url};

/// Largest photo that can be uploaded (Bot API, sendPhoto).
const PHOTO_MAX_BYTES: usize = 10 * 1024 * 1024;
/// Width and height together (Bot API, sendPhoto).
const SIDES_MAX: u32 = 10_000;
/// How many times longer than the other one side may be (Bot API, sendPhoto).
const RATIO_MAX: u32 = 20;
/// What a picture is taken for that was not looked at.
const UNSEEN: Dimensions = Dimensions { width: 1280, height: 960 };

/// A picture, not yet looked at.
pub(super) enum Input<'a> {
    /// An id or a URL.
    Remote(&'a str),
    Upload(&'a File),
}

/// What `value` names, or else the file in the field `field`.
pub(super) fn input<'a>(arguments: &Arguments<'a>, field: &str, value: &'a str) -> Option<Input<'a>> {
    let field = match value.strip_prefix("attach://") {
        Some(name) => name,
        None if !value.is_empty() => return Some(Input::Remote(value)),
        None => field,
    };
    arguments.0.file(field).map(Input::Upload)
}

/// The picture itself.
pub(super) fn photo(world: &World, input: &Input<'_>) -> Result<Photo, Failure> {
    match input {
        Input::Upload(file) => Ok(world.keep_photo(uploaded(file)?, None)),
        Input::Remote(url) if url.contains('.') => {
            fetched(url)?;
            Ok(world.keep_photo(UNSEEN, Some((*url).to_owned())))
        }
        Input::Remote(id) => Ok(world.photo(id)?),
    }
}

fn uploaded(file: &File) -> Result<Dimensions, Failure> {
    let bytes = file.content.len();
    if bytes == 0 {
        return Err(Failure::bad("File must be non-empty"));
    }
    if bytes > PHOTO_MAX_BYTES {
        return Err(Failure::bad(&format!(
            "File of size {bytes} bytes is too big for a photo; the maximum size is {PHOTO_MAX_BYTES} bytes"
        )));
    }
    let dimensions = dimensions(&file.content).ok_or_else(|| Failure::bad("IMAGE_PROCESS_FAILED"))?;
    let Dimensions { width, height } = dimensions;
    let (short, long) = (width.min(height), width.max(height));
    if short == 0 || width.saturating_add(height) > SIDES_MAX || long > short.saturating_mul(RATIO_MAX) {
        return Err(Failure::bad("PHOTO_INVALID_DIMENSIONS"));
    }
    Ok(dimensions)
}

fn fetched(url: &str) -> Result<(), Failure> {
    let invalid = |why: &str| Failure::bad(&format!("Invalid file HTTP URL specified: {why}"));
    let url = link::checked(url).map_err(invalid)?;
    let url = Url::parse(&url).map_err(|_| invalid("Wrong HTTP URL"))?;
    // Addresses are not reached from Telegram's side, nor is anything under a name that is reserved for being none.
    let reachable = match url.host() {
        Some(Host::Domain(name)) => !name.ends_with(".invalid") && !name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => !address.is_loopback() && !address.is_private() && !address.is_unspecified(),
        Some(Host::Ipv6(_)) | None => false,
    };
    if !reachable {
        return Err(Failure::bad("Failed to get HTTP URL content"));
    }
    if url.path().ends_with(".html") {
        return Err(Failure::bad("Wrong type of the web page content"));
    }
    Ok(())
}
