import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, expect, it, vi } from 'vitest';
import { findLibxcrypt, type Machine } from '../../../src/hashing/kdf/libxcrypt.ts';
import { refusalOf, vector, verifierOf } from '../../support/vectors.ts';

vi.mock('../../../src/hashing/kdf/libxcrypt.ts', async (original) => ({
  ...(await original<object>()),
  libxcrypt: () => ({ missing: 'libxcrypt is not on this machine' }),
}));

const folder = mkdtempSync(`${tmpdir()}/libxcrypt-`);
afterAll(() => rmSync(folder, { recursive: true }));

const MACHINE: Machine = {
  platform: 'linux',
  arch: 'x64',
  folders: ['/nowhere', folder],
  resolvePackage: (name) => `/packages/${name}`,
};
const library = (bits: number, text: string) => Buffer.from(`\x7fELF${String.fromCharCode(bits)}${text}`);

it('finds a library that supports yescrypt', () => {
  const path = `${folder}/libcrypt.so.2`;
  for (const [bytes, isOurs] of [
    [library(2, '$y$\0$gy$'), true],
    [library(1, '$y$\0$gy$'), false],
    [library(2, '$6$'), false],
    [Buffer.from('$y$\0$gy$'), false],
    [Buffer.alloc(0), false],
  ] as const) {
    writeFileSync(path, bytes);
    const missing = { missing: 'libxcrypt is not on this machine' };
    expect(findLibxcrypt(MACHINE)).toEqual(isOurs ? { path } : missing);
  }
});

it.each([
  ['another system', { platform: 'darwin' }, 'libxcrypt is for Linux'],
  ['no koffi', { resolvePackage: () => undefined }, 'the optional package koffi is not installed'],
  [
    'no koffi for the architecture',
    { resolvePackage: (name: string) => (name === 'koffi' ? '/koffi' : undefined) },
    'the optional package koffi is not installed',
  ],
  ['no library', { folders: [] }, 'libxcrypt is not on this machine'],
] as const)('reports why there is none: %s', (_name, change, missing) => {
  expect(findLibxcrypt({ ...MACHINE, ...change })).toEqual({ missing });
});

it.each(['yescrypt', 'gost-yescrypt'])(
  'without the library, %s hashes are refused with the reason',
  (algorithm) => {
    const { hash } = vector(algorithm, algorithm === 'yescrypt' ? 'lx-yescrypt-12' : 'lx-gost-yescrypt-04');
    const { reason, message } = refusalOf(() => verifierOf(algorithm).parse(hash));
    expect(reason).toBe('unavailable');
    expect(message).toBe(`${algorithm} hashes cannot be verified here: libxcrypt is not on this machine`);
    expect(refusalOf(() => verifierOf(algorithm).parse(hash.slice(0, -1))).reason).toBe('format');
  },
);
