//! What a configuration would do: the engine of regate on a virtual clock, against gateways that fail
//! as a script says.
//!
//! Everything goes in and comes out as JSON texts, which `www/explorer/README.md` describes. The same
//! text gives the same text, natively and as wasm.

mod exchange;
mod explain;
mod happening;
mod input;
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

use serde::Serialize;
use serde_json::Value;

use input::{Problem, Problems};

/// What is said instead of a result where the input is wrong.
#[derive(Debug, Serialize)]
struct Refusal {
    errors: Vec<Problem>,
}

/// Plays a scenario.
#[must_use]
pub fn explore(json: &str) -> String {
    answer(json, |value, problems| {
        let scenario = scenario::read(value, problems);
        problems.none_found().then(|| play::play(&scenario))
    })
}

/// What a connect schedule amounts to.
#[must_use]
pub fn schedule(json: &str) -> String {
    answer(json, schedule::describe)
}

/// The options, the retry table and the kinds of faults, as they are in the engine.
#[must_use]
pub fn options_table() -> String {
    to_text(&table::table())
}

/// Reads an existing configuration: JSON, or properties by lines.
#[must_use]
pub fn import_options(text: &str) -> String {
    to_text(&exchange::import(text))
}

/// Writes options as others have them.
#[must_use]
pub fn export_options(json: &str) -> String {
    answer(json, exchange::export)
}

fn answer<T: Serialize>(json: &str, make: impl FnOnce(&Value, &Problems) -> Option<T>) -> String {
    let problems = Problems::default();
    let made = match serde_json::from_str(json) {
        Ok(value) => make(&value, &problems),
        Err(_) => {
            problems.add("", None, "must be JSON".into());
            None
        }
    };
    match made {
        Some(made) => to_text(&made),
        None => to_text(&Refusal { errors: problems.into_list() }),
    }
}

fn to_text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default() // texts and numbers always have a JSON
}

#[cfg(target_arch = "wasm32")]
mod wasm {
    //! The same for JavaScript.
    use wasm_bindgen::prelude::wasm_bindgen;

    /// A third of the size of the standard one.
    #[global_allocator]
    static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

    #[wasm_bindgen]
    #[must_use]
    pub fn explore(json: &str) -> String {
        super::explore(json)
    }

    #[wasm_bindgen]
    #[must_use]
    pub fn schedule(json: &str) -> String {
        super::schedule(json)
    }

    #[wasm_bindgen(js_name = optionsTable)]
    #[must_use]
    pub fn options_table() -> String {
        super::options_table()
    }

    #[wasm_bindgen(js_name = importOptions)]
    #[must_use]
    pub fn import_options(text: &str) -> String {
        super::import_options(text)
    }

    #[wasm_bindgen(js_name = exportOptions)]
    #[must_use]
    pub fn export_options(json: &str) -> String {
        super::export_options(json)
    }
}
