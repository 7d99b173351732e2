# What the scripts in this folder share; they source it. It takes them to the repository's root.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

target=$PWD/target
export CARGO_TARGET_DIR=$target
# Whatever a script installs for itself is here, too.
export PATH=$target/tools/bin:$PATH

# Begins a step; `steps` gets the time of the one before.
step=
steps=
step() {
    [[ -z $step ]] || steps+=$(printf '\n%7d  %s' $((SECONDS - begun)) "$step")
    step=$* begun=$SECONDS
    printf '\n== %s (after %s s)\n' "$*" "$SECONDS"
}
fail() {
    echo "$*" >&2
    exit 1
}

# The command of the table in README.md that begins with `cargo` and this word.
readme_command() {
    local command
    command=$(sed -n "s/^| \`\(cargo $1[^\`]*\)\` |.*/\1/p" README.md)
    [[ -n $command ]] || fail "README.md has no command that begins with cargo $1"
    echo "$command"
}

# A tool of cargo's, built without optimisation: each runs for seconds.
tool() {
    command -v "cargo-$1" >/dev/null ||
        CARGO_PROFILE_DEV_DEBUG=0 cargo install --quiet --locked --debug --root "$target/tools" --target-dir "$target/tools/build" "cargo-$1"
}

# A program, and the Debian package that has it.
program() {
    command -v "$1" >/dev/null && return
    [[ $(id -u) == 0 ]] || fail "$1 is missing: apt-get install $2"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qqy --no-install-recommends "$2"
}

toolchain() {
    rustup run "$1" rustc --version >/dev/null 2>&1 ||
        fail "Rust $1 is missing: rustup toolchain install --profile minimal $1"
}

postgresql() {
    ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || program initdb postgresql
}

pgbouncer() {
    [[ -x /usr/sbin/pgbouncer ]] || program pgbouncer pgbouncer
}

# Builds every fuzz target once, with the profile `dev` or `release`.
fuzz_targets() {
    local profile=$1
    toolchain nightly
    tool fuzz
    cargo +nightly fuzz build "--$profile" --features gateway,client --target-dir "$target/fuzz"
}

# Runs a fuzz target of that profile on its seeds, with more arguments of libFuzzer's.
fuzz_target() {
    local folder=${1/dev/debug} name=$2 seeds=$2 triple
    shift 2
    case $name in
    parse | views | json | round_trip | owned) seeds=response ;;
    frames) seeds=stream ;;
    esac
    triple=$(rustc +nightly -vV | sed -n 's/^host: //p')
    mkdir -p "$target/fuzz/corpus/$name" "$target/fuzz/artifacts"
    ASAN_OPTIONS=detect_odr_violation=0 "$target/fuzz/$triple/$folder/$name" \
        -artifact_prefix="$target/fuzz/artifacts/$name-" "$@" "$target/fuzz/corpus/$name" "fuzz/seeds/$seeds"
}

# Runs the parts that are named, or all: functions whose names begin with `part_`.
run_parts() {
    local all=$1 part
    shift
    # shellcheck disable=SC2086
    (($#)) || set -- $all
    for part in "$@"; do
        declare -F "part_$part" >/dev/null || fail "there is no part $part; there are: $all"
    done
    for part in "$@"; do
        "part_$part"
    done
    step "all of it holds: $*"
    printf '\nseconds  step%s\n\ntarget/ takes %s; the disk has %s left\n' "$steps" \
        "$(du -sh "$target" | cut -f 1)" "$(df -h --output=avail . | tail -n 1 | tr -d ' ')"
}
