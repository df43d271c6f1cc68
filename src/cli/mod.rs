//! The command line: one file a command. Never holds logic that the server needs too.
