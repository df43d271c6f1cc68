//! `botctl`: the program of the library.

use std::process::ExitCode;
use tapgate::cli::Program;

fn main() -> ExitCode {
    Program::new().main()
}
