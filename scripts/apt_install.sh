#!/bin/sh
# Install Debian packages as root for their programs only: no service is started or enabled and no
# PostgreSQL cluster is made, since the tests run servers of their own. What guards that is taken away at the end.
# usage: apt_install.sh PACKAGE...
set -eu
export DEBIAN_FRONTEND=noninteractive

policy=/usr/sbin/policy-rc.d # 101 from it forbids every start of a service
mark="for the set-up of sheaf only"
saved_policy=/usr/sbin/policy-rc.d.before-sheaf
clusters=/etc/postgresql-common/createcluster.d
no_cluster=$clusters/sheaf-setup.conf

main() {
    trap restore EXIT
    trap 'exit 1' HUP INT TERM
    # One with our mark was left by a run that was killed, and is nobody's to get back.
    [ ! -e "$policy" ] || grep -q "$mark" "$policy" || mv "$policy" "$saved_policy"
    printf '#!/bin/sh\n# %s\nexit 101\n' "$mark" >"$policy"
    chmod 755 "$policy"
    mkdir -p "$clusters"
    echo 'create_main_cluster = false' >"$no_cluster"

    # A source that has nothing to do with us may be out of order; what we need may still be there.
    apt-get update || echo "apt-get update failed; going on with the lists of before"
    apt-get -o DPkg::Lock::Timeout=300 install --yes --no-install-recommends "$@"
    for package in "$@"; do
        # It would start at the next boot; only what we brought ourselves is ours to disable.
        case $package in redis-server) disable redis-server ;; esac
    done
}

disable() {
    ! command -v systemctl >/dev/null || systemctl disable "$1" || true
}

restore() {
    rm -f "$policy" "$no_cluster"
    [ ! -e "$saved_policy" ] || mv "$saved_policy" "$policy"
    rmdir "$clusters" /etc/postgresql-common 2>/dev/null || true
}

main "$@"
