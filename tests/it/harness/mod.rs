//! The world around the server, in its own words: stores, nginx, Telegram on both sides.
//! Fakes sit on the wire; nothing here stands in for a type of ours, and nothing judges a promise: tests do.
#![allow(dead_code, unused_imports, reason = "a harness offers more than one test uses")]

pub mod services;

pub mod patience;
pub mod ports;
pub mod process;

pub mod nginx;
pub mod postgres;
pub mod redis;
pub mod wire;

pub mod bot_api;
pub mod browser;
pub mod telegram;

pub mod author;
pub mod deployment;
pub mod server;
