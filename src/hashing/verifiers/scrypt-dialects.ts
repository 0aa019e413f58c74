import { CRYPT64, CRYPT64_BIG, cryptDigit, HEX, PADDED_BASE64, TEXT } from '../formats/encodings.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import { rememberLast } from '../formats/remember-last.ts';
import { HashRefused } from '../verifier.ts';
import { defineScrypt, type ScryptCostTexts } from './define-scrypt.ts';
import { SCRYPT_KDF } from './scrypt-kdf.ts';
import { canonicalScrypt, costsOf, djangoScrypt, scryptPattern } from './scrypt-spellings.ts';

/** Some programs hash the characters of a salt, even if they look like hexadecimal digits. */
const HEX_BY_NAME = { salt: TEXT, hash: HEX };
/** Defaults of Node.js's `crypto.scrypt`. */
const NODE_COSTS = (): ScryptCostTexts => ({ N: '16384', r: '8', p: '1' });
const BLOCKS_OF_16 = (): ScryptCostTexts => ({ N: '16384', r: '16', p: '1' });

const LUCIA = scryptPattern(/(?:s2:)?(?<salt>[0-9A-Za-z]{8,64}):(?<hash>[0-9a-f]{128})/, {
  ...HEX_BY_NAME,
  looksLike: '[s2:]<salt>:<128 hexadecimal digits>',
  costs: BLOCKS_OF_16,
});

/** All families of scrypt hashes. The first has the canonical syntax. */
export const SCRYPT = [
  defineScrypt({
    name: 'scrypt',
    aliases: ['scrypt-phc', 'scrypt-raw'],
    displayName: 'SCrypt',
    looksLike: '`$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>`',
    shape: /^\$scrypt\$(?!(?:[^$]*,)?(?:n=|ln=(?:3[2-9]|[4-9][0-9]|[0-9]{3})))/,
    ...canonicalScrypt('scrypt', { field: 'ln', holds: 'log2N' }),
  }),
  defineScrypt({
    name: 'scrypt-kratos',
    displayName: 'Kratos SCrypt',
    looksLike: '`$scrypt$ln=<N>,r=<r>,p=<p>$<salt>$<hash>`, N from 32',
    shape: /^\$scrypt\$(?:[^$]*,)?ln=(?:3[2-9]|[4-9][0-9]|[0-9]{3})/,
    ...canonicalScrypt('scrypt', {
      field: 'ln',
      holds: 'N',
      check(text) {
        if ('N' in text && Number(text.N) < 32)
          throw new HashRefused('format', 'ln is N itself here, and must be at least 32');
      },
    }),
  }),
  defineScrypt({
    name: 'scrypt-adonis',
    displayName: 'Adonis SCrypt',
    looksLike: '`$scrypt$n=<N>,r=<r>,p=<p>$<salt>$<hash>`',
    shape: /^\$scrypt\$(?:[^$]*,)?n=/,
    ...canonicalScrypt('scrypt', {
      field: 'n',
      holds: 'N',
      check({ salt }) {
        if (salt.length === 0) throw new HashRefused('format', 'salt is empty');
      },
    }),
  }),
  defineScrypt({
    name: 'better-auth',
    displayName: 'Better Auth',
    looksLike: '`<salt: 32 hexadecimal digits>:<128 hexadecimal digits>`',
    shape: /^[0-9a-f]{32}:[0-9a-f]{128}$/,
    byNameOnly: true,
    normalForm: 'NFKC',
    ...scryptPattern(/(?<salt>[0-9a-f]{32}):(?<hash>[0-9a-f]{128})/, {
      ...HEX_BY_NAME,
      looksLike: '32 and 128 lower-case hexadecimal digits with a colon between them',
      costs: BLOCKS_OF_16,
    }),
  }),
  defineScrypt({
    name: 'lucia',
    aliases: ['lucia-v2', 'lucia-v3'],
    displayName: 'Lucia',
    looksLike: '`s2:<salt>:<128 hexadecimal digits>`; without `s2:` it must be named',
    shape: /^s2:[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/,
    shapeByName: /^[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/,
    normalForm: 'NFKC',
    ...LUCIA,
    // Hashes of Lucia have the same decoy with and without the prefix `s2:`.
    decoy: (parsed, encoded) => LUCIA.decoy(parsed, encoded.startsWith('s2:') ? encoded : `s2:${encoded}`),
  }),
  defineScrypt({
    name: 'lucia-v1',
    displayName: 'Lucia 1',
    looksLike: '`<salt>:<128 hexadecimal digits>`',
    shape: /^[0-9A-Za-z]{8,64}:[0-9a-f]{128}$/,
    byNameOnly: true,
    normalForm: 'NFKC',
    ...scryptPattern(/(?<salt>[0-9A-Za-z]{8,64}):(?<hash>[0-9a-f]{128})/, {
      ...HEX_BY_NAME,
      looksLike: '<salt>:<128 hexadecimal digits>',
      costs: NODE_COSTS,
    }),
  }),
  defineScrypt({
    name: 'node-scrypt-salt-hash',
    displayName: 'Node.js scrypt',
    looksLike: '`<salt: hexadecimal>:<128 hexadecimal digits>`',
    shape: /^[0-9a-f]{16,128}:[0-9a-f]{128}$/,
    byNameOnly: true,
    ...scryptPattern(/(?<salt>[0-9a-f]{16,128}):(?<hash>[0-9a-f]{128})/, {
      ...HEX_BY_NAME,
      looksLike: '<salt>:<hash>, hash of 128 lower-case hexadecimal digits',
      costs: NODE_COSTS,
    }),
  }),
  defineScrypt({
    name: 'node-scrypt-hash-dot-salt',
    displayName: 'Node.js scrypt (hash first)',
    looksLike: '`<128 hexadecimal digits>.<salt: hexadecimal>`',
    shape: /^[0-9a-f]{128}\.[0-9a-f]{16,128}$/,
    byNameOnly: true,
    ...scryptPattern(/(?<hash>[0-9a-f]{128})\.(?<salt>[0-9a-f]{16,128})/, {
      ...HEX_BY_NAME,
      looksLike: '<hash>.<salt>, hash of 128 lower-case hexadecimal digits',
      costs: NODE_COSTS,
    }),
  }),
  defineScrypt(SCRYPT_KDF),
  defineScrypt({
    name: 'redwood',
    displayName: 'RedwoodJS',
    looksLike: '`$redwood$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>`',
    shape: /^\$redwood\$/,
    normalForm: 'NFC',
    ...canonicalScrypt('redwood', {
      field: 'ln',
      holds: 'log2N',
      check({ hash }) {
        if (hash.length !== 32)
          throw new HashRefused('format', `hash must be 32 bytes long, got ${hash.length}`);
      },
    }),
  }),
  defineScrypt({
    name: 'django-scrypt',
    displayName: 'Django SCrypt',
    looksLike: '`scrypt$<N>$<salt>$<r>$<p>$<hash>`, `scrypt$<salt>$<log2 N>$<r>$<p>$<bytes>$<hash>`',
    shape: /^scrypt\$(?:[^$]*\$){4,5}[^$]*$/,
    ...djangoScrypt({ salt: TEXT, hash: PADDED_BASE64 }),
  }),
  defineScrypt({
    name: 'spring-scrypt',
    aliases: ['scrypt-spring'],
    displayName: 'Spring Security SCrypt',
    looksLike: '`$<log2 N, r and p: hexadecimal>$<salt>$<hash>`',
    shape: /^\$[1-9a-f][0-9a-f]{4,5}\$[A-Za-z0-9+/]+=*\$[A-Za-z0-9+/]+=*$/,
    byNameOnly: true,
    ...scryptPattern(/\$(?<costs>[1-9a-f][0-9a-f]{4,5})\$(?<salt>[^$]+)\$(?<hash>[^$]+)/, {
      salt: PADDED_BASE64,
      hash: PADDED_BASE64,
      looksLike: '$<5 or 6 hexadecimal digits>$<salt>$<hash>, both in base64',
      costs: springCosts,
    }),
  }),
  defineScrypt({
    name: 'scrypt-mcf7',
    displayName: 'SCrypt ($7$)',
    looksLike: '`$7$<N><r><p><salt>$<hash>` (libsodium, crypt)',
    shape: /^\$7\$/,
    ...scryptPattern(/\$7\$(?<costs>[./0-9A-Za-z]{11})(?<salt>[./0-9A-Za-z]*)\$(?<hash>[./0-9A-Za-z]{43})/, {
      salt: TEXT,
      hash: CRYPT64,
      looksLike: '$7$, 11 characters of costs, the salt, $ and 43 characters, all of ./0-9A-Za-z',
      costs: ({ costs }) => mcf7Costs(costs ?? ''),
    }),
  }),
  defineScrypt({
    name: 'hashcat-scrypt',
    displayName: 'hashcat SCrypt',
    looksLike: '`SCRYPT:<N>:<r>:<p>:<salt>:<hash>`',
    shape: /^SCRYPT:/,
    ...scryptPattern(/SCRYPT:(?<N>[0-9]+):(?<r>[0-9]+):(?<p>[0-9]+):(?<salt>[^:]*):(?<hash>[^:]+)/, {
      salt: PADDED_BASE64,
      hash: PADDED_BASE64,
      looksLike: 'SCRYPT:<N>:<r>:<p>:<salt>:<hash>, both in base64',
      costs: costsOf,
    }),
  }),
  defineScrypt({
    name: 'cisco-9',
    displayName: 'Cisco type 9',
    looksLike: '`$9$<salt: 14 characters>$<43 characters>`',
    // Juniper's `$9$`, which is encrypted text, has no second `$` at this position.
    shape: /^\$9\$[./0-9A-Za-z]{14}\$[./0-9A-Za-z]{43}$/,
    strength: 'legacy',
    ...scryptPattern(/\$9\$(?<salt>[./0-9A-Za-z]{14})\$(?<hash>[./0-9A-Za-z]{43})/, {
      salt: TEXT,
      hash: CRYPT64_BIG,
      looksLike: '$9$<14 characters>$<43 characters>, all of ./0-9A-Za-z',
      costs: () => ({ N: '16384', r: '1', p: '1' }),
    }),
  }),
];

/** Spring Security writes the scrypt costs as one number: log2 N × 65536 + r × 256 + p. */
function springCosts({ costs = '' }: Groups): ScryptCostTexts {
  const value = Number.parseInt(costs, 16);
  return { log2N: String(value >> 16), r: String((value >> 8) & 255), p: String(value & 255) };
}

/** Scrypt costs of a `$7$` hash: one digit of log2 N, five digits of r and five of p. */
const mcf7Costs = rememberLast(
  (text): ScryptCostTexts => ({
    log2N: mcf7Number(text.slice(0, 1)),
    r: mcf7Number(text.slice(1, 6)),
    p: mcf7Number(text.slice(6)),
  }),
);

/** The first digit of crypt(3) is the lowest. */
const mcf7Number = (text: string) =>
  String([...text].reduceRight((value, digit) => value * 64 + cryptDigit(digit), 0));
