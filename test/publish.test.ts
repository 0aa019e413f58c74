import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readJson } from '../release/production-lock.ts';
import { scratch } from './cli/command-line.ts';

const root = new URL('../', import.meta.url).pathname;
const { version } = readJson('package.json');
const IMAGE = 'registry.example.com/team/user-import-core';

/** Stands in for docker and npm. It writes down its calls, and knows as published what the file `published` has. */
const STUB = `#!/bin/sh
name=$(basename "$0")
echo "$name $*" >>"$CALLS"
case "$name $1" in
  "docker run") echo "user-import \${BUILT:-${version}}" ;;
  "docker manifest") grep -qxF "$3" "$PUBLISHED" || { echo "\${REGISTRY:-no such manifest}: $3" >&2; exit 1; } ;;
  "npm view") grep -qxF "$2" "$PUBLISHED" && echo "${version}" ;;
  "npm pack")
    mkdir -p "$3/copy/package" && cp package.json "$3/copy/package"
    tar -czf "$3/user-import-core-${version}.tgz" -C "$3/copy" package ;;
  "npm run") echo '{}' ;;
  "npm pkg") sed -i.bak "/\\"$3\\"/d" package.json ;;
esac
`;

/** A checkout with the scripts of the release, committed. */
function checkout(tag = `v${version}`) {
  const directory = scratch();
  const work = join(directory, 'work');
  const bin = join(directory, 'bin');
  const out = join(directory, 'out');
  for (const made of [bin, out, join(work, 'release')]) mkdirSync(made, { recursive: true });
  for (const name of ['release/publish.sh', 'release/build-image.sh', 'package.json', 'Dockerfile'])
    cpSync(join(root, name), join(work, name));
  for (const name of ['docker', 'npm']) {
    writeFileSync(join(bin, name), STUB);
    chmodSync(join(bin, name), 0o755);
  }
  const [calls, published] = [join(directory, 'calls'), join(directory, 'published')];
  for (const file of [calls, published]) writeFileSync(file, '');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: work });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'a release');
  git('tag', tag);
  return {
    work,
    out,
    markPublished: (name: string) => appendFileSync(published, `${name}\n`),
    publish(args: string[] = [], env: Record<string, string> = { IMAGE }) {
      writeFileSync(calls, '');
      const { PATH } = process.env;
      const ended = spawnSync('release/publish.sh', args, {
        cwd: work,
        env: { PATH: `${bin}:${PATH}`, CALLS: calls, PUBLISHED: published, OUT: out, ...env },
        encoding: 'utf8',
      });
      return { ...ended, calls: readFileSync(calls, 'utf8').trim().split('\n') };
    },
  };
}

const PUSHES = /^(?:docker (?:tag|push)|npm publish)/;

it('publishes the image that was tested under its version, then the package, which is no longer private', () => {
  const { publish, out } = checkout();
  mkdirSync(join(out, 'package/dist'), { recursive: true });
  writeFileSync(join(out, 'package/dist/of-another-version.js'), '');
  const { status, stderr, calls } = publish();
  expect([status, stderr]).toEqual([0, '']);
  expect(calls.map((call) => call.split(' ').slice(0, 2).join(' '))).toEqual([
    'docker build',
    'docker run',
    'npm pack',
    'npm run',
    'npm pkg',
    'docker manifest',
    'docker tag',
    'docker push',
    'npm view',
    'npm publish',
  ]);
  expect(calls.filter((call) => PUSHES.test(call))).toEqual([
    `docker tag user-import-core:${version} ${IMAGE}:${version}`,
    `docker push ${IMAGE}:${version}`,
    `npm publish ${out}/package --ignore-scripts`,
  ]);
  expect(readJson('package.json').private).toBe(true);
  expect(JSON.parse(readFileSync(join(out, 'package/package.json'), 'utf8')).private).toBeUndefined();
  expect(existsSync(join(out, 'sbom.json'))).toBe(true);
  expect(existsSync(join(out, 'package/dist'))).toBe(false);
});

it('pushes nothing if the registry does not say whether the version is published', () => {
  const { publish } = checkout();
  const { status, stderr, calls } = publish([], { IMAGE, REGISTRY: 'i/o timeout' });
  expect([status, stderr]).toEqual([1, expect.stringContaining('cannot be found out: i/o timeout')]);
  expect(calls.filter((call) => PUSHES.test(call))).toEqual([]);
});

it('--dry-run builds both and publishes neither, also without a tag', () => {
  const { publish, out } = checkout('other');
  const { status, stdout, calls } = publish(['--dry-run']);
  expect(status).toBe(0);
  expect(calls[0]).toMatch(/^docker build .*--tag user-import-core:\d/);
  expect(calls.filter((call) => PUSHES.test(call))).toEqual([]);
  expect(stdout.match(/^would run: .*$/gm)).toEqual([
    `would run: docker tag user-import-core:${version} ${IMAGE}:${version}`,
    `would run: docker push ${IMAGE}:${version}`,
    `would run: npm publish ${out}/package --ignore-scripts`,
  ]);
});

it('leaves alone what is published already', () => {
  const { publish, markPublished } = checkout();
  markPublished(`${IMAGE}:${version}`);
  expect(publish().calls.filter((call) => PUSHES.test(call))).toEqual([
    expect.stringMatching(/^npm publish /),
  ]);
  markPublished(`user-import-core@${version}`);
  const { status, calls } = publish();
  expect([status, calls.filter((call) => PUSHES.test(call))]).toEqual([0, []]);
});

it('refuses a commit without the tag, changes, a wrong image, and words that it does not know', () => {
  const untagged = checkout('v9.9.9').publish();
  expect([untagged.status, untagged.calls]).toEqual([1, ['']]);
  expect(untagged.stderr).toContain(`has not the tag v${version}`);
  const changed = checkout();
  writeFileSync(join(changed.work, 'new'), '');
  const dirty = changed.publish();
  expect([dirty.status, dirty.calls]).toEqual([1, ['']]);
  const other = checkout();
  const old = other.publish([], { IMAGE, BUILT: '0.0.1' });
  expect([old.status, old.stderr]).toEqual([1, `The image that was built is not version ${version}.\n`]);
  expect(old.calls.filter((call) => PUSHES.test(call))).toEqual([]);
  const { status, stderr, calls } = other.publish(['--dryrun']);
  expect([status, stderr, calls]).toEqual([1, 'Usage: IMAGE=… release/publish.sh [--dry-run]\n', ['']]);
  const unnamed = other.publish([], {});
  expect([unnamed.status === 0, unnamed.calls]).toEqual([false, ['']]);
  expect(unnamed.stderr).toContain('set IMAGE to the name');
});
