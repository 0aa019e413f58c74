#!/bin/sh
# Compiles src into dist, unless dist is newer than every source. npm runs this at installation and before each start.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(find src tsconfig.json tsconfig.build.json -newer dist/main.js 2>&1)" ]; then
  if ! command -v tsc >/dev/null; then
    echo 'Not compiled: the packages for development are not installed (npm ci).' >&2
    exit 0
  fi
  echo 'Compiling, which takes some seconds …' >&2
  npm run -s build
fi
