import type { SourceRecord } from '../containers/table.ts';
import { digestHash, invalidHash, ofUser } from '../fields/hashes.ts';
import { shownCell } from '../fields/shown-name.ts';
import { gravestState, type ReadState } from '../fields/states.ts';
import { cryptPassword, lockableHash } from '../fields/unix-account.ts';
import { textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { type Row, system, words } from './declare.ts';

const SCHEME = /^\{(?<scheme>[A-Za-z0-9-]{1,40})(?<encoding>\.[A-Za-z0-9]{1,10})?\}/;
const IN_CLEAR = new Set(['PLAIN', 'CLEAR', 'CLEARTEXT']);
const DIGEST = 'DIGEST-MD5';

/** The extra fields in a line of Dovecot's passwd-file, by name. A field without a value is on. */
const extrasOf = ({ extra }: SourceRecord): ReadonlyMap<string, string> =>
  new Map(
    (textOf(extra) ?? '').split(/\s+/).flatMap((field) => {
      const [name = '', ...value] = field.split('=');
      return name === '' ? [] : [[name.toLowerCase(), value.join('=') || 'y'] as const];
    }),
  );

/**
 * Extra fields of Dovecot's passdb that say nothing about who may sign in, beside those with the beginnings below.
 */
const NO_STATE = new Set(
  words(`allow_nets allow_real_nets delay_until destuser gid home host hostip k5principals
    login_user mail master nodelay nopassword original_user pass password port proxy proxy_always proxy_maybe
    proxy_mech proxy_not_trusted proxy_noauth proxy_nopipelining proxy_refresh proxy_timeout quota quota_rule
    quota_rule2 quota_rule3 reason scheme secondary source_ip ssl starttls storage system_groups_user uid user user_noauth`),
);
const NO_STATE_BEGINNING = /^(?:userdb_|event_|forward_|quota|proxy|ssl)/;

/** `nologin` and `noauthenticate` keep a user out, and so may fields that Dovecot does not have. */
function stateOfExtras(row: Row): ReadState {
  const extras = extrasOf(row.record);
  if (extras.has('nologin') || extras.has('noauthenticate')) return 'DISABLED';
  if (row.ruled.has('extra')) return undefined;
  const [other] = [...extras].filter(([name]) => !NO_STATE.has(name) && !NO_STATE_BEGINNING.test(name));
  return other && { column: 'extra', word: shownCell(other.join('=')) };
}

const partsIn = ({ record, settings }: Row) => partsOf(textOf(record.hash) ?? '', settings);

/** Passwd-files of Dovecot. An account with the extra field `nologin` is disabled. */
export const dovecot = system('dovecot', "Dovecot's passwd-file", {
  settings: {
    scheme: 'scheme of the passdb, of hashes that name none (PLAIN-MD5); CRYPT if left out',
  },
  forms: { dovecot: 'dovecot-passwd-file' },
  has: '',
  id: 'name',
  hash: (row) => {
    const { scheme, hash } = partsIn(row);
    // With `nopassword`, Dovecot accepts any password, so the hash is meaningless.
    return hash === undefined || extrasOf(row.record).has('nopassword')
      ? undefined
      : passwordOf(scheme, hash, textOf(row.record.name));
  },
  metadata: ({ record }) => ({ name: textOf(record.gecos)?.split(',', 1)[0] }),
  state: (row) => gravestState([partsIn(row).isLocked ? 'DISABLED' : undefined, stateOfExtras(row)]),
  loginName: { column: 'name', of: "Dovecot's passwd-file" },
  reads: 'hash gecos extra',
  unused: 'uid gid home shell',
  warning: {
    text: 'Some users may sign in from certain networks only (allow_nets). This service has no such limit: they could sign in from everywhere.',
    when: ({ records }) => records.some((record) => extrasOf(record).has('allow_nets')),
  },
});

interface Parts {
  /** Scheme before the hash, or Dovecot's default one, in braces: `{SSHA}`. */
  scheme: string | undefined;
  hash: string | undefined;
  isLocked: boolean;
}

/** In Dovecot's passwd-file, the mark of a lock may precede the scheme or follow it. */
function partsOf(field: string, { scheme: byDefault }: Settings): Parts {
  const before = lockableHash(field);
  const [scheme] = SCHEME.exec(before.hash ?? '') ?? [];
  if (before.hash === undefined) return { scheme, ...before };
  if (scheme === undefined)
    return { scheme: byDefault === undefined ? undefined : `{${byDefault}}`, ...before };
  const rest = before.hash.slice(scheme.length);
  // A plain-text password may consist of any characters, so it is not searched for the mark of a lock.
  if (IN_CLEAR.has(schemeOf(scheme)))
    return { scheme, hash: rest === '' ? undefined : rest, isLocked: before.isLocked };
  const behind = lockableHash(rest);
  return { scheme, hash: behind.hash, isLocked: before.isLocked || behind.isLocked };
}

const schemeOf = (scheme: string): string => SCHEME.exec(scheme)?.groups?.scheme?.toUpperCase() ?? '';

function passwordOf(scheme: string | undefined, hash: string, name = ''): SourcePassword {
  if (scheme === undefined) return cryptPassword(hash);
  if (scheme.toUpperCase() === `{${DIGEST}}`)
    return (
      digestHash({ algorithm: 'dovecot', parameters: ofUser(name), salt: '', hash }) ??
      invalidHash('the digest is empty')
    );
  return { encoded: `${scheme}${hash}`, algorithm: 'dovecot' };
}
