#!/bin/sh
# What bench/peers.py compares with, from Debian: asked for by whoever wants the comparison, never by a make target.
set -eu
apt-get install --yes --no-install-recommends php-cli php-dompdf php-mbstring php-gd chromium
