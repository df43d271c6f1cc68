//! Pictures of workers: uploaded before the result that names them, kept until that is sent.

use super::Api;
use super::access::{Caller, Named};
use super::body::{content_type, read};
use super::calls::held;
use super::document::{JobPath, OfJobs, Picture as PictureBody};
use super::refusal::Refusal;
use crate::clock;
use crate::flow::content::PhotoSource;
use crate::flow::definition::{PHOTO_MAX_BYTES, Picture};
use crate::flow::output::Output;
use crate::lanes::Taken;
use crate::secret;
use crate::worker::{LEASE_HEADER, Uploaded};
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;

/// The types that are taken.
const TYPES: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// Upload a picture
///
/// For a `photo` of the result, which names it by the `file` that comes back. At most 10 MB of JPEG, PNG or WebP.
#[utoipa::path(
    post,
    path = "/v1/jobs/{id}/files",
    operation_id = "upload",
    params(
        ("id" = JobPath, Path, description = "The job."),
        ("tapgate-lease" = String, Header, description = "The proof that the job is held.")
    ),
    request_body(content(
        (PictureBody = "image/jpeg"),
        (PictureBody = "image/png"),
        (PictureBody = "image/webp")
    )),
    responses((status = 200, description = "It is kept.", body = Uploaded), OfJobs)
)]
pub(super) async fn file(
    State(api): State<Api>,
    caller: Caller,
    Named(id): Named,
    headers: HeaderMap,
    body: Body,
) -> Result<axum::Json<Uploaded>, Refusal> {
    let lease = headers.get(LEASE_HEADER).and_then(|value| value.to_str().ok());
    let lease = lease.ok_or_else(|| Refusal::field(LEASE_HEADER, "this header is missing: it is the job's lease"))?;
    let taken = held(&api, &caller, &id, lease).await?;
    if !TYPES.contains(&content_type(&headers).as_str()) {
        return Err(Refusal::ContentType("image/jpeg, image/png or image/webp"));
    }
    let content = read(body, PHOTO_MAX_BYTES).await?;
    let picture = Picture::new("upload", content);
    if let Some(fault) = picture.fault() {
        return Err(Refusal::field("", fault));
    }
    // Nobody but who uploaded it can name it.
    let file = format!("{:032x}", u128::from_ne_bytes(secret::random()));
    api.0.storage.keep_file(taken.job.key.bot, &file, &picture.content, clock::now()).await?;
    Ok(axum::Json(Uploaded { file }))
}

/// That all files of `output` are there.
pub(super) async fn are_kept(api: &Api, taken: &Taken, output: &Output) -> Result<(), Refusal> {
    for (index, piece) in output.contents.iter().enumerate() {
        if let Some(PhotoSource::File(file)) = &piece.photo
            && !api.0.storage.has_file(taken.job.key.bot, file).await?
        {
            return Err(Refusal::field(format!("contents[{index}].photo.file"), "no such file was uploaded"));
        }
    }
    Ok(())
}
