//! Writes the exact versions that Cargo.lock pins into `versions.rs`, so that a result names what it measured.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-changed=Cargo.lock");
    let lock = fs::read_to_string("Cargo.lock").expect("Cargo.lock is committed");
    let mut rows = String::new();
    let mut name = String::new();
    for line in lock.lines() {
        if let Some(rest) = line.strip_prefix("name = ") {
            name = rest.trim_matches('"').to_string();
        } else if let Some(rest) = line.strip_prefix("version = ") {
            rows.push_str(&format!("    ({name:?}, {:?}),\n", rest.trim_matches('"')));
        }
    }
    let out = Path::new(&env::var("OUT_DIR").expect("set by cargo")).join("versions.rs");
    fs::write(
        out,
        format!("pub const LOCKED: &[(&str, &str)] = &[\n{rows}];\n"),
    )
    .expect("write versions.rs");
}
