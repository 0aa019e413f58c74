import type { SourceRecord, TableHead } from '../containers/table.ts';
import { readState, stateOfWord } from '../fields/read-state.ts';
import { selfDescribingHash } from '../fields/self-describing.ts';
import { formsOf, hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { metadataOf, textOf } from '../fields/values.ts';
import type { ReadContext, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

const isStaff = (table: TableHead) =>
  mayBe(table, 'users') && hasColumns(table, 'slug', 'email', 'password', 'status', 'visibility');

const isMembers = (table: TableHead) =>
  hasColumns(table, 'email', 'complimentary_plan', 'stripe_customer_id', 'created_at') &&
  hasAnyColumn(table, 'subscribed_to_emails', 'subscribed');

/** A locked user of Ghost can sign in again after setting a new password. */
const STATUSES = {
  active: 'ACTIVE',
  inactive: 'DISABLED',
  locked: 'ACTIVE',
  'warn-1': 'ACTIVE',
  'warn-2': 'ACTIVE',
  'warn-3': 'ACTIVE',
  'warn-4': 'ACTIVE',
} as const;

function readStaff(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  // Ghost sets the status `locked` for users who must set a new password.
  if (record.status === 'locked') drop('forced password changes');
  return {
    externalUserId: textOf(record.id),
    email: textOf(record.email),
    timeJoinedMs: timeOf(record.created_at),
    password: selfDescribingHash(record.password),
    metadata: metadataOf({ name: record.name, slug: record.slug }),
    state: stateOfWord('status', record.status, STATUSES, settings),
  };
}

const DELETED_AT = { name: 'deleted_at', kind: 'deleted', time: 'since' } as const;

const readMember = (record: SourceRecord, context: ReadContext): SourceUser => ({
  externalUserId: textOf(record.id),
  email: textOf(record.email),
  timeJoinedMs: timeOf(record.created_at),
  metadata: metadataOf({ name: record.name, note: record.note, labels: record.labels }),
  state: readState(record.deleted_at, DELETED_AT, context),
});

/** Schema: TryGhost/Ghost@2397d2e5:ghost/core/core/server/data/exporter */
export const ghost: Source = {
  name: 'ghost',
  title: 'Ghost',
  forms: [
    ...formsOf(
      { json: 'ghost-export', sql: 'ghost-mysqldump', csv: 'ghost-users-csv' },
      {
        isUsers: isStaff,
        read: readStaff,
        advice: () => [
          {
            level: 'note',
            text: 'These users are the staff. Members of Ghost sign in by mail links and have no hashes. Roles are not imported.',
          },
        ],
      },
    ),
    {
      name: 'ghost-members-csv',
      isUsers: (table) => table.container === 'csv' && isMembers(table),
      read: readMember,
      advice: () => [
        {
          level: 'warn',
          text: 'Members of Ghost sign in by mail links: there are no hashes to import. They can come in by sign-up or by a new password. The staff is in the JSON export: Settings → Import/Export → Export.',
        },
      ],
    },
  ],
};
