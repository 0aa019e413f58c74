import { type DigestSpelling, patternSpelling } from '../formats/digest-spelling.ts';
import { ANY_HEX } from '../formats/encodings.ts';
import { DIGEST_BYTES, sha1, sha512 } from '../kdf/digests.ts';
import { inTurn, UPPER_CASE, UTF16 } from '../kdf/password-reading.ts';
import { defineSaltedDigest } from './define-salted-digest.ts';

const SALT = '(?<salt>[0-9A-Fa-f]{8})';

const spelling = (source: string, looksLike: string, bytes: number): DigestSpelling =>
  patternSpelling(new RegExp(source), { looksLike, salt: ANY_HEX, hash: ANY_HEX, bytes });

/** Microsoft SQL Server's logins, as `sys.sql_logins` shows them. */
export const MSSQL_LOGINS = [
  defineSaltedDigest({
    name: 'mssql2000',
    displayName: 'SQL Server 2000',
    spelling: {
      ...spelling(
        `0x0100${SALT}[0-9A-Fa-f]{40}(?<hash>[0-9A-Fa-f]{40})`,
        '`0x0100<8 hex digits><40 hex digits><40 hex digits>`',
        DIGEST_BYTES.sha1,
      ),
      decoy: () => `0x0100${'0'.repeat(88)}`,
    },
    // SQL Server 2000 also stores a digest of the password in upper case, which servers compared unless they
    // were configured as case-sensitive.
    password: inTurn(UPPER_CASE, UTF16),
    digest: ({ password, salt }) => sha1(password, salt),
    // The first digest in the hash is of the same password in its original case.
    withoutDigest: (_parsed, encoded) => encoded.slice(0, 14) + '0'.repeat(80),
  }),
  defineSaltedDigest({
    name: 'mssql2005',
    displayName: 'SQL Server 2005',
    spelling: spelling(
      `0x0100${SALT}(?<hash>[0-9A-Fa-f]{40})`,
      '`0x0100<8 hex digits><40 hex digits>`',
      DIGEST_BYTES.sha1,
    ),
    password: UTF16,
    digest: ({ password, salt }) => sha1(password, salt),
  }),
  defineSaltedDigest({
    name: 'mssql2012',
    displayName: 'SQL Server 2012',
    spelling: spelling(
      `0x0200${SALT}(?<hash>[0-9A-Fa-f]{128})`,
      '`0x0200<8 hex digits><128 hex digits>`',
      DIGEST_BYTES.sha512,
    ),
    password: UTF16,
    digest: ({ password, salt }) => sha512(password, salt),
  }),
];
