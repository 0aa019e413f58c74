#!/bin/sh
# Builds the image with the labels of this build: revision, created, and source if SOURCE has the URL of the repository.
# Arguments are those of `docker build`, such as --build-arg NODE_IMAGE=…
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/.*image\.version="\([^"]*\)".*/\1/p' Dockerfile)
if [ -n "$(git status --porcelain)" ]; then
  echo "The checkout has changes that are not committed: the label would name a revision without them." >&2
  exit 1
fi
label=org.opencontainers.image
exec docker build \
  --label "$label.revision=$(git rev-parse HEAD)" \
  --label "$label.created=$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
  ${SOURCE:+--label "$label.source=$SOURCE"} \
  --tag user-import-core --tag "user-import-core:$version" "$@" .
