import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openVerdictFiles } from '../../src/cli/files/verdict-files.ts';
import { WholeFile } from '../../src/cli/files/whole-file.ts';
import { readArguments } from '../../src/cli/options/read-arguments.ts';
import { scratch } from './command-line.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = scratch();
  path = join(directory, 'report');
});

it('the file has either its old or its complete new content', () => {
  writeFileSync(path, 'before');
  const dropped = new WholeFile(path, true);
  dropped.write('dropped');
  dropped.discard();
  expect(readFileSync(path, 'utf8')).toBe('before');
  const kept = new WholeFile(path, true);
  kept.write('not this');
  kept.restart();
  kept.write('after');
  kept.finish();
  kept.discard();
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(readdirSync(directory)).toEqual(['report']);
});

it('the file is complete if several runs write it, because each has its own temporary file', () => {
  const files = [1, 2, 3].map(() => new WholeFile(path, true)) as [WholeFile, WholeFile, WholeFile];
  for (const [index, file] of files.entries()) file.write(`run ${index}`);
  files[0].discard();
  files[2].finish();
  expect(readFileSync(path, 'utf8')).toBe('run 2');
  files[1].finish();
  expect(readFileSync(path, 'utf8')).toBe('run 1');
  expect(readdirSync(directory)).toEqual(['report']);
});

it('the file is hidden until it is complete, under a name that no file had', () => {
  const others = [`${path}.part`, `${path}.tmp`, `${path}~`];
  for (const other of others) writeFileSync(other, 'mine');
  const file = new WholeFile(path);
  file.write('text');
  file.complete();
  const [part = '', ...more] = readdirSync(directory).filter(
    (name) => !others.includes(join(directory, name)),
  );
  expect([more, statSync(join(directory, part)).mode & 0o777]).toEqual([[], 0o600]);
  file.finish();
  expect(others.map((other) => readFileSync(other, 'utf8'))).toEqual(['mine', 'mine', 'mine']);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['text', 0o600]);
});

it('the file may have the longest possible name', () => {
  const long = join(directory, 'é'.repeat(127));
  const file = new WholeFile(long);
  file.write('text');
  file.finish();
  expect(readFileSync(long, 'utf8')).toBe('text');
});

it('reports why it cannot be written, and can then be discarded', () => {
  for (const [stand, message] of [
    [() => mkdirSync(path), `${path} exists and is not a regular file.`],
    [() => symlinkSync('elsewhere', path), `${path} exists and is not a regular file.`],
    [() => writeFileSync(path, 'other'), `${path} exists. Name another file, or add --force.`],
  ] as const) {
    const file = new WholeFile(path);
    file.write('text');
    stand();
    expect(() => file.finish()).toThrow(message);
    file.discard();
    expect(readdirSync(directory)).toEqual(['report']);
    rmSync(path, { recursive: true });
  }
  expect(() => new WholeFile(join(directory, 'nowhere/report'))).toThrow('cannot be written: ENOENT.');
});

it('the file is not created if another output of the same run cannot be', async () => {
  const rejects = join(directory, 'rejects');
  const { flags } = readArguments(['--report', path, '--rejects', rejects]);
  const atEnd: (() => void | Promise<void>)[] = [];
  const files = openVerdictFiles({ flags, atEnd }, 'toy');
  files.add({ file: 'f', table: '', row: 1, result: 'import' });
  for (const name of readdirSync(directory)) if (name.startsWith('rejects.')) rmSync(join(directory, name));
  expect(() => files.finish()).toThrow(`${rejects} cannot be written: its temporary file`);
  for (const end of atEnd) await end();
  expect(readdirSync(directory)).toEqual([]);
});
