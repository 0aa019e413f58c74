import type { SourceRecord, TableHead } from '../containers/table.ts';
import { baseName, formsOf, hasAnyColumn, hasColumns } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSet, metadataOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, ReadContext, Source } from '../source.ts';
import type { SourceUser, UserState } from '../source-user.ts';

/** MediaWiki's system accounts (User::INVALID_TOKEN), with which nobody can sign in. */
const INVALID_TOKEN = '*** INVALID ***';
/** MediaWiki's INVALID_TOKEN in columns of bytes, padded with zeros. */
const INVALID_BYTES = Buffer.from(INVALID_TOKEN).toString('hex');

/** MediaWiki's blocks up to version 1.41. */
const blocks: Detail = {
  fits: (table) => hasColumns(table, 'ipb_user', 'ipb_expiry'),
  keyOf: ({ ipb_user }) => (isSet(ipb_user) ? textOf(ipb_user) : undefined),
  keep: ({ ipb_expiry, ipb_sitewide }) => ({ expiry: ipb_expiry, sitewide: ipb_sitewide }),
};

/** MediaWiki's blocks since version 1.42: targets by user, and blocks by target. */
const targets: Detail = {
  fits: (table) => hasColumns(table, 'bt_id', 'bt_user'),
  keyOf: ({ bt_user }) => (isSet(bt_user) ? textOf(bt_user) : undefined),
  keep: ({ bt_id }) => ({ id: textOf(bt_id) }),
};
const targeted: Detail = {
  fits: (table) => hasColumns(table, 'bl_target', 'bl_expiry'),
  keyOf: ({ bl_target }) => textOf(bl_target),
  keep: ({ bl_expiry, bl_sitewide }) => ({ expiry: bl_expiry, sitewide: bl_sitewide }),
};

/** Second factors of OATHAuth, an extension of MediaWiki. */
const factors: Detail = {
  fits: (table) =>
    hasColumns(table, 'oad_user') ||
    (hasColumns(table, 'id', 'module', 'data') &&
      (table.container !== 'sql' || baseName(table).endsWith('oathauth_users'))),
  keyOf: ({ oad_user, id }) => textOf(oad_user) ?? textOf(id),
  keep: () => ({}),
};

const groups: Detail = {
  fits: (table) => hasColumns(table, 'ug_user', 'ug_group'),
  keyOf: ({ ug_user }) => textOf(ug_user),
  keep: () => ({}),
};

const isUsers = (table: TableHead) =>
  hasColumns(table, 'user_id', 'user_name', 'user_password', 'user_email') &&
  hasAnyColumn(table, 'user_email_authenticated', 'user_registration');

/**
 * Users who are blocked in the whole wiki are imported as disabled, although MediaWiki lets them sign in
 * unless `$wgBlockDisablesLogin` is set.
 */
export const mediawiki: Source = {
  name: 'mediawiki',
  title: 'MediaWiki',
  forms: formsOf(
    { sql: 'mediawiki-sql', csv: 'mediawiki-csv', json: 'mediawiki-json' },
    {
      isUsers,
      details: { blocks, targets, targeted, factors, groups },
      keyOf: ({ user_id }) => textOf(user_id),
      read,
      advice: ({ tables }) => adviceOf(tables),
    },
  ),
};

function read(record: SourceRecord, { details, drop, nowMs }: ReadContext): SourceUser {
  const id = textOf(record.user_id) ?? '';
  const found = [
    ...details('blocks', id),
    ...details('targets', id).flatMap((target) => details('targeted', textOf(target.id) ?? '')),
  ];
  const state = stateOf(
    record,
    found.some((block) => isBlocked(block, nowMs)),
  );
  if (state === undefined) {
    if (details('factors', id).length > 0) drop('mfa');
    if (details('groups', id).length > 0) drop('roles');
    const expiresMs = timeOf(record.user_password_expires);
    if (expiresMs !== undefined && expiresMs <= nowMs) drop('forced password changes');
  }
  const encoded = textOf(record.user_password);
  return {
    externalUserId: textOf(record.user_id),
    email: textOf(record.user_email),
    isVerified: isSet(record.user_email_authenticated),
    timeJoinedMs: timeOf(record.user_registration),
    password: encoded === undefined ? undefined : { encoded, algorithm: 'mediawiki' },
    metadata: metadataOf({ name: record.user_real_name, username: record.user_name }),
    state,
  };
}

function stateOf({ user_token }: SourceRecord, isUserBlocked: boolean): UserState | undefined {
  const token = textOf(user_token) ?? '';
  if (token.startsWith(INVALID_TOKEN) || token.startsWith(INVALID_BYTES)) return 'SERVICE_ACCOUNT';
  return isUserBlocked ? 'DISABLED' : undefined;
}

/** Blocks of single pages do not count. An expiry that is not a time, such as `infinity`, never passes. */
function isBlocked({ expiry, sitewide }: SourceRecord, nowMs: number): boolean {
  if (flagOf(sitewide) === false && isText(sitewide)) return false;
  const endMs = timeOf(expiry);
  return endMs === undefined || endMs > nowMs;
}

/** An empty text counts as a missing value. */
const isText = (value: unknown) => textOf(value) !== undefined || value === false;

function adviceOf(tables: readonly TableHead[]): Advice[] {
  const hasBlocks =
    tables.some((table) => blocks.fits(table)) ||
    (tables.some((table) => targets.fits(table)) && tables.some((table) => targeted.fits(table)));
  if (hasBlocks) return [];
  return [
    {
      level: 'warn',
      text: 'The table of blocks is missing, so blocked users are imported as active. Export it, too: mysqldump wiki user ipblocks user_groups > dump.sql; from MediaWiki 1.42 on, block and block_target in place of ipblocks.',
    },
  ];
}
