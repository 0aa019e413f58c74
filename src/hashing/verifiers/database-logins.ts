import { canonicalSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { ANY_HEX } from '../formats/encodings.ts';
import { DIGEST_BYTES, md5, sha1 } from '../kdf/digests.ts';
import { mysql323, WITHOUT_BLANKS } from '../kdf/mysql323.ts';
import { BYTES } from '../kdf/password-reading.ts';
import { CISCO_LOGINS } from './cisco-logins.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';
import { MSSQL_LOGINS } from './mssql-logins.ts';
import { ORACLE_LOGINS } from './oracle-logins.ts';
import { WINDOWS_LOGINS } from './windows-logins.ts';

export const DATABASE_LOGINS = [
  defineSaltedDigest({
    name: 'mysql41',
    displayName: 'MySQL 4.1',
    spelling: patternSpelling(/\*(?<hash>[0-9A-F]{40}|[0-9a-f]{40})/, {
      looksLike: '`*<40 hex digits>`',
      hash: ANY_HEX,
      bytes: DIGEST_BYTES.sha1,
    }),
    password: BYTES,
    digest: ({ password }) => sha1(sha1(password)),
  }),
  defineSaltedDigest({
    name: 'mysql323',
    displayName: 'MySQL 3.23',
    byNameOnly: true,
    spelling: patternSpelling(/(?<hash>[0-9a-f]{16}|[0-9A-F]{16})/, {
      looksLike: '`<16 hex digits>`',
      hash: ANY_HEX,
      bytes: 8,
    }),
    password: WITHOUT_BLANKS,
    digest: ({ password }) => mysql323(password),
  }),
  defineSaltedDigest({
    name: 'postgres-md5',
    displayName: 'PostgreSQL MD5',
    spelling: canonicalSpelling('postgres-md5', { bytes: DIGEST_BYTES.md5, user: 'required', salt: 'none' }),
    password: BYTES,
    digest: ({ password, user }) => md5(password, user),
  }),
  defineSaltedDigest({
    name: 'htdigest',
    displayName: 'htdigest',
    // The realm, which is digested as well, is in the place of the salt.
    spelling: canonicalSpelling('htdigest', { bytes: DIGEST_BYTES.md5, user: 'required' }),
    password: BYTES,
    digest: ({ password, salt: realm, user }) => md5(user, ':', realm, ':', password),
  }),
  ...MSSQL_LOGINS,
  ...ORACLE_LOGINS,
  ...WINDOWS_LOGINS,
  ...CISCO_LOGINS,
];
