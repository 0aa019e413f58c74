import { describe, expect, it } from 'vitest';
import { readHashConfig, readSignerKey } from '../../../src/sources/containers/hash-config.ts';
import { problemOf, readWhole, sampleBytes } from './read-whole.ts';

const BLOCK = sampleBytes('firebase/hash_config.txt').toString();
const KEY = 'G4sSPUByQ3N9dGFmu7L/H82xbYhS5PnPRJ/6z8sMbY4C/H2cj5zm6535C58KqsH1AQdR2pGGX5DulRtXYWlqjQ==';
const CONFIG = { algorithm: 'SCRYPT', signerKey: KEY, saltSeparator: 'Bw==', rounds: '8', memCost: '14' };

describe('hash parameters', () => {
  it.each([
    ['nothing', ''],
    ['no key', 'hash_config { algorithm: SCRYPT, rounds: 8, mem_cost: 14 }'],
    ['a key that was left out', 'hash_config { base64_signer_key: ..., rounds: 8 }'],
    ['a key without a value', 'hash_config { base64_signer_key'],
    ['one long word', 'a'.repeat(16_000)],
    ['one long blank', `hash_config {${' '.repeat(16_000)}`],
  ])('are refused: %s', async (_, text) => {
    const said = await problemOf(() => readWhole(readHashConfig, text));
    expect(said).toMatch(/^FILE_INVALID: .*base64_signer_key/);
  });

  it('are refused if the file is too large', async () => {
    const said = await problemOf(() => readWhole(readHashConfig, BLOCK.repeat(100)));
    expect(said).toMatch(/^FILE_INVALID: .*too long/);
  });

  it.each([
    ['as the console shows it', BLOCK],
    ['on one line', BLOCK.replaceAll('\n', ' ')],
    ['without blanks', BLOCK.replaceAll(/\s/g, '')],
    ['without commas', BLOCK.replaceAll(',', '')],
    ['on one line, without commas', BLOCK.replaceAll(/[,\n]/g, ' ')],
    ['with quotes', BLOCK.replaceAll(/: (\S+),/g, ': "$1",')],
    ['with quotes around all', BLOCK.replaceAll(/(\w+): (\S+),/g, '"$1": \'$2\',')],
    ['with equals signs', BLOCK.replaceAll(': ', ' = ')],
    ['on Windows', BLOCK.replaceAll('\n', '\r\n')],
    ['with a key broken in two', BLOCK.replace('H82xbYhS', 'H82x\n    bYhS')],
    ['without its first and last line', BLOCK.split('\n').slice(1, -2).join('\n')],
    [
      'of the REST interface',
      JSON.stringify({ hashConfig: { ...CONFIG, rounds: 8, memCost: undefined, memoryCost: 14 } }),
    ],
  ])('are read %s', async (_, text) => {
    const whole = await readWhole(readHashConfig, text);
    expect(whole.records).toEqual([CONFIG]);
    expect(whole.heads).toMatchObject([{ container: 'hash-config', name: '', first: [CONFIG] }]);
  });

  it('truncated at any byte give a verdict', async () => {
    for (let length = 0; length < BLOCK.length; length++) {
      const said = await problemOf(() => readWhole(readHashConfig, BLOCK.slice(0, length)));
      expect(said ?? 'FILE_INVALID').toMatch(/^FILE_INVALID/);
    }
  });
});

describe('a signer key', () => {
  it('is refused if it is not one line of base64', async () => {
    for (const text of ['', 'short', `${KEY}\n${KEY}`, `${KEY}!`, 'a'.repeat(40), `${'A1'.repeat(16)}B`])
      expect(await problemOf(() => readWhole(readSignerKey, text))).toMatch(/^FILE_INVALID: .*one line of/);
  });

  it('may be alone in a file', async () => {
    const text = sampleBytes('supertokens/signer-key.txt').toString();
    for (const variant of [text, text.trim(), `\r\n${text}\r\n`]) {
      const whole = await readWhole(readSignerKey, variant);
      expect(whole.records).toEqual([{ signerKey: text.trim() }]);
      expect(whole.heads).toMatchObject([{ container: 'signer-key', columns: new Set(['signerKey']) }]);
    }
  });
});
