//! The same program natively: a JSON text from the standard input, its answer to the standard output.

use std::io::{Read as _, Write as _, stdin, stdout};
use std::{env, io, process::ExitCode};

fn main() -> io::Result<ExitCode> {
    let command = env::args().nth(1).unwrap_or_default();
    let work = match command.as_str() {
        "explore" => regate_explorer::explore,
        "schedule" => regate_explorer::schedule,
        "import" => regate_explorer::import_options,
        "export" => regate_explorer::export_options,
        "table" => |_: &str| regate_explorer::options_table(),
        _ => {
            eprintln!("usage: regate-explorer explore|schedule|import|export|table < input");
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    stdout().write_all(work(&text).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
