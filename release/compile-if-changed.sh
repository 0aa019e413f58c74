#!/bin/sh
# Compiles src into dist, unless dist is newer than every source. npm runs this at installation and before each start.
# Where it cannot compile, an installation goes on, but a start fails: it would run the code from before a change.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(find src tsconfig.json tsconfig.build.json -newer dist/main.js 2>&1)" ]; then
  if ! command -v tsc >/dev/null; then
    echo 'Not compiled: the packages for development are not installed (npm ci).' >&2
    [ "${npm_lifecycle_event-}" = prepare ] && exit 0
    exit 1
  fi
  echo 'Compiling, which takes some seconds …' >&2
  npm run -s build
fi
