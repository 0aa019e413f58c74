#!/bin/sh
# Publishes the version of this checkout: the image as IMAGE:<version>, the package to the registry of npm's configuration.
# A release pipeline runs it on the commit with the tag v<version>, after the tests, `docker login`, and with npm's token.
# What is published already stays, so that a run that failed half-way can be repeated.
#
#   IMAGE=registry.example.com/team/user-import-core release/publish.sh [--dry-run]
#
# --dry-run builds and checks everything, also without the tag, and prints what it would publish. Further variables: SOURCE,
# the URL of the repository, for a label; NODE_IMAGE, another base image; OUT, the directory that gets package and sbom.json.
set -eu
cd "$(dirname "$0")/.."

fail() {
  echo "$1" >&2
  exit 1
}
publish() { if [ "$dry" ]; then echo "would run: $*"; else "$@"; fi; }

case "$*" in
  '') dry='' ;;
  --dry-run) dry=1 ;;
  *) fail 'Usage: IMAGE=… release/publish.sh [--dry-run]' ;;
esac
: "${IMAGE:?set IMAGE to the name of the image in its registry, without a tag}"
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' package.json)
if [ ! "$dry" ] && ! git tag --points-at HEAD | grep -qxF "v$version"; then
  fail "This commit has not the tag v$version, which is that of the version in package.json."
fi
out=${OUT:-$(mktemp -d)}

release/build-image.sh ${NODE_IMAGE:+--build-arg "NODE_IMAGE=$NODE_IMAGE"}
[ "$(docker run --rm "user-import-core:$version" --version)" = "user-import $version" ] ||
  fail "The image that was built is not version $version."
npm pack --pack-destination "$out"
npm run -s sbom >"$out/sbom.json"
# OUT may have the files of another version.
rm -rf "$out/package"
# "private" in package.json keeps everything but this script from publishing, so the copy has none.
tar -xzf "$out/user-import-core-$version.tgz" -C "$out"
(cd "$out/package" && npm pkg delete private)

# Only the answer that there is none means that it may be published: a tag that is published must not move.
if found=$(docker manifest inspect "$IMAGE:$version" 2>&1); then
  echo "$IMAGE:$version is published already."
elif ! echo "$found" | grep -qiE 'no such manifest|manifest unknown|not found|name unknown'; then
  echo "Whether $IMAGE:$version is published cannot be found out: $found" >&2
  exit 1
else
  publish docker tag "user-import-core:$version" "$IMAGE:$version"
  publish docker push "$IMAGE:$version"
fi
if [ "$(npm view "user-import-core@$version" version 2>/dev/null)" = "$version" ]; then
  echo "user-import-core@$version is published already."
else
  publish npm publish "$out/package" --ignore-scripts
fi
echo "Package and sbom.json are in $out."
