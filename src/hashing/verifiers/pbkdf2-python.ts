import { VERSION_ITERATIONS } from '../diagnose/version-iterations.ts';
import { AB64, HEX, PADDED_BASE64, PADDED_BASE64URL, TEXT } from '../formats/encodings.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { digestNamed, sizeOf, spelling } from './pbkdf2-spelling.ts';

const fromHex = ({ iterations }: Groups) => String(Number.parseInt(iterations ?? '', 16));

/** Dwayne Litzenberger's module omits this number of iterations and no other. */
const DLITZ_ITERATIONS = 0x190;
const DLITZ_BYTES = 24;

export const PBKDF2_OF_PYTHON = [
  definePbkdf2({
    name: 'pbkdf2-passlib',
    aliases: ['odoo', 'authelia', 'pbkdf2-elixir'],
    displayName: 'passlib PBKDF2',
    looksLike: '`$pbkdf2[-sha256|-sha512]$<iterations>$<salt>$<hash>`, both in `ab64`',
    shape: /^\$pbkdf2(?:-sha224|-sha256|-sha384|-sha512)?\$[0-9]/,
    ...spelling(
      /\$pbkdf2(?:-(?<digest>sha224|sha256|sha384|sha512))?\$(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/,
      {
        looksLike: '$pbkdf2[-sha256|-sha512]$<iterations>$<salt>$<hash>',
        salt: AB64,
        hash: AB64,
        digest: digestNamed,
        hashBytes: sizeOf,
      },
    ),
  }),
  definePbkdf2({
    name: 'django-pbkdf2',
    aliases: ['pbkdf2_sha256_django', 'authentik'],
    displayName: 'Django PBKDF2',
    looksLike: '`pbkdf2_<sha256|sha1>$<iterations>$<salt>$<hash>`',
    shape: /^pbkdf2_sha(?:1|256)\$/,
    ...spelling(/pbkdf2_(?<digest>sha256|sha1)\$(?<iterations>[0-9]+)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/, {
      looksLike: 'pbkdf2_sha256$<iterations>$<salt>$<hash>',
      versions: VERSION_ITERATIONS.django,
      salt: TEXT,
      hash: PADDED_BASE64,
      digest: digestNamed,
      hashBytes: sizeOf,
    }),
  }),
  definePbkdf2({
    name: 'web2py',
    displayName: 'web2py PBKDF2',
    looksLike: '`pbkdf2(<iterations>,<bytes>,<digest>)$<salt>$<hash: hexadecimal>`',
    shape: /^pbkdf2\(/,
    ...spelling(
      /pbkdf2\((?<iterations>[0-9]+),(?<bytes>[1-9][0-9]{0,3}),(?<digest>md5|sha1|sha224|sha256|sha384|sha512)\)\$(?<salt>[^$]*)\$(?<hash>[^$]+)/,
      {
        looksLike: 'pbkdf2(<iterations>,<bytes>,<digest>)$<salt>$<hash>',
        salt: TEXT,
        hash: HEX,
        digest: digestNamed,
        hashBytes: (_digest, { bytes }) => Number(bytes),
      },
    ),
  }),
  definePbkdf2({
    name: 'pbkdf2-cta',
    displayName: 'Cryptacular PBKDF2',
    looksLike: '`$p5k2$<iterations: hexadecimal>$<salt>$<hash>`, both in padded URL-safe base64',
    shape: /^\$p5k2\$[0-9a-f]+\$[\w=-]*\$[\w-]{27}=$/,
    ...spelling(/\$p5k2\$(?<iterations>[1-9a-f][0-9a-f]{0,7})\$(?<salt>[^$]*)\$(?<hash>[^$]{28})/, {
      looksLike: '$p5k2$<iterations>$<salt>$<28 characters>',
      salt: PADDED_BASE64URL,
      hash: PADDED_BASE64URL,
      digest: 'sha1',
      iterations: fromHex,
      hashBytes: sizeOf,
    }),
  }),
  definePbkdf2({
    name: 'pbkdf2-dlitz',
    displayName: 'Dwayne Litzenberger PBKDF2',
    looksLike: '`$p5k2$[<iterations: hexadecimal>]$<salt>$<32 characters>`; 400 iterations are left out',
    shape: /^\$p5k2\$[0-9a-f]*\$[./0-9A-Za-z]*\$[./0-9A-Za-z]{32}$/,
    ...spelling(
      /\$p5k2\$(?<iterations>(?!190\$)[1-9a-f][0-9a-f]{0,7})?\$(?<salt>[./0-9A-Za-z]*)\$(?<hash>[./0-9A-Za-z]{32})/,
      {
        looksLike: '$p5k2$[<iterations>]$<salt>$<32 characters>',
        salt: TEXT,
        hash: AB64,
        digest: 'sha1',
        iterations: (groups) =>
          groups.iterations === undefined ? String(DLITZ_ITERATIONS) : fromHex(groups),
        hashBytes: () => DLITZ_BYTES,
        // The salt of a `$p5k2$` hash is the whole text before its digest, including the number of
        // iterations.
        saltText: ({ iterations, salt }) => `$p5k2$${iterations ?? ''}$${salt}`,
      },
    ),
  }),
];
