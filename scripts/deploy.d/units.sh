# Checks the units of systemd; sourced by scripts/deploy.

# Highest exposure that `systemd-analyze security` may report, in tenths: 10 is an open service.
MAX_EXPOSURE=15

check_units() {
    local units name
    units=$(mktemp -d)
    mkdir "$units/bin"
    # The programs need not be installed here.
    for name in lumio-api lumio-worker; do ln -s /bin/true "$units/bin/$name"; done
    for name in deploy/systemd/*.service deploy/systemd/*.target; do
        sed "s#/usr/local/bin/#$units/bin/#" "$name" >"$units/$(basename "$name")"
    done
    ln -s lumio-worker@.service "$units/lumio-worker@all.service"
    SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no --recursive-errors=yes \
        "$units"/lumio*.target "$units"/lumio-api.service "$units"/lumio-migrate.service \
        "$units"/lumio-system-key.service "$units/lumio-worker@all.service" 2>&1 | grep -F "$units" >"$units/findings" || true
    if [ -s "$units/findings" ]; then
        cat "$units/findings" >&2
        fail "deploy/systemd: systemd reports problems"
    fi
    for name in deploy/systemd/*.service; do
        systemd-analyze security --offline=true --no-pager --threshold=$MAX_EXPOSURE "$units/$(basename "${name/@/@all}")" \
            >"$units/report" 2>&1 || { tail -n 3 "$units/report" >&2; fail "$name: its exposure is above $MAX_EXPOSURE tenths"; }
        tail -n 1 "$units/report" | sed "s#^.*Overall#    $(basename "$name"): overall#" >&2
    done
    rm -rf "$units"
}
