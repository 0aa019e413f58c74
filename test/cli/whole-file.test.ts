import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openOutcomeFiles } from '../../src/cli/files/outcome-files.ts';
import { WholeFile } from '../../src/cli/files/whole-file.ts';
import { scratch } from './command-line.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = scratch();
  path = join(directory, 'report');
});

it('is there whole, or as it was before', () => {
  writeFileSync(path, 'before');
  const dropped = new WholeFile(path);
  dropped.write('dropped');
  dropped.discard();
  expect(readFileSync(path, 'utf8')).toBe('before');
  const kept = new WholeFile(path);
  kept.write('not this');
  kept.restart();
  kept.write('after');
  kept.finish();
  kept.discard();
  expect(readFileSync(path, 'utf8')).toBe('after');
  expect(readdirSync(directory)).toEqual(['report']);
});

it('belongs to the last of several runs that began it; the others do not touch it', () => {
  const [first, second, third] = [new WholeFile(path), new WholeFile(path), new WholeFile(path)];
  for (const [file, text] of [
    [first, 'first'],
    [third, 'third'],
    [second, 'second'],
  ] as const)
    file.write(text);
  first.discard();
  expect(() => second.finish()).toThrow(`${path} cannot be written: another run has begun to write it.`);
  second.discard();
  third.finish();
  expect(readFileSync(path, 'utf8')).toBe('third');
  expect(readdirSync(directory)).toEqual(['report']);
});

it('writes through no link that stands in its way', () => {
  const elsewhere = join(directory, 'elsewhere');
  writeFileSync(elsewhere, 'mine');
  symlinkSync(elsewhere, `${path}.part`);
  const file = new WholeFile(path);
  file.write('text');
  file.finish();
  expect([readFileSync(elsewhere, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['mine', 'text']);
});

it('says what keeps it from being written, and can be discarded then', () => {
  const file = new WholeFile(path);
  file.write('text');
  mkdirSync(path);
  expect(() => file.finish()).toThrow(`${path} cannot be written: EISDIR.`);
  file.discard();
  expect(existsSync(`${path}.part`)).toBe(false);
  expect(() => new WholeFile(join(directory, 'nowhere/report'))).toThrow('cannot be written: ENOENT.');
});

it('is not there where another of the same run cannot be', () => {
  const rejects = join(directory, 'rejects');
  const files = openOutcomeFiles({ report: path, rejects, inputs: [], from: 'toy' });
  files.add({ file: 'f', table: '', row: 1, result: 'import' });
  new WholeFile(rejects).discard();
  expect(() => files.finish()).toThrow(`${rejects} cannot be written: another run`);
  files.discard();
  expect(readdirSync(directory)).toEqual([]);
});
