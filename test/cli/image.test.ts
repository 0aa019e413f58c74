import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { scratch } from './command-line.ts';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

/** Runs the entry point of the image with stub programs that print their arguments. */
function enter(...args: string[]): string {
  const bin = join(scratch(), 'bin');
  mkdirSync(bin);
  for (const name of ['node', 'user-import-core', 'docker-entrypoint.sh']) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const script = new URL('docker/entrypoint.sh', root).pathname;
  return execFileSync('/bin/sh', [script, ...args], { env: { PATH: bin }, encoding: 'utf8' }).trim();
}

it('runs the tool for each of its commands, the service for migrate, and anything else as it is', () => {
  for (const name of [...Object.keys(COMMANDS), 'help', '--help', '--version']) {
    expect(enter(name, 'a b', '--yes')).toBe(`node /app/dist/cli.js ${name} a b --yes`);
  }
  expect(enter('sh', '-c', 'true')).toBe('docker-entrypoint.sh sh -c true');
  expect(enter('migrate', '--distribute')).toBe('user-import-core migrate --distribute');
});

it('the script is the entry point of the image, which contains the script', () => {
  expect(read('Dockerfile')).toContain('\nENTRYPOINT ["/app/docker/entrypoint.sh"]\n');
  expect(read('.dockerignore').split('\n')).toContain('!docker/entrypoint.sh');
});

it('has the programs that npm installs', () => {
  const { bin } = JSON.parse(read('package.json'));
  expect(bin).toEqual({ 'user-import': 'dist/cli.js', 'user-import-core': 'bin/user-import-core' });
  const image = read('Dockerfile');
  for (const [name, path] of Object.entries(bin))
    expect(image).toMatch(new RegExp(`ln -s /app/${path} /usr/local/bin/(?:${name})?(?: |$)`, 'm'));
  expect(read('src/cli.ts').startsWith('#!/usr/bin/env node\n')).toBe(true);
});
