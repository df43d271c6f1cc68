//! What both backends promise, case by case on each of them; and what is PostgreSQL's own (`cluster`) and SQLite's.

/// Makes of each case a test on each backend, with a store of its own.
macro_rules! on_every_backend {
    (in one thread: $($case:ident)*) => {
        on_every_backend! { (flavor = "current_thread") $($case)* }
    };
    ($($case:ident)*) => {
        on_every_backend! { (flavor = "multi_thread", worker_threads = 2) $($case)* }
    };
    ($runtime:tt $($case:ident)*) => {
        mod postgres {
            $(
                #[tokio::test $runtime]
                async fn $case() {
                    if let Some(store) = crate::storage::store::Store::postgres().await {
                        super::$case(store).await;
                    }
                }
            )*
        }
        mod sqlite {
            $(
                #[tokio::test $runtime]
                async fn $case() {
                    super::$case(crate::storage::store::Store::sqlite().await).await;
                }
            )*
        }
    };
}

mod store;
mod words;

mod refusing;
mod schema;

mod books;
mod bots;
mod chats;
mod dead;
mod erasure;
mod files;
mod jobs;
mod lanes;
mod model;
mod payments;
mod screens;
mod settler;
mod settling;
mod waiting;

mod crossing;
mod gathering;

mod cluster;
mod proxy;
mod sqlite;
