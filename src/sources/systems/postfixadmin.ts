import type { SourceRecord } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { PLAIN_TEXT_PASSWORDS } from '../fields/plain-text-passwords.ts';
import { formsOf, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Detail, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser } from '../source-user.ts';

const MD5 = /^[0-9a-f]{32}$/;
/** crypt(3) in base64, as with `sha512.b64` in PostfixAdmin's configuration. */
const CRYPT_IN_BASE64 = /^(?<scheme>\{[A-Z0-9]+-CRYPT)\.B64\}(?<text>[A-Za-z0-9+/]+=*)$/;
/** Scheme before a hash of Dovecot or courier-authlib: `{SHA512-CRYPT}`, `{SHA}`. */
const SCHEME = /^\{[A-Za-z0-9.-]+\}/;
/** PostfixAdmin's "no date". */
const NEVER = /^2000-01-01/;

const domains: Detail = {
  fits: (table) => hasColumns(table, 'domain', 'backupmx', 'active'),
  keyOf: ({ domain }) => textOf(domain)?.toLowerCase(),
  keep: ({ active }) => ({ active }),
  missing:
    'Table domain is missing, which tells the domains that are not active. Export it, too: mysqldump postfix mailbox domain > dump.sql.',
};

/** Mailboxes of PostfixAdmin. Its administrators are in a separate table, which is not read. */
export const postfixadmin: Source = {
  name: 'postfixadmin',
  title: 'PostfixAdmin',
  settings: PLAIN_TEXT_PASSWORDS,
  forms: formsOf(
    { sql: 'postfixadmin-sql', csv: 'postfixadmin-csv', json: 'postfixadmin-json' },
    {
      isUsers: (table) => hasColumns(table, 'username', 'password', 'maildir', 'quota', 'domain', 'active'),
      details: { domains },
      read,
    },
  ),
};

function read(record: SourceRecord, { details, drop, nowMs, settings }: ReadContext): SourceUser {
  const address = textOf(record.username);
  const [domain] = details('domains', (textOf(record.domain) ?? '').toLowerCase());
  const stored = textOf(record.password) ?? '';
  const isPlainText = flagOf(settings.plainTextPasswords) === true && stored !== '' && !isHash(stored);
  const { hash, isLocked } = isPlainText ? { hash: undefined, isLocked: false } : lockableHash(stored);
  const isActive = flagOf(record.active) === true && (domain === undefined || flagOf(domain.active) === true);
  const isDisabled = isLocked || !isActive;
  if (!isDisabled) {
    if (isSet(record.phone)) drop('phone numbers');
    if (isExpired(record.password_expiry, nowMs)) drop('forced password changes');
  }
  return {
    externalUserId: address,
    email: address,
    timeJoinedMs: timeOf(record.created),
    password: isPlainText ? { plainText: stored } : hash === undefined ? undefined : passwordOf(hash),
    metadata: metadataOf({ name: record.name, email_other: record.email_other }),
    state: isDisabled ? 'DISABLED' : undefined,
  };
}

/** A password that may be a hash is never read as a password in the clear. */
const isHash = (stored: string) => looksLikeHash(stored) || SCHEME.test(stored) || /^[!*]+\$/.test(stored);

function isExpired(expiry: unknown, nowMs: number): boolean {
  const endMs = NEVER.test(textOf(expiry) ?? '') ? undefined : timeOf(expiry);
  return endMs !== undefined && endMs <= nowMs;
}

function passwordOf(encoded: string): SourcePassword {
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  if (!encoded.startsWith('{')) return cryptPassword(encoded);
  const { scheme, text } = CRYPT_IN_BASE64.exec(encoded)?.groups ?? {};
  if (scheme === undefined || text === undefined) return { encoded, algorithm: 'dovecot' };
  return { encoded: `${scheme}}${Buffer.from(text, 'base64').toString()}`, algorithm: 'dovecot' };
}
