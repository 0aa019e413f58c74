import type { SourceRecord, TableHead } from '../containers/table.ts';
import { hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, DetectionContext, Settings, Source } from '../source.ts';
import type { SourceUser } from '../source-user.ts';

/** Clerk also writes `"object":"user"`, but has a list of addresses. */
function isUsers(table: TableHead, _settings: Settings, around?: DetectionContext): boolean {
  if (table.container !== 'json' || !hasColumns(table, 'id', 'email', 'email_verified')) return false;
  if (hasAnyColumn(table, 'email_addresses', 'identities')) return false;
  return around?.isNamed === true || (table.first.length > 0 && table.first.every(isUser));
}

const isUser = ({ object, id }: SourceRecord) =>
  object === 'user' && textOf(id)?.startsWith('user_') === true;

const read = (record: SourceRecord): SourceUser => ({
  externalUserId: textOf(record.id),
  email: textOf(record.email),
  isVerified: flagOf(record.email_verified),
  timeJoinedMs: timeOf(record.created_at),
  metadata: metadataOf({
    first_name: record.first_name,
    last_name: record.last_name,
    external_id: record.external_id,
    metadata: objectOf(record.metadata),
  }),
});

const advice = (): Advice[] => [
  {
    level: 'warn',
    text: 'WorkOS gives neither password hashes nor the ids of social accounts in its list of users, so nobody in it can be imported. Ask its support for the hashes, or let users come in by a reset.',
  },
];

/** Users of WorkOS' User Management, as listed by the API. */
export const workos: Source = {
  name: 'workos',
  title: 'WorkOS',
  forms: [{ name: 'workos-users', hasPages: true, isUsers, read, advice }],
};
