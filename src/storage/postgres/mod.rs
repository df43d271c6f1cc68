//! PostgreSQL 14 or newer: the cluster profile.
