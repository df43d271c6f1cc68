//! One file a layer, outside to inside.

pub mod record;

pub mod route;

pub mod subnet;

pub mod secret;

pub mod pause;

pub mod admission;

pub mod body;

pub mod dedup;

use futures::future::{Either, Ready, ready};
use std::convert::Infallible;

/// The future of a layer that refuses at once or lets the request through: nothing allocated, nothing polled twice.
pub type Gated<R, F> = Either<Ready<Result<R, Infallible>>, F>;

/// Refuses with `response`.
fn refuse<R, F>(response: R) -> Gated<R, F> {
    Either::Left(ready(Ok(response)))
}

/// Lets the request through to the service whose future this is.
fn pass<R, F>(inner: F) -> Gated<R, F> {
    Either::Right(inner)
}

#[cfg(test)]
mod testing;
