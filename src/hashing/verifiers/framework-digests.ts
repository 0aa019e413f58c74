import { canonicalSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { HEX, TEXT } from '../formats/encodings.ts';
import { DIGEST_BYTES, digestFunction, hex, md5, sha1, sha256, sha512 } from '../kdf/digests.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

const djangoDigest = (digest: 'md5' | 'sha1', names: { salted: string; unsalted: string }) => {
  const bytes = DIGEST_BYTES[digest];
  const digits = `(?<hash>[0-9a-f]{${2 * bytes}})`;
  const hexDigits = `<${2 * bytes} lower-case hex digits>`;
  return [
    defineSaltedDigest({
      name: names.salted,
      // Werkzeug writes HMACs in the same form.
      byNameOnly: true,
      spelling: patternSpelling(new RegExp(`${digest}\\$(?<salt>[^$\\p{Cc}\\p{Cs}]*)\\$${digits}`, 'u'), {
        looksLike: `\`${digest}$<salt>$${hexDigits}\``,
        hash: HEX,
        salt: TEXT,
        bytes,
      }),
      password: BYTES,
      digest: ({ password, salt }) => digestFunction(digest)(salt, password),
    }),
    defineSaltedDigest({
      name: names.unsalted,
      byNameOnly: true,
      // Django accepts MD5 hashes with or without the prefix, and SHA-1 only with it.
      spelling: patternSpelling(
        new RegExp(digest === 'md5' ? `(?:md5\\$\\$)?${digits}` : `sha1\\$\\$${digits}`),
        {
          looksLike: digest === 'md5' ? `\`[md5$$]${hexDigits}\`` : `\`sha1$$${hexDigits}\``,
          hash: HEX,
          bytes,
          decoy: (zeroed) => `${digest}$$${zeroed.slice(-2 * bytes)}`,
        },
      ),
      password: BYTES,
      digest: ({ password }) => digestFunction(digest)(password),
    }),
  ];
};

export const FRAMEWORK_DIGESTS = [
  ...djangoDigest('md5', { salted: 'django-salted-md5', unsalted: 'django-unsalted-md5' }),
  ...djangoDigest('sha1', { salted: 'django-salted-sha1', unsalted: 'django-unsalted-sha1' }),
  defineSaltedDigest({
    name: 'redmine',
    displayName: 'Redmine',
    spelling: canonicalSpelling('redmine', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest: ({ password, salt }) => sha1(salt, hex(sha1(password))),
  }),
  defineSaltedDigest({
    name: 'casdoor-sha512',
    displayName: 'Casdoor SHA-512',
    spelling: canonicalSpelling('casdoor-sha512', { bytes: DIGEST_BYTES.sha512 }),
    password: BYTES,
    digest: ({ password, salt }) => sha512(hex(sha512(password)), salt),
  }),
  defineSaltedDigest({
    name: 'clearance-sha1',
    displayName: 'Clearance SHA-1',
    spelling: canonicalSpelling('clearance-sha1', { bytes: DIGEST_BYTES.sha1 }),
    password: BYTES,
    digest: ({ password, salt }) => sha1('--', salt, '--', password, '--'),
  }),
  defineSaltedDigest({
    name: 'cakephp-sha1',
    displayName: 'CakePHP SHA-1',
    secret: 'required',
    spelling: canonicalSpelling('cakephp-sha1', { bytes: DIGEST_BYTES.sha1, salt: 'none' }),
    password: BYTES,
    digest: ({ password, secret }) => sha1(secret, password),
  }),
  defineSaltedDigest({
    name: 'moodle-md5',
    displayName: 'Moodle MD5',
    secret: 'required',
    spelling: canonicalSpelling('moodle-md5', { bytes: DIGEST_BYTES.md5, salt: 'none' }),
    password: BYTES,
    digest: ({ password, secret }) => md5(password, secret),
  }),
  defineSaltedDigest({
    name: 'acegi-sha256',
    displayName: 'Acegi SHA-256',
    byNameOnly: true,
    spelling: patternSpelling(/(?<salt>[A-Za-z0-9]+):(?<hash>[0-9a-f]{64})/, {
      looksLike: '`<salt>:<64 lower-case hex digits>`',
      hash: HEX,
      salt: TEXT,
      bytes: DIGEST_BYTES.sha256,
    }),
    password: BYTES,
    digest: ({ password, salt }) => sha256(password, '{', salt, '}'),
  }),
  defineSaltedDigest({
    name: 'hmailserver',
    displayName: 'hMailServer',
    byNameOnly: true,
    spelling: patternSpelling(/(?<salt>[0-9a-f]{6})(?<hash>[0-9a-f]{64})/, {
      looksLike: '`<6 and 64 lower-case hex digits>`: salt, digest',
      hash: HEX,
      salt: TEXT,
      bytes: DIGEST_BYTES.sha256,
    }),
    password: BYTES,
    digest: ({ password, salt }) => sha256(salt, password),
  }),
];
