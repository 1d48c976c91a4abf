#!/bin/bash
# Runs test_net_overlap.c in a directory of its own.
#
# usage: overlap.sh FATHOM-RUN OVERLAP THREADS NODES
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
timeout 280 "$1" -n "$3" --nodes "$4" -- "$2" "$work"
