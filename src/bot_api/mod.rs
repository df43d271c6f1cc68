//! The outbound client: one HTTP client for the process. Never logs or returns a URL, which would hold the token.
