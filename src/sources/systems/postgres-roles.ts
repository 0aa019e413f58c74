import type { SourceRecord, TableHead } from '../containers/table.ts';
import { userBoundHash } from '../fields/hashes.ts';
import { addressOf, domainAdvice, EMAIL_DOMAIN } from '../fields/login-address.ts';
import { isServerExport } from '../fields/server-accounts.ts';
import { formsOf, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { DetectionContext, ReadContext, Settings, Source } from '../source.ts';
import type { SourcePassword, SourceUser, UserState } from '../source-user.ts';

const MD5 = /^md5(?<hash>[0-9a-f]{32})$/;

const isRoles = (table: TableHead) => hasColumns(table, 'rolname', 'rolcanlogin', 'rolpassword');

/** ALTER ROLE of pg_dumpall, or rows of pg_authid. */
export const postgresRoles: Source = {
  name: 'postgres-roles',
  title: 'PostgreSQL roles',
  settings: EMAIL_DOMAIN,
  forms: formsOf(
    { sql: 'postgres-roles-pg_dumpall', csv: 'postgres-roles-csv', json: 'postgres-roles-json' },
    {
      isUsers: (table: TableHead, _settings: Settings, around?: DetectionContext) =>
        isRoles(table) && isServerExport(isRoles, around),
      read,
      advice: ({ tables, settings }) =>
        domainAdvice('roles of PostgreSQL', tables.filter(isRoles), 'rolname', settings),
    },
  ),
};

function read(record: SourceRecord, { settings, nowMs, drop }: ReadContext): SourceUser {
  const name = textOf(record.rolname);
  const encoded = textOf(record.rolpassword);
  const state = stateOf(record, encoded !== undefined, nowMs);
  if (state === undefined && flagOf(record.rolsuper) === true) drop('roles');
  return {
    externalUserId: name,
    ...addressOf(name, settings),
    password: encoded === undefined ? undefined : passwordOf(encoded, name ?? ''),
    metadata: metadataOf({ username: name }),
    state,
  };
}

function stateOf(record: SourceRecord, hasHash: boolean, nowMs: number): UserState | undefined {
  if (!hasHash) return 'NO_LOGIN_METHOD';
  const mayLogIn = flagOf(record.rolcanlogin) === true && textOf(record.rolconnlimit) !== '0';
  return mayLogIn && !isOver(record.rolvaliduntil, nowMs) ? undefined : 'DISABLED';
}

/** A value of VALID UNTIL that is not a time counts as passed. */
function isOver(until: unknown, nowMs: number): boolean {
  if (!isSet(until) || until === 'infinity') return false;
  const endMs = timeOf(until);
  return endMs === undefined || endMs <= nowMs;
}

function passwordOf(encoded: string, user: string): SourcePassword {
  const hash = MD5.exec(encoded)?.groups?.hash;
  if (hash !== undefined) return userBoundHash({ algorithm: 'postgres-md5', user, salt: '', hash });
  return { encoded, algorithm: 'scram' };
}
