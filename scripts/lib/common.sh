# Functions of the scripts; sourced, not run.
set -euo pipefail

LUMIO_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Outside the checkout, so that a clean checkout is not a clean build.
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/lumio/target}
export LUMIO_ENGINE_DIR=${LUMIO_ENGINE_DIR:-$CARGO_TARGET_DIR/engine}
export LUMIO_GRAPHIQL_DIR=${LUMIO_GRAPHIQL_DIR:-$CARGO_TARGET_DIR/graphiql}
export LUMIO_DOCS_DIR=${LUMIO_DOCS_DIR:-$CARGO_TARGET_DIR/docs}

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
fail() { printf '\033[1m!!!\033[0m %s\n' "$*" >&2; exit "${2:-1}"; }

# Runs a long command silently and prints the elapsed time meanwhile.
with_progress() {
    local what=$1 began=$SECONDS log status
    shift
    log=$(mktemp)
    say "$what …"
    "$@" >"$log" 2>&1 &
    local pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 2
        if ((SECONDS - began >= 20 && (SECONDS - began) % 20 < 2)); then
            printf '    %s: %d s so far: %s\n' "$what" $((SECONDS - began)) "$(tail -n 1 "$log" | cut -c1-100)" >&2
        fi
    done
    if wait "$pid"; then status=0; else status=$?; fi
    if ((status != 0)); then
        tail -n 60 "$log" >&2
        rm -f "$log"
        fail "$what failed (exit $status)" "$status"
    fi
    rm -f "$log"
    say "$what: done in $((SECONDS - began)) s"
}

# True when something accepts connections on the port of the loopback address.
port_is_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Prints the first port from $1 upwards that no process listens on.
free_port() {
    local port=$1
    while port_is_taken "$port"; do
        port=$((port + 1))
        ((port < 65000)) || fail "no free port from $1 upwards"
    done
    echo "$port"
}

random_hex() { od -An -N "$1" -tx1 /dev/urandom | tr -d ' \n'; }

# Sets variables of a stack whose checks call it faster than any person, and receive webhooks on this machine.
prepare_live_stack() {
    local tier
    for tier in ANONYMOUS SESSION API_KEY SERVICE_KEY POPOUT OVERLAY SURFACE AUTH_EXCHANGE; do
        export "LUMIO_RATE_$tier=1000000"
    done
    # Nothing listens there until the clients have run: a run beside this one must not find the same port free.
    LUMIO_EGRESS_TEST_HOSTS=127.0.0.1:$(free_port $((20000 + $$ % 5000)))
    export LUMIO_EGRESS_TEST_HOSTS
}
