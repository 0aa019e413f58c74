import { canonicalRepairs } from '../diagnose/canonical-repairs.ts';
import { dialectRepairs } from '../diagnose/dialect-repairs.ts';
import { VERSION_ITERATIONS } from '../diagnose/version-iterations.ts';

export const PBKDF2_REPAIRS = canonicalRepairs({
  salt: true,
  digests: { 'pbkdf2-sha256': 32, 'pbkdf2-sha512': 64, 'pbkdf2-sha1': 20 },
  freeLength: true,
  iterations: VERSION_ITERATIONS.columns,
});

export const DJANGO_REPAIRS = dialectRepairs({
  pattern: /^pbkdf2_sha(?:1|256)\$(?<iterations>[0-9]+)\$[^$]*\$(?<hash>[^$]+)$/,
  hash: 'padded base64',
  iterations: VERSION_ITERATIONS.django,
});
