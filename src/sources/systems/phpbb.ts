import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfWord } from '../fields/read-state.ts';
import { formsOf, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, ReadContext, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

/** States of phpBB users by `user_type`. The type of bots and the guest is ignored. */
const USER_TYPES: Readonly<Record<string, UserState | 'ACTIVE'>> = {
  0: 'ACTIVE',
  1: 'DISABLED',
  2: 'SERVICE_ACCOUNT',
  3: 'ACTIVE',
};

/** Bans up to phpBB 3.3. A ban of an address, rather than of a user, has no user id and is left out. */
const bans: Detail = {
  fits: (table) => hasColumns(table, 'ban_userid', 'ban_end', 'ban_exclude'),
  keyOf: ({ ban_userid, ban_exclude }) =>
    isSet(ban_userid) && flagOf(ban_exclude) !== true ? textOf(ban_userid) : undefined,
  keep: ({ ban_end }) => ({ end: ban_end }),
};

/** Banned users from phpBB 4.0 on. */
const bans4: Detail = {
  fits: (table) => hasColumns(table, 'ban_userid', 'ban_end', 'ban_mode'),
  keyOf: ({ ban_userid, ban_mode }) =>
    isSet(ban_userid) && textOf(ban_mode) === 'user' ? textOf(ban_userid) : undefined,
  keep: bans.keep,
};

const identities: Detail = {
  fits: (table) => hasColumns(table, 'user_id', 'provider', 'oauth_provider_id'),
  keyOf: ({ user_id }) => textOf(user_id),
  keep: ({ provider, oauth_provider_id }) => ({ provider, id: textOf(oauth_provider_id) }),
};

/** Prefix of a provider's name in early versions of phpBB. */
const SERVICE = 'auth.provider.oauth.service.';

export const phpbb: Source = {
  name: 'phpbb',
  title: 'phpBB',
  forms: formsOf(
    { sql: 'phpbb-sql', csv: 'phpbb-csv', json: 'phpbb-json' },
    {
      isUsers: (table) =>
        hasColumns(table, 'user_id', 'user_type', 'username_clean', 'user_password', 'user_email'),
      details: { bans, bans4, identities },
      keyOf: ({ user_id }) => textOf(user_id),
      ownStates: ['user_type', 'user_inactive_reason', 'user_inactive_time'],
      read,
      advice: ({ tables }) => adviceOf(tables),
    },
  ),
};

function read(record: SourceRecord, { details, settings, nowMs }: ReadContext): SourceUser {
  const id = textOf(record.user_id) ?? '';
  const isBanned = [...details('bans', id), ...details('bans4', id)].some((ban) => isInForce(ban, nowMs));
  const typeState = stateOfWord('user_type', record.user_type, USER_TYPES, settings);
  return {
    externalUserId: textOf(record.user_id),
    email: unescaped(record.user_email),
    timeJoinedMs: timeOf(record.user_regdate),
    password: passwordOf(textOf(record.user_password)),
    identities: details('identities', id).flatMap(({ provider, id: userId }) => {
      const name = textOf(provider)?.replace(SERVICE, '');
      return name === undefined || typeof userId !== 'string' ? [] : [{ provider: name, userId }];
    }),
    metadata: metadataOf({ username: unescaped(record.username) }),
    state: typeState ?? (isBanned ? 'DISABLED' : undefined),
  };
}

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#039': "'" };

/** phpBB stores text that is escaped for HTML. */
const unescaped = (value: unknown) =>
  textOf(value)?.replace(/&(amp|quot|lt|gt|#039);/g, (entity, name: string) => CHARACTERS[name] ?? entity);

/** A ban of phpBB without an end lasts for ever. */
const isInForce = ({ end }: SourceRecord, nowMs: number) => !isSet(end) || (timeOf(end) ?? nowMs + 1) > nowMs;

/** Prefix of hashes that phpBB took over from another forum and has not verified since. */
const CONVERTED = '$CP$';

function passwordOf(encoded: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (encoded.startsWith(CONVERTED))
    return {
      problem: 'HASH_ALGORITHM_UNKNOWN',
      message: 'phpBB took the hash over from another forum ($CP$), and does not say how it was made',
    };
  return { encoded, algorithm: 'phpbb' };
}

function adviceOf(tables: readonly TableHead[]): Advice[] {
  if (tables.some((table) => bans.fits(table) || bans4.fits(table))) return [];
  return [
    {
      level: 'warn',
      text: 'The table of bans is missing, so banned users are imported as active. Export it, too: mysqldump DATABASE phpbb_users phpbb_banlist phpbb_oauth_accounts > dump.sql; from phpBB 4 on, phpbb_bans in place of phpbb_banlist.',
    },
  ];
}
