import type { SourceRecord } from '../containers/table.ts';
import { PLAIN_TEXT_PASSWORDS } from '../fields/hashes.ts';
import { looksLikeHash } from '../fields/looks-like-hash.ts';
import { timeOf } from '../fields/time.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { flagOf, isSet, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

const MD5 = /^[0-9a-f]{32}$/;
/** crypt(3) in base64, as with `sha512.b64` in PostfixAdmin's configuration. */
const CRYPT_IN_BASE64 = /^(?<scheme>\{[A-Z0-9]+-CRYPT)\.B64\}(?<text>[A-Za-z0-9+/]+=*)$/;
/** Scheme before a hash of Dovecot or courier-authlib: `{SHA512-CRYPT}`, `{SHA}`. */
const SCHEME = /^\{[A-Za-z0-9.-]+\}/;
/** PostfixAdmin's "no date". */
const NEVER = /^2000-01-01/;

/** A password that may be a hash is never read as a password in the clear. */
const isHash = (stored: string) => looksLikeHash(stored) || SCHEME.test(stored) || /^[!*]+\$/.test(stored);

function readPassword(
  { password }: SourceRecord,
  { plainTextPasswords }: Settings,
): { password?: SourcePassword | undefined; isLocked: boolean } {
  const stored = textOf(password) ?? '';
  if (flagOf(plainTextPasswords) === true && stored !== '' && !isHash(stored))
    return { password: { plainText: stored }, isLocked: false };
  const { hash, isLocked } = lockableHash(stored);
  return { password: hash === undefined ? undefined : hashOf(hash), isLocked };
}

function hashOf(encoded: string): SourcePassword {
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  if (!encoded.startsWith('{')) return cryptPassword(encoded);
  const { scheme, text } = CRYPT_IN_BASE64.exec(encoded)?.groups ?? {};
  if (scheme === undefined || text === undefined) return { encoded, algorithm: 'dovecot' };
  return { encoded: `${scheme}}${Buffer.from(text, 'base64').toString()}`, algorithm: 'dovecot' };
}

function isExpired(expiry: unknown, nowMs: number): boolean {
  const endMs = NEVER.test(textOf(expiry) ?? '') ? undefined : timeOf(expiry);
  return endMs !== undefined && endMs <= nowMs;
}

const domainOf = ({ domain }: SourceRecord) => textOf(domain)?.toLowerCase();

/**
 * Mailboxes of PostfixAdmin. Its administrators are in a separate table, which is not read. Schema:
 * postfixadmin/postfixadmin: public/upgrade.php (4.0)
 */
export const postfixadmin = system('postfixadmin', 'PostfixAdmin', {
  settings: PLAIN_TEXT_PASSWORDS,

  isPrefixed: true,
  has: 'username password maildir quota domain active',
  joins: {
    domain: {
      has: 'domain backupmx active',
      on: domainOf,
      keep: 'active',
      unused: 'description aliases mailboxes maxquota quota transport created modified password_expiry',
      of: 'every',
      decides: 'states',
      missing: 'Domains may be switched off. Export it, too: mysqldump postfix mailbox domain > dump.sql.',
    },
  },
  unusedTables: `
      admin alias alias_domain domain_admins fetchmail log mailbox_app_password quota quota2 totp_exception_address
      vacation vacation_notification`,
  id: 'username',
  key: domainOf,
  email: 'username',
  joined: 'created',
  hash: ({ record, settings }) => readPassword(record, settings).password,
  metadata: 'name email_other',
  states: { active: 'active' },
  state: ({ record, settings, joined }) => {
    const isOff = joined('domain').some(({ active }) => flagOf(active) !== true);
    return isOff || readPassword(record, settings).isLocked ? 'DISABLED' : undefined;
  },
  phone: 'phone',
  factors: ({ record }) => isSet(record.totp_secret) && totpOfBase32(record.totp_secret),
  drops: { 'forced password changes': ({ record, nowMs }) => isExpired(record.password_expiry, nowMs) },
  reads: 'password_expiry totp_secret',
  unused: 'local_part modified token token_validity smtp_active',
});
