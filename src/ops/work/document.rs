//! The OpenAPI document: what the routes say of themselves, and what they have in common. It is served as it is made.

use super::refusal::RETRY_AFTER_SECONDS;
use crate::storage::Lane;
use crate::worker::{FieldError, PROBLEM_TYPE, Problem};
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use bytes::Bytes;
use std::collections::BTreeMap;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, OpenApi, OpenApiBuilder, Ref, RefOr, Response, ResponseBuilder,
};
use utoipa::{IntoResponses, PartialSchema, ToSchema};

const ABOUT: &str = "\
A worker takes jobs out of a lane (`lease`), says that it is still at them (`heartbeat`) and how far it is (`progress`), \
and ends each of them (`complete`, `fail`). A lease that is not renewed runs out after `lease_seconds`; then the job is \
given to another worker, and whoever had it can change nothing any more (409).

Every answer that is no success is problem details (RFC 9457): `type` is for programs and stays the same, `detail` says \
what to do. A path that is not here is answered 404, a method that is not here 405, in the same form.";

/// What all of it begins with.
pub(super) fn head() -> OpenApi {
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("A token of `[workers.NAME]`, or TAPGATE_WORKER_TOKEN"));
    let components = ComponentsBuilder::new()
        .schema_from::<Problem>()
        .schema_from::<LanePath>()
        .schema_from::<JobPath>()
        .schema_from::<FieldError>()
        .security_scheme("token", SecurityScheme::Http(bearer.build()));
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title("Tapgate: workers").version("1").description(Some(ABOUT)).build())
        .components(Some(components.build()))
        .security(Some([SecurityRequirement::new("token", [""; 0])]))
        .build()
}

/// The document as it is served.
pub(super) fn written(document: OpenApi) -> Bytes {
    serde_json::to_vec(&document).map(Bytes::from).unwrap_or_default()
}

pub(super) fn answer(document: Bytes) -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], document)
}

/// A lane of workers in a path.
pub(super) struct LanePath;

impl PartialSchema for LanePath {
    fn schema() -> RefOr<Schema> {
        let names = Lane::OF_WORKERS.map(Lane::name);
        ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names)).into()
    }
}

impl ToSchema for LanePath {}

/// A job's id in a path.
pub(super) struct JobPath;

impl PartialSchema for JobPath {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).pattern(Some("^[1-9][0-9]{0,17}$")).into()
    }
}

impl ToSchema for JobPath {}

/// The bytes of a picture.
pub(super) struct Picture;

impl PartialSchema for Picture {
    fn schema() -> RefOr<Schema> {
        // As OpenAPI 3.1 says it of a body that is no text.
        ObjectBuilder::new().schema_type(Type::String).content_media_type("application/octet-stream").into()
    }
}

impl ToSchema for Picture {}

/// What `lease` is refused with.
pub(super) struct OfLanes;

impl IntoResponses for OfLanes {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[401, 403, 404, 413, 415, 422, 503])
    }
}

/// What the calls about a job are refused with.
pub(super) struct OfJobs;

impl IntoResponses for OfJobs {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        refusals(&[401, 403, 404, 409, 413, 415, 422, 503])
    }
}

/// An answer of problem details for each of `statuses`.
fn refusals(statuses: &[u16]) -> BTreeMap<String, RefOr<Response>> {
    let one = |status: &u16| {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let mut response = ResponseBuilder::new().description(meaning(*status)).content(PROBLEM_TYPE, content);
        if *status == 503 {
            let seconds = ObjectBuilder::new().schema_type(Type::Integer).examples([RETRY_AFTER_SECONDS]);
            let header = HeaderBuilder::new().schema(Some(seconds)).description(Some("How many seconds to wait."));
            response = response.header("Retry-After", header.build());
        }
        (status.to_string(), RefOr::T(response.build()))
    };
    statuses.iter().map(one).collect()
}

const fn meaning(status: u16) -> &'static str {
    match status {
        401 => "The token is missing or wrong.",
        403 => "The worker may not take jobs of this lane.",
        404 => "There is no such lane, or no such job.",
        409 => "The job is not held under this lease any more.",
        413 => "The body is too large.",
        415 => "The body is of another type.",
        422 => "The body is not as it has to be; `errors` says which field.",
        _ => "Not now: the store does not answer, the server is stopping, or the bot's flow is not on this server.",
    }
}
