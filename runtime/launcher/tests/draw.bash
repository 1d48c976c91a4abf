# shellcheck shell=bash
# What a test tries of several shapes that differ little: one, drawn by chance, and all of them under
# FATHOM_TEST_LONG. Sourced; RANDOM is the caller's to seed.

# draw SHAPE...: leaves those to try in `drawn`.
# shellcheck disable=SC2034 # for the caller
draw()
{
    drawn=("$@")
    [ -n "${FATHOM_TEST_LONG:-}" ] || drawn=("${@:RANDOM % $# + 1:1}")
}
