import type { SourceRecord, TableHead } from '../containers/table.ts';
import { cryptPassword, lockableHash } from '../fields/crypt-password.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { gravestState, type ReadState } from '../fields/read-state.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { Detail, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const DAY_MS = 86_400_000;
/** Login shells in /etc/passwd that prevent signing in. */
const NO_SHELL = /(?:^|\/)(?:nologin|false)$/;
/** Hash in /etc/passwd if the real one is in /etc/shadow. */
const SHADOWED = 'x';

const ofContainer = (tables: readonly TableHead[], name: TableHead['container']) =>
  tables.filter(({ container }) => container === name);

const passwd: Detail = {
  fits: ({ container }) => container === 'passwd',
  keyOf: ({ name }) => textOf(name),
  keep: ({ hash, uid, gecos, shell }) => ({ hash, uid, gecos, shell }),
  readAlone: (record, context) => (holdsHash(record) ? read(record, context) : undefined),
  missing:
    'Without /etc/passwd, nothing tells the names of people and who may not log in (a shell like /usr/sbin/nologin). Name it beside /etc/shadow.',
};

const holdsHash = ({ hash }: SourceRecord) => lockableHash(textOf(hash) ?? '').hash !== undefined;

/**
 * `/etc/shadow`, with or without `/etc/passwd` (shadow(5), passwd(5), crypt(5)), and master.passwd(5) of
 * the BSDs.
 */
export const shadow: Source = {
  name: 'shadow',
  title: '/etc/shadow',
  settings: EMAIL_DOMAIN,
  forms: [
    {
      name: 'shadow',
      isUsers: ({ container }) => container === 'shadow',
      details: { passwd },
      keyOf: ({ name }) => textOf(name),
      read: (record, context) => read(record, context, passwdOf(record, context)),
      advice: ({ tables, settings }) =>
        domainAdvice('/etc/shadow', ofContainer(tables, 'shadow'), 'name', settings),
    },
    {
      name: 'passwd',
      isUsers: ({ container, first }, _settings, around) =>
        container === 'passwd' && (around?.isNamed === true || first.some(holdsHash)),
      read,
      advice: ({ tables, settings }) =>
        domainAdvice('/etc/passwd', ofContainer(tables, 'passwd'), 'name', settings),
    },
  ],
};

/** Returns null if /etc/passwd lacks the account, undefined without the file. */
function passwdOf(
  { name }: SourceRecord,
  { details, hasDetail }: ReadContext,
): SourceRecord | null | undefined {
  if (!hasDetail('passwd')) return undefined;
  const [line] = details('passwd', textOf(name) ?? '');
  return line ?? null;
}

function read(record: SourceRecord, context: ReadContext, line?: SourceRecord | null): SourceUser {
  const name = textOf(record.name);
  const account = line ?? record;
  const { hash, isLocked } = lockableHash(hashField(record, line));
  const hasHash = hash !== undefined;
  const [fullName, , ...phones] = (textOf(account.gecos) ?? '').split(',', 4);
  if (hasHash && phones.some((phone) => phone !== '')) context.drop('phone numbers');
  const mayNotLogIn = line === null || NO_SHELL.test(textOf(account.shell) ?? '');
  // If the day of the last change is 0, the password has expired: `passwd --expire`.
  if (hasHash && textOf(record.lastChanged) === '0') context.drop('forced password changes');
  return {
    externalUserId: name,
    // Unix accounts without a hash, such as `daemon`, get no address, because nobody signs in as
    // them.
    ...(hasHash && addressOf(name, context.settings)),
    password: hasHash ? cryptPassword(hash) : undefined,
    metadata: metadataOf({ name: fullName, uid: textOf(account.uid) }),
    state: hasHash ? stateOf(record, isLocked || mayNotLogIn, context.nowMs) : 'NO_LOGIN_METHOD',
  };
}

/** The hash in /etc/passwd, or the one in /etc/shadow if /etc/passwd refers to it. */
function hashField(record: SourceRecord, line: SourceRecord | null | undefined): string {
  const own = textOf(record.hash) ?? '';
  if (line === undefined || line === null) return own;
  const hash = textOf(line.hash) ?? '';
  return hash === SHADOWED ? own : hash;
}

function stateOf({ expires, expiresSeconds }: SourceRecord, isDisabled: boolean, nowMs: number): ReadState {
  return gravestState([
    isDisabled ? 'DISABLED' : undefined,
    expiryOf('expires', expires, { never: '-1', unitMs: DAY_MS, nowMs }),
    expiryOf('expires', expiresSeconds, { never: '0', unitMs: 1000, nowMs }),
  ]);
}

/** State by the time, counted since the epoch, from which a Unix account is no longer valid. */
function expiryOf(
  column: string,
  time: unknown,
  { never, unitMs, nowMs }: { never: string; unitMs: number; nowMs: number },
): ReadState {
  const count = textOf(time);
  if (count === undefined || count === never) return undefined;
  if (!/^\d{1,12}$/.test(count)) return { column, word: 'no number' };
  return Number(count) * unitMs <= nowMs ? 'DISABLED' : undefined;
}
