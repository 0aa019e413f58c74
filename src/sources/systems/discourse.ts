import type { JsonObject } from '../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../containers/table.ts';
import { discoursePassword } from '../fields/discourse-password.ts';
import { type ReadState, readState } from '../fields/read-state.ts';
import { formsOf, hasAnyColumn, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Source } from '../source.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';

const keyOf = (record: SourceRecord) => textOf(record.user_id);

const details: Readonly<Record<string, Detail>> = {
  emails: {
    fits: (table) => mayBe(table, 'user_emails') && hasColumns(table, 'user_id', 'email', 'primary'),
    keyOf,
    keep: ({ email, primary }) => ({ email, primary }),
  },
  passwords: {
    fits: (table) =>
      mayBe(table, 'user_passwords') && hasColumns(table, 'user_id', 'password_hash', 'password_salt'),
    keyOf,
    keep: ({ password_hash, password_salt, password_algorithm, password_expired_at }) => ({
      password_hash,
      password_salt,
      password_algorithm,
      password_expired_at,
    }),
  },
  accounts: {
    fits: (table) =>
      mayBe(table, 'user_associated_accounts') &&
      hasColumns(table, 'user_id', 'provider_name', 'provider_uid'),
    keyOf,
    keep: ({ provider_name, provider_uid, info }) => ({
      provider_name,
      provider_uid,
      email: textOf(objectOf(info)?.email),
    }),
  },
};

const isUserTable = (table: TableHead) =>
  mayBe(table, 'users') && hasColumns(table, 'username', 'active', 'suspended_till');

const isAdminList = (table: TableHead) =>
  table.container === 'csv' &&
  isUserTable(table) &&
  hasColumns(table, 'email', 'trust_level') &&
  !hasAnyColumn(table, 'password_hash', 'username_lower');

const DUMP =
  'Dump the tables: pg_dump --data-only -t users -t user_emails -t user_passwords -t user_associated_accounts discourse.';

/**
 * Addresses are in a separate table of Discourse since 2017, and passwords since 2025. Code:
 * discourse/discourse@0a9b83a6:app/models/user_password.rb, lib/password_hasher.rb
 */
export const discourse: Source = {
  name: 'discourse',
  title: 'Discourse',
  forms: [
    ...formsOf(
      { sql: 'discourse-pg_dump', csv: 'discourse-csv', json: 'discourse-json' },
      {
        isUsers: (table) => isUserTable(table) && !isAdminList(table),
        details,
        keyOf: (record) => textOf(record.id),
        read,
        advice: ({ tables }) => adviceOf(tables),
      },
    ),
    adminList(),
  ],
};

/** List of users that Discourse's admin page exports. */
function adminList(): Form {
  return {
    name: 'discourse-admin-csv',
    isUsers: isAdminList,
    read,
    advice: () => [
      {
        level: 'warn',
        text: `The list of users that the admin page exports has no hashes: everybody would need a new password. ${DUMP}`,
      },
    ],
  };
}

function read(record: SourceRecord, context: ReadContext): SourceUser {
  const id = textOf(record.id);
  const found = (name: string) => (id === undefined ? [] : context.details(name, id));
  const emails = addressesOf(found('emails'));
  const email = emails[0] ?? textOf(record.email);
  if (flagOf(record.admin) === true || flagOf(record.moderator) === true) context.drop('roles');
  return {
    externalUserId: id,
    email,
    emails: emails.length > 1 ? emails : undefined,
    // Discourse creates staged users for incoming mails, whose addresses were never confirmed.
    isVerified: flagOf(record.active) === true && flagOf(record.staged) !== true,
    timeJoinedMs: timeOf(record.created_at),
    password: discoursePassword(record, found('passwords')[0]),
    identities: identitiesOf(found('accounts'), context),
    metadata: metadataOf({ username: record.username, name: record.name }),
    state: stateOf(id, record, context),
  };
}

/** The primary address first. */
function addressesOf(found: readonly JsonObject[]): string[] {
  const emails: string[] = [];
  for (const { email, primary } of found) {
    const text = textOf(email);
    if (text === undefined) continue;
    if (flagOf(primary) === true) emails.unshift(text);
    else emails.push(text);
  }
  return emails;
}

const SUSPENDED_TILL = { name: 'suspended_till', kind: 'disabled', time: 'until' } as const;

function stateOf(id: string | undefined, record: SourceRecord, context: ReadContext): ReadState {
  // Discourse's own accounts have negative ids: `system` is -1, `discobot` -2.
  if (id?.startsWith('-')) return 'SERVICE_ACCOUNT';
  return readState(record.suspended_till, SUSPENDED_TILL, context);
}

function identitiesOf(found: readonly JsonObject[], context: ReadContext): SourceIdentity[] {
  const identities: SourceIdentity[] = [];
  for (const { provider_name, provider_uid, email } of found) {
    const [provider, userId] = [textOf(provider_name), textOf(provider_uid)];
    if (provider === undefined || userId === undefined) context.drop('identities without an id');
    else identities.push({ provider, userId, email: textOf(email) });
  }
  return identities;
}

function adviceOf(tables: readonly TableHead[]): Advice[] {
  const has = (fits: (table: TableHead) => boolean) => tables.some(fits);
  const users = tables.find(isUserTable);
  const advice: Advice[] = [];
  if (!has((table) => details.emails?.fits(table) === true) && !users?.columns.has('email'))
    advice.push({
      level: 'stop',
      text: `The table user_emails is missing, so that nobody has an address. ${DUMP}`,
    });
  if (!has((table) => details.passwords?.fits(table) === true) && !users?.columns.has('password_hash'))
    advice.push({
      level: 'warn',
      text: `The table user_passwords is missing, so that nobody has a hash. ${DUMP}`,
    });
  if (!has((table) => details.accounts?.fits(table) === true))
    advice.push({
      level: 'warn',
      text: `The table user_associated_accounts is missing: users of social providers cannot be imported without it. ${DUMP}`,
    });
  return advice;
}
