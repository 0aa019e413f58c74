import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfFlag } from '../fields/read-state.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/**
 * Users of Strapi's plug-in users-permissions. The table is `up_users`, before version 4
 * `users-permissions_user`; MongoDB has `_id`. Code:
 * strapi/strapi@1051bd8c:packages/plugins/users-permissions/server/content-types/user
 */
export const strapi: Source = {
  name: 'strapi',
  title: 'Strapi',
  // A dump of Strapi may be from any SQL database. SQLite writes times as milliseconds.
  forms: formsOf(
    { sql: 'strapi-pg_dump', csv: 'strapi-csv', json: 'strapi-json' },
    {
      isUsers: (table) =>
        mayBe(table, 'up_users', 'users-permissions_user') &&
        hasColumns(table, 'username', 'email', 'provider', 'confirmed', 'blocked'),
      ownStates: ['blocked'],
      read,
      advice: ({ tables }) => adviceOf(tables),
    },
  ),
};

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const provider = textOf(record.provider);
  if (provider !== undefined && provider !== 'local') context.drop('identities without an id');
  return {
    externalUserId: textOf(record.id) ?? textOf(record._id),
    email: textOf(record.email),
    // Strapi users whom an administrator created have the value null, and their addresses are not
    // confirmed.
    isVerified: flagOf(record.confirmed) ?? (record.confirmed === null ? false : undefined),
    timeJoinedMs: timeOf(record.created_at ?? record.createdAt),
    password: selfDescribingHash(record.password),
    metadata: metadataOf({ username: record.username }),
    state: stateOfFlag('blocked', record.blocked, true, context.settings),
  };
}

function adviceOf(tables: readonly TableHead[]): Advice[] {
  const advice: Advice[] = [];
  const users = tables.find((table) => hasColumns(table, 'username', 'email', 'confirmed', 'blocked'));
  if (users !== undefined && !hasAnyColumn(users, 'password'))
    advice.push({
      level: 'warn',
      text: 'There is no column password: the API of Strapi never shows hashes. Dump the table up_users of the database: pg_dump --data-only -t up_users.',
    });
  if (tables.some((table) => baseName(table) === 'admin_users'))
    advice.push({
      level: 'note',
      text: 'The table admin_users holds the staff of the CMS, who are not imported.',
    });
  return advice;
}
