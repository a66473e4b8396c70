//! What a configuration would do: the engine of regate on a virtual clock, against gateways that fail
//! as a script says.
//!
//! Everything goes in and comes out as JSON texts, which `www/explorer/README.md` describes. The same
//! text gives the same text, natively and as wasm.

mod exchange;
mod explain;
mod happening;
mod input;
mod json;
mod network;
mod operations;
mod options;
mod output;
mod plain;
mod play;
mod record;
mod scenario;
mod schedule;
mod table;
mod told;

#[cfg(target_arch = "wasm32")]
use wasm_bindgen::prelude::wasm_bindgen;

use input::{Problem, Problems};
use json::{Json, ToJson, to_text, write_fields};

/// What is said instead of a result where the input is wrong.
#[derive(Debug)]
struct Refusal {
    errors: Vec<Problem>,
}

/// Plays a scenario.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[must_use]
pub fn explore(json: &str) -> String {
    answer(json, |value, problems| {
        let scenario = scenario::read(value, problems);
        problems.none_found().then(|| play::play(&scenario))
    })
}

/// What a connect schedule amounts to.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen)]
#[must_use]
pub fn schedule(json: &str) -> String {
    answer(json, schedule::describe)
}

/// The options, the retry table and the kinds of faults, as they are in the engine.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen(js_name = optionsTable))]
#[must_use]
pub fn options_table() -> String {
    to_text(&table::table())
}

/// Reads an existing configuration: JSON, or properties by lines.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen(js_name = importOptions))]
#[must_use]
pub fn import_options(text: &str) -> String {
    to_text(&exchange::import(text))
}

/// Writes options as others have them.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen(js_name = exportOptions))]
#[must_use]
pub fn export_options(json: &str) -> String {
    answer(json, exchange::export)
}

fn answer<T: ToJson>(json: &str, make: impl FnOnce(&Json, &Problems) -> Option<T>) -> String {
    let problems = Problems::default();
    let made = match Json::parse(json) {
        Some(value) => make(&value, &problems),
        None => {
            problems.add("", None, "must be JSON".into());
            None
        }
    };
    match made {
        Some(made) => to_text(&made),
        None => to_text(&Refusal { errors: problems.into_list() }),
    }
}

/// A third of the size of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

write_fields! {
    Refusal { errors }
}
