//! Whether every report from the field is answered by tests that exist: `tests/field_reports.md`.
#![cfg(not(target_arch = "wasm32"))]

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    /// The numbers of all reports.
    const REPORTS: [u32; 82] = [
        1, 2, 3, 4, 6, 7, 8, 9, 12, 14, 16, 18, 20, 21, 23, 24, 27, 28, 29, 30, 31, 32, 34, 35, 36,
        39, 40, 41, 42, 44, 45, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 63, 65, 67,
        68, 69, 70, 71, 74, 75, 76, 78, 79, 81, 82, 83, 85, 87, 88, 89, 91, 93, 95, 96, 98, 99,
        100, 101, 102, 103, 106, 108, 110, 111, 113, 114, 116, 117,
    ];

    struct Row {
        number: u32,
        /// Files and the tests in them.
        tests: Vec<(String, String)>,
    }

    fn read(path: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn in_backticks(text: &str) -> Vec<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    }

    fn rows() -> Vec<Row> {
        let table = read("tests/field_reports.md");
        let row = |line: &str| {
            let cells: Vec<_> = line.split(" | ").collect();
            let [number, _, said, places] = cells[..] else { panic!("not four cells: {line}") };
            assert!(!said.trim().is_empty(), "{number}: nothing is said");
            let test = |place: &str| match &in_backticks(place)[..] {
                [file, test] => (file.clone(), test.clone()),
                _ => panic!("{number}: {place:?} is no file and test"),
            };
            let tests = places.trim_end_matches(" |").split("<br>").map(test).collect();
            let number = number.trim_start_matches("| B").parse().expect("a number");
            Row { number, tests }
        };
        table.lines().filter(|line| line.starts_with("| B")).map(row).collect()
    }

    /// Whether `text` has a test of this name: a function, or a title.
    fn has(file: &str, text: &str, test: &str) -> bool {
        if file.ends_with(".rs") {
            text.contains(&format!("fn {test}("))
        } else {
            ['\'', '`', '"'].iter().any(|quote| {
                let escaped = test.replace('\'', "\\'");
                text.contains(&format!("test({quote}{test}{quote}"))
                    || text.contains(&format!("test({quote}{escaped}{quote}"))
            })
        }
    }

    #[test]
    fn every_report_has_one_row_and_at_least_one_test() {
        let rows = rows();
        let numbers: Vec<u32> = rows.iter().map(|row| row.number).collect();
        assert_eq!(numbers, REPORTS, "in order, each once");
        for Row { number, tests } in rows {
            assert!(!tests.is_empty(), "B{number:03}: no test");
        }
    }

    #[test]
    fn every_test_that_is_named_exists() {
        for row in rows() {
            for (file, test) in &row.tests {
                let number = row.number;
                assert!(has(file, &read(file), test), "B{number:03}: no `{test}` in {file}");
            }
        }
    }

    #[test]
    fn a_scenario_that_names_a_report_is_in_its_row() {
        let rows = rows();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
        for entry in fs::read_dir(folder).expect("the scenarios") {
            let name = entry.expect("a file").file_name().into_string().expect("a name");
            let text = read(&format!("tests/scenarios/{name}"));
            for line in text.lines().filter(|line| line.trim_start().starts_with("///")) {
                for number in line.split('B').skip(1).filter_map(|rest| rest.get(..3)) {
                    let Ok(number) = number.parse::<u32>() else { continue };
                    let row = rows.iter().find(|row| row.number == number);
                    let row = row.unwrap_or_else(|| panic!("{name}: no report B{number:03}"));
                    let file = format!("tests/scenarios/{name}");
                    assert!(
                        row.tests.iter().any(|(place, _)| *place == file),
                        "{name} answers B{number:03}, and its row does not say so"
                    );
                }
            }
        }
    }
}
