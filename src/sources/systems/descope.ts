import type { SourceRecord, TableHead } from '../containers/table.ts';
import { stateOfWord } from '../fields/read-state.ts';
import { hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const isUsers = (table: TableHead) =>
  table.container === 'json' &&
  hasColumns(table, 'loginIds') &&
  hasAnyColumn(table, 'userId', 'verifiedEmail', 'userTenants', 'createdTime');

const STATUSES = { disabled: 'DISABLED', enabled: 'ACTIVE', invited: 'ACTIVE' } as const;

function read(record: SourceRecord, { settings, drop }: ReadContext): SourceUser {
  const loginIds = listOf(record.loginIds).filter((id) => typeof id === 'string');
  const hasPhone = textOf(record.phone) !== undefined;
  if (hasPhone) drop('phone numbers', [record.phone]);
  if (flagOf(record.TOTP) === true || flagOf(record.webauthn) === true) drop('mfa');
  if (listOf(record.roleNames).length > 0) drop('roles', listOf(record.roleNames));
  if (listOf(record.userTenants).length > 0) drop('organisations');
  return {
    externalUserId: textOf(record.userId),
    email: textOf(record.email) ?? loginIds.find((id) => id.includes('@')),
    isVerified: flagOf(record.verifiedEmail),
    timeJoinedMs: timeOf(record.createdTime),
    identities: Object.entries(objectOf(record.OAuth) ?? {}).flatMap(([provider, isUsed]) =>
      isUsed === true ? identityOf(provider, loginIds, drop) : [],
    ),
    metadata: metadataOf({ name: record.name, customAttributes: objectOf(record.customAttributes) }),
    state: stateOfWord('status', record.status, STATUSES, settings),
    hasPhone,
  };
}

/**
 * Descope's `OAuth` names the providers without ids. One id may be found in a login id such as
 * `google-1105…`, which Descope does not document.
 */
function identityOf(
  provider: string,
  loginIds: readonly string[],
  drop: ReadContext['drop'],
): SourceIdentity[] {
  const start = `${provider}-`;
  const userId = loginIds.find((id) => id.startsWith(start))?.slice(start.length);
  if (userId !== undefined && userId !== '') return [{ provider, userId }];
  drop('identities without an id');
  return [];
}

const advice = (): Advice[] => [
  {
    level: 'warn',
    text: 'Descope gives no password hashes in its list of users. Only social accounts whose id stands in a login id (google-…) can be imported; try one of them first.',
  },
];

/** Users as listed by Descope's management API. */
export const descope: Source = {
  name: 'descope',
  title: 'Descope',
  forms: [{ name: 'descope-users', hasPages: true, isUsers, read, advice }],
};
