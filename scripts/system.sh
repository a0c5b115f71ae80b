# System packages: which ones a purpose needs, which are missing, and how they get here.
# shellcheck shell=sh

# For whom, the Debian package, and a probe for what it brings: a machine that has the thing
# from elsewhere needs no package. `test` needs the lines of `demo` too.
requirements() {
    cat <<'TABLE'
demo python3                 has_python
demo python3-venv            has_venv
demo libpango-1.0-0          has_library libpango-1.0.so.0
demo libpangoft2-1.0-0       has_library libpangoft2-1.0.so.0
demo libharfbuzz-subset0     has_library libharfbuzz-subset.so.0
demo fonts-noto-core         has_font NotoSansArabic-Regular.ttf
demo fonts-noto-cjk          has_font NotoSansCJK-Regular.ttc
demo fonts-noto-color-emoji  has_font NotoColorEmoji.ttf
test postgresql              has_postgres
test redis-server            has_command redis-server
test poppler-utils           has_command pdftotext
test libfaketime             has_library faketime/libfaketime.so.1
test chromium                has_command chromium
TABLE
}

# Install what the purpose lacks, or say in one line what to install and stop.
ensure_system_packages() {
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null || ! may_install; then
        stop "these system packages are missing; install them and run make again: $missing"
    fi
    say "installing system packages by apt (log: .make/apt.log): $missing"
    mkdir -p .make
    # shellcheck disable=SC2086 # a list of package names, one word each
    if ! as_root sh scripts/apt_install.sh $missing >.make/apt.log 2>&1 </dev/null; then
        tail -n 20 .make/apt.log >&2
        stop "apt could not install: $missing"
    fi
    missing=$(missing_packages "$1")
    [ -z "$missing" ] || stop "installed by apt, and still not usable (Python must be 3.11 to 3.13): $missing"
}

missing_packages() {
    requirements | while read -r purpose package probe; do
        [ "$purpose" = demo ] || [ "$purpose" = "$1" ] || continue
        # shellcheck disable=SC2086 # a probe and its argument
        $probe || printf '%s ' "$package"
    done | sed 's/ $//'
}

# The interpreter to use: $PYTHON if given, else the first here that we support.
find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

has_python() {
    find_python >/dev/null
}

has_venv() {
    has_python && "$(find_python)" -c 'import ensurepip, venv' 2>/dev/null
}

has_command() {
    command -v "$1" >/dev/null
}

has_library() {
    exists_any /usr/lib/*/"$1" /usr/lib64/"$1" /usr/lib/"$1" /usr/local/lib/"$1"
}

has_font() {
    [ -n "$(find /usr/share/fonts /usr/local/share/fonts -name "$1" -print -quit 2>/dev/null)" ]
}

has_postgres() {
    exists_any /usr/lib/postgresql/*/bin/initdb || has_command initdb
}

exists_any() {
    for path in "$@"; do
        [ ! -e "$path" ] || return 0
    done
    return 1
}

may_install() {
    [ "$(id -u)" -eq 0 ] || { has_command sudo && sudo -n true 2>/dev/null; }
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

say() {
    echo "sheaf: $*"
}

stop() {
    echo "sheaf: $*" >&2
    exit 1
}
