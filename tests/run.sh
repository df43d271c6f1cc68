#!/usr/bin/env bash
# Runs every test on both storage profiles, on a machine that has Rust and a C compiler.
#
#   tests/run.sh                  everything
#   tests/run.sh storage::        what cargo test would run for these arguments
#
# It starts a PostgreSQL and a Redis of its own on free ports and stops them at its end. What is missing it installs
# (Debian, as root) or runs in Docker. Servers that are already there can be named instead:
#
#   TAPGATE_TEST_POSTGRES_URL     a superuser's URL: tests create and drop databases of their own there
#   TAPGATE_TEST_REDIS_URL        tests only add keys there; they never flush it
#   TAPGATE_TEST_PYTHON           a Python that has what tests/clients/requirements.txt lists; else one is set up
#
# A skipped test is a failure: the run ends with an error and names it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'tests/run.sh: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
is_root() { [ "$(id -u)" -eq 0 ]; }

# Where Debian keeps servers, which a user's PATH may leave out.
PATH="$PATH:/usr/sbin:/usr/local/sbin"

folder=$(mktemp -d "${TMPDIR:-/tmp}/tapgate-tests.XXXXXX")
chmod 755 "$folder" # the user postgres has to get through
postgres_bin='' postgres_data='' redis_pid='' policy=''
containers=()

stop() {
    local status=$?
    trap - EXIT INT TERM
    [ -z "$redis_pid" ] || { kill "$redis_pid" && wait "$redis_pid"; } 2>/dev/null || true
    # pg_ctl stops the process whose id is in this data folder, and no other.
    [ -z "$postgres_data" ] || as_postgres "$postgres_bin/pg_ctl" -D "$postgres_data" -m immediate stop >/dev/null 2>&1 || true
    [ "${#containers[@]}" -eq 0 ] || docker rm --force --volumes "${containers[@]}" >/dev/null 2>&1 || true
    [ -z "$policy" ] || rm -f "$policy"
    rm -rf "$folder"
    exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# PostgreSQL refuses to run as root.
as_postgres() {
    if is_root; then (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"); else "$@"; fi
}

find_postgres() {
    local candidate
    for candidate in "$(pg_config --bindir 2>/dev/null || true)" $(printf '%s\n' /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin | sort -rV); do
        if [ -x "$candidate/initdb" ] && [ -x "$candidate/postgres" ]; then
            postgres_bin=$candidate
            return 0
        fi
    done
    return 1
}

# A port below the range from which the system takes the ports of clients.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 10000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    printf '%s' "$port"
}

random_word() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

install_missing() {
    local missing=()
    [ -n "${TAPGATE_TEST_POSTGRES_URL:-}" ] || find_postgres || missing+=(postgresql)
    have redis-server || missing+=(redis-server)
    have nginx || missing+=(nginx)
    have openssl || missing+=(openssl)
    { have promtool && have prometheus; } || missing+=(prometheus)
    { have systemd-analyze && have systemd-socket-activate; } || missing+=(systemd)
    have chromium || missing+=(chromium)
    have chromedriver || missing+=(chromium-driver)
    [ -n "${TAPGATE_TEST_PYTHON:-}" ] || has_venv || missing+=(python3-venv)
    [ "${#missing[@]}" -gt 0 ] || return 0

    if ! is_root || ! have apt-get; then
        say "These are missing and cannot be installed from here: ${missing[*]}."
        return 0
    fi
    say "Installing ${missing[*]} from the distribution's packages."
    # The packages would start servers of their own; nothing here needs them.
    if [ ! -e /usr/sbin/policy-rc.d ]; then
        policy=/usr/sbin/policy-rc.d
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >"$folder/apt.log" 2>&1 || {
        cat "$folder/apt.log" >&2
        say "The packages could not be installed."
        exit 1
    }
    [ -z "$policy" ] || rm -f "$policy"
    policy=''
}

start_postgres() {
    if [ -n "${TAPGATE_TEST_POSTGRES_URL:-}" ]; then
        say "PostgreSQL: the one named by TAPGATE_TEST_POSTGRES_URL."
        return
    fi
    local port password
    password=$(random_word)
    if find_postgres; then
        port=$(free_port)
        local data="$folder/postgres"
        mkdir "$data"
        printf '%s\n' "$password" >"$folder/password"
        if is_root; then chown postgres "$data" "$folder/password"; fi
        chmod 600 "$folder/password"
        as_postgres "$postgres_bin/initdb" -D "$data" --username=tapgate --pwfile="$folder/password" \
            --auth=scram-sha-256 --encoding=UTF8 --locale=C --no-sync >"$folder/initdb.log" 2>&1 || {
            cat "$folder/initdb.log" >&2
            exit 1
        }
        # fsync and synchronous_commit stay on: they are part of what is tested.
        cat >>"$data/postgresql.conf" <<SETTINGS
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = ''
max_connections = 400
SETTINGS
        postgres_data=$data
        as_postgres "$postgres_bin/pg_ctl" -D "$data" -w -l "$data/server.log" start >/dev/null || {
            cat "$data/server.log" >&2
            exit 1
        }
        say "PostgreSQL: $("$postgres_bin/postgres" --version) on port $port, fsync on, in a folder of its own."
    elif have docker && docker info >/dev/null 2>&1; then
        start_container postgres:17-alpine 5432 -e POSTGRES_USER=tapgate -e POSTGRES_PASSWORD="$password"
        port=$container_port
        say "PostgreSQL: postgres:17-alpine in Docker on port $port."
        wait_for_container pg_isready -q -h 127.0.0.1 -U tapgate
    else
        say "PostgreSQL: none. Install it, start Docker, or set TAPGATE_TEST_POSTGRES_URL."
        exit 1
    fi
    export TAPGATE_TEST_POSTGRES_URL="postgres://tapgate:$password@127.0.0.1:$port/postgres"
}

start_redis() {
    if [ -n "${TAPGATE_TEST_REDIS_URL:-}" ]; then
        say "Redis: the one named by TAPGATE_TEST_REDIS_URL."
        return
    fi
    local port password
    password=$(random_word)
    if have redis-server; then
        port=$(free_port)
        redis-server --port "$port" --bind 127.0.0.1 --requirepass "$password" --save '' --appendonly no \
            --dir "$folder" >"$folder/redis.log" 2>&1 &
        redis_pid=$!
        local tries=0
        until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
            tries=$((tries + 1))
            if [ "$tries" -gt 300 ] || ! kill -0 "$redis_pid" 2>/dev/null; then
                cat "$folder/redis.log" >&2
                exit 1
            fi
            sleep 0.1
        done
        say "Redis: $(redis-server --version | cut -d' ' -f1-3) on port $port."
    elif have docker && docker info >/dev/null 2>&1; then
        start_container redis:7-alpine 6379
        port=$container_port
        password=''
        say "Redis: redis:7-alpine in Docker on port $port."
        wait_for_container redis-cli ping
    else
        say "Redis: none. Install it, start Docker, or set TAPGATE_TEST_REDIS_URL."
        exit 1
    fi
    export TAPGATE_TEST_REDIS_URL="redis://${password:+:$password@}127.0.0.1:$port"
}

has_venv() { have python3 && python3 -c 'import ensurepip, venv' 2>/dev/null; }

# Programs from PyPI that the simulated Bot API and the API of workers have to satisfy. Without them those tests are
# skipped by name.
start_python() {
    if [ -n "${TAPGATE_TEST_PYTHON:-}" ]; then
        say "Python: the one named by TAPGATE_TEST_PYTHON."
        return
    fi
    if ! has_venv; then
        say "Python: none that can make a virtual environment."
        return
    fi
    python3 -m venv "$folder/python"
    if "$folder/python/bin/pip" install --quiet --disable-pip-version-check --requirement tests/clients/requirements.txt \
        >"$folder/pip.log" 2>&1; then
        export TAPGATE_TEST_PYTHON="$folder/python/bin/python"
        say "Python: $(python3 --version) with the client libraries of tests/clients/requirements.txt."
    else
        cat "$folder/pip.log" >&2
        say "Python: the client libraries could not be installed."
    fi
}

# start_container IMAGE PORT [OPTION...] puts the port on this machine into container_port.
start_container() {
    local image=$1 inner=$2
    shift 2
    containers+=("$(docker run --detach --publish "127.0.0.1::$inner" "$@" "$image")")
    container_port=$(docker port "${containers[-1]}" "$inner/tcp" | head -n 1)
    container_port=${container_port##*:}
}

wait_for_container() {
    local tries=0
    until docker exec "${containers[-1]}" "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -le 300 ] || { docker logs "${containers[-1]}" >&2; exit 1; }
        sleep 0.2
    done
}

# The files that no Rust test reads. A tool that is not there is named and is no failure.
check_files() {
    if have shellcheck; then
        shellcheck tests/run.sh .ci/run
        say "shellcheck: nothing to say."
    else
        say "shellcheck is not installed: the shell scripts were not checked."
    fi
    if have hadolint; then
        hadolint Dockerfile
        say "hadolint: nothing to say."
    else
        say "hadolint is not installed: the Dockerfile was not checked."
    fi
    local compose=()
    if docker compose version >/dev/null 2>&1; then compose=(docker compose); fi
    if [ "${#compose[@]}" -eq 0 ] && have docker-compose; then compose=(docker-compose); fi
    if [ "${#compose[@]}" -gt 0 ]; then
        BOT_TOKEN=1:any DOMAIN=bot.example.org POSTGRES_PASSWORD=any GRAFANA_PASSWORD=any \
            "${compose[@]}" --file docker-compose.yml config --quiet
        say "${compose[*]}: docker-compose.yml is sound."
    else
        say "docker compose is not installed: docker-compose.yml was not checked."
    fi
}

have cargo || { say "cargo is missing: https://rustup.rs installs it."; exit 1; }
install_missing
start_postgres
start_redis
start_python
[ $# -gt 0 ] || check_files

ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)" 2>/dev/null || true
export TAPGATE_TEST_SKIPS="$folder/skips"
: >"$TAPGATE_TEST_SKIPS"
say "Running cargo test --locked --features failpoints $*"
cargo test --locked --features failpoints "$@"

if [ -s "$TAPGATE_TEST_SKIPS" ]; then
    say "These tests were skipped, which counts as a failure:"
    sort -u "$TAPGATE_TEST_SKIPS" >&2
    exit 1
fi
say "Everything passed and nothing was skipped."
