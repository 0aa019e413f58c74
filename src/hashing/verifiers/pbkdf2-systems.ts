import { ANY_HEX, CRYPT64_BIG, HEX, TEXT } from '../formats/encodings.ts';
import { md4 } from '../kdf/md4.ts';
import { inTurn, type PasswordReading, UTF16 } from '../kdf/password-reading.ts';
import { definePbkdf2 } from './define-pbkdf2.ts';
import { sizeOf, spelling } from './pbkdf2-spelling.ts';

const azureAdSync = spelling(
  /v1;PPH1_MD4,(?<salt>[0-9a-f]{20}),(?<iterations>[0-9]+),(?<hash>[0-9a-f]{64});?/,
  {
    looksLike: 'v1;PPH1_MD4,<20 hexadecimal digits>,<iterations>,<64 hexadecimal digits>;',
    salt: HEX,
    hash: HEX,
    digest: 'sha256',
  },
);

/** Reads a password in UTF-16 as its NT hash, in upper-case hexadecimal digits in UTF-16. */
const NT_HASH_TEXT: PasswordReading = {
  of: (utf16) => Buffer.from(md4(utf16).toString('hex').toUpperCase(), 'utf16le'),
  isOnly: () => true,
};

export const PBKDF2_OF_SYSTEMS = [
  definePbkdf2({
    name: 'macos-pbkdf2',
    displayName: 'macOS PBKDF2',
    looksLike: '`$ml$<iterations>$<salt: 64 hexadecimal digits>$<hash: hexadecimal>`',
    shape: /^\$ml\$/,
    ...spelling(/\$ml\$(?<iterations>[0-9]+)\$(?<salt>[0-9a-f]{64})\$(?<hash>[0-9a-f]{256}|[0-9a-f]{128})/, {
      looksLike: '$ml$<iterations>$<64 hexadecimal digits>$<128 or 256 hexadecimal digits>',
      salt: HEX,
      hash: HEX,
      digest: 'sha512',
    }),
  }),
  definePbkdf2({
    name: 'grub',
    aliases: ['pbkdf2-grub'],
    displayName: 'GRUB PBKDF2',
    looksLike: '`grub.pbkdf2.sha512.<iterations>.<salt: hexadecimal>.<hash: hexadecimal>`',
    shape: /^grub\.pbkdf2\.sha512\./,
    // grub-mkpasswd writes hexadecimal digits in upper case. The boot loader accepts either case and a hash
    // of any length.
    ...spelling(/grub\.pbkdf2\.sha512\.(?<iterations>[0-9]+)\.(?<salt>[^.]*)\.(?<hash>[^.]+)/, {
      looksLike: 'grub.pbkdf2.sha512.<iterations>.<salt>.<hash>',
      salt: ANY_HEX,
      hash: ANY_HEX,
      digest: 'sha512',
    }),
  }),
  definePbkdf2({
    name: 'cisco-8',
    displayName: 'Cisco type 8',
    looksLike: '`$8$<salt: 14 characters>$<43 characters>`',
    shape: /^\$8\$/,
    ...spelling(/\$8\$(?<salt>[./0-9A-Za-z]{14})\$(?<hash>[./0-9A-Za-z]{43})/, {
      looksLike: '$8$<14 characters>$<43 characters>, all of ./0-9A-Za-z',
      salt: TEXT,
      hash: CRYPT64_BIG,
      digest: 'sha256',
      iterations: () => '20000',
      hashBytes: sizeOf,
    }),
  }),
  definePbkdf2({
    name: 'azuread-sync',
    displayName: 'Azure AD Connect',
    looksLike: '`v1;PPH1_MD4,<salt: 20 hexadecimal digits>,<iterations>,<hash: 64 hexadecimal digits>;`',
    shape: /^v1;PPH1_MD4,/,
    strength: 'broken',
    ...azureAdSync,
    decoy: (encoded) => azureAdSync.decoy(encoded).replace(/;$/, ''),
    password: inTurn(UTF16, NT_HASH_TEXT),
  }),
];
