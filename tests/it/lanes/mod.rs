//! Lanes and their workers: the API as a worker meets it, on real servers, and the workers that come with the program.

mod api;
mod delivery;
mod example;
mod jobs;
mod killed;
mod progress;
mod python;
mod schema;
mod stand;
mod turns;
