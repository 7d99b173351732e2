//! The measured programs: cargo builds them with the profile of this one. The peer is a
//! package that nothing else builds.
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The binary, with all optimisations: packages and containers have it with thin link-time optimisation
/// (`--profile dist`), a build with `--release` is without.
pub(crate) fn portreeve() -> &'static Path {
    PORTREEVE.get_or_init(|| build("portreeve"))
}

/// Measures this binary instead.
pub(crate) fn measure(program: PathBuf) {
    PORTREEVE.get_or_init(|| program);
}

static PORTREEVE: OnceLock<PathBuf> = OnceLock::new();

/// The same calls with axum and reqwest.
pub(crate) fn axum() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| build("portreeve-bench-axum"))
}

/// Builds the program of a package with cargo, if it does not exist yet.
fn build(package: &str) -> PathBuf {
    let this = std::env::current_exe().unwrap();
    // Cargo puts benchmarks into `deps` in the folder of the profile's programs.
    let programs = this.parent().and_then(Path::parent).unwrap();
    let profile = match programs.file_name().unwrap().to_str().unwrap() {
        "release" => "bench",
        "debug" => "dev",
        profile => profile,
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--package", package, "--bin", package])
        .args(["--profile", profile, "--target-dir"])
        .arg(programs.parent().unwrap())
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    let built = command.status().unwrap();
    assert!(built.success(), "{package} cannot be built");
    programs.join(package)
}
