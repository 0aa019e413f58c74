#!/bin/sh
# Compiles src into dist, unless dist was made of the same sources. npm runs this at installation and before each start.
# Where it cannot compile, an installation goes on, but a start fails: it would run the code from before a change.
set -eu
cd "$(dirname "$0")/.."
PATH=$PWD/node_modules/.bin:$PATH
# Not by times: files that `tar` or `rsync -a` brings have older ones than dist.
sources=$(find src tsconfig.json tsconfig.build.json -type f -exec cksum {} + | LC_ALL=C sort)
if [ "$sources" != "$(cat dist/.sources 2>/dev/null)" ]; then
  if ! command -v tsc >/dev/null; then
    echo 'Not compiled: the packages for development are not installed (npm ci).' >&2
    [ "${npm_lifecycle_event-}" = prepare ] && exit 0
    exit 1
  fi
  echo 'Compiling, which takes some seconds …' >&2
  npm run -s build
  echo "$sources" >dist/.sources
fi
