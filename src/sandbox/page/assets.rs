//! The page's files, which are part of the program.

use super::refusal::Refusal;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use include_dir::{Dir, include_dir};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/sandbox/page/assets");

/// The page.
pub(super) async fn index() -> Response {
    file("index.html")
}

/// One of the files that it names.
pub(super) async fn one(Path(path): Path<String>) -> Response {
    file(&path)
}

fn file(path: &str) -> Response {
    match FILES.get_file(path) {
        Some(file) => ([(CONTENT_TYPE, content_type(path))], file.contents()).into_response(),
        None => Refusal::NotThere("such file").into_response(),
    }
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        _ => "text/plain; charset=utf-8",
    }
}
