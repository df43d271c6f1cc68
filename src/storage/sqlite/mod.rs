//! SQLite: the embedded profile.
