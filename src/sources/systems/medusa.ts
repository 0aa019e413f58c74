import type { SourceRecord, TableHead } from '../containers/table.ts';
import { baseName, formsOf, hasColumns, mayBe } from '../fields/tables.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, isSameAddress, isSet, metadataOf, objectOf, textOf } from '../fields/values.ts';
import type { Advice, Detail, Form, ReadContext, Settings, Source } from '../source.ts';
import type { SourceIdentity, SourceUser, UserState } from '../source-user.ts';

/** Customers of Medusa sign in to the shop, users to its admin. */
type Actor = 'customer' | 'user';

const isCustomers = (table: TableHead) =>
  mayBe(table, 'customer') && hasColumns(table, 'id', 'email', 'company_name', 'has_account', 'deleted_at');

/**
 * Many systems have a table `user` with names; the table of identities beside it shows that it is Medusa's
 * staff.
 */
const isStaff = (table: TableHead) =>
  mayBe(table, 'user') && hasColumns(table, 'id', 'email', 'first_name', 'avatar_url', 'deleted_at');

const isIdentities = (table: TableHead) =>
  mayBe(table, 'auth_identity') && hasColumns(table, 'id', 'app_metadata', 'deleted_at');

/** Medusa's auth provider that stores passwords. */
const EMAILPASS = 'emailpass';

/** An identity of Medusa may belong to both a customer and a user. */
const identitiesOf = (actor: Actor): Detail => ({
  fits: isIdentities,
  keyOf: ({ app_metadata }) => textOf(objectOf(app_metadata)?.[`${actor}_id`]),
  keep: ({ id, deleted_at }) => (isSet(deleted_at) ? undefined : { id }),
  missing:
    "The table auth_identity is missing, which says who has which login. Export it, too: pg_dump --data-only -t customer -t '\"user\"' -t 'auth_*' -t provider_identity DATABASE > dump.sql",
});

const providers: Detail = {
  fits: (table) =>
    mayBe(table, 'provider_identity') &&
    hasColumns(table, 'entity_id', 'provider', 'auth_identity_id', 'provider_metadata'),
  keyOf: ({ auth_identity_id }) => textOf(auth_identity_id),
  keep: ({ provider, entity_id, user_metadata, provider_metadata, deleted_at }) =>
    isSet(deleted_at)
      ? undefined
      : {
          provider,
          entity_id,
          email: textOf(objectOf(user_metadata)?.email),
          password: provider === EMAILPASS ? textOf(objectOf(provider_metadata)?.password) : undefined,
        },
  missing:
    "The table provider_identity is missing. All hashes and social logins stand in it, so nobody can be imported without it. Export it, too: pg_dump --data-only -t customer -t '\"user\"' -t 'auth_*' -t provider_identity DATABASE > dump.sql",
};

const secondFactors: Detail = {
  fits: (table) => mayBe(table, 'auth_mfa_factor') && hasColumns(table, 'auth_identity_id', 'status'),
  keyOf: ({ auth_identity_id }) => textOf(auth_identity_id),
  keep: ({ status, deleted_at }) => (status === 'disabled' || isSet(deleted_at) ? undefined : {}),
};

const verifications: Detail = {
  fits: (table) =>
    mayBe(table, 'auth_verification') && hasColumns(table, 'auth_identity_id', 'entity_id', 'verified_at'),
  keyOf: ({ auth_identity_id }) => textOf(auth_identity_id),
  keep: ({ entity_id, verified_at, deleted_at }) =>
    isSet(deleted_at) ? undefined : { entity_id, isVerified: isSet(verified_at) },
};

function read(record: SourceRecord, { details, drop }: ReadContext): SourceUser {
  const id = textOf(record.id);
  const own = id === undefined ? [] : details('identities', id).flatMap((one) => textOf(one.id) ?? []);
  const logins = own.flatMap((key) => details('providers', key));
  const [login, ...further] = logins.filter(({ password }) => textOf(password) !== undefined);
  for (const _ of further) drop('further hashes');
  if (own.some((key) => details('secondFactors', key).length > 0)) drop('mfa');
  const hasPhone = textOf(record.phone) !== undefined;
  if (hasPhone) drop('phone numbers', [record.phone]);
  const encoded = textOf(login?.password);
  // A customer's address can be changed without changing the login, so the address of the login has
  // precedence.
  const email = textOf(login?.entity_id) ?? textOf(record.email);
  const verification = own
    .flatMap((key) => details('verifications', key))
    .find(({ entity_id }) => email !== undefined && isSameAddress(textOf(entity_id) ?? '', email));
  return {
    externalUserId: id,
    email,
    isVerified: flagOf(verification?.isVerified),
    timeJoinedMs: timeOf(record.created_at),
    password: encoded === undefined ? undefined : { encoded, algorithm: 'scrypt-kdf' },
    identities: logins.flatMap(identityOf),
    metadata: metadataOf({
      first_name: record.first_name,
      last_name: record.last_name,
      company_name: record.company_name,
      metadata: objectOf(record.metadata),
    }),
    state: stateOf(record),
    hasPhone,
  };
}

function identityOf({ provider, entity_id, email }: SourceRecord): SourceIdentity[] {
  const [name, userId] = [textOf(provider), textOf(entity_id)];
  if (name === undefined || userId === undefined || name === EMAILPASS) return [];
  return [{ provider: name, userId, email: textOf(email) }];
}

/**
 * A Medusa customer without an account has only ordered something, and may have signed up in another row
 * with the same address.
 */
function stateOf({ deleted_at, has_account }: SourceRecord): UserState | undefined {
  if (isSet(deleted_at)) return 'DELETED';
  return has_account === undefined || flagOf(has_account) === true ? undefined : 'ANONYMOUS';
}

const formsFor = (actor: Actor, isUsers: Form['isUsers']): readonly Form[] =>
  formsOf(
    { sql: `medusa-${actor}-sql`, csv: `medusa-${actor}-csv`, json: `medusa-${actor}-json` },
    {
      isUsers,
      details: { identities: identitiesOf(actor), providers, secondFactors, verifications },
      ownStates: ['deleted_at'],
      read,
      advice: ({ tables, settings }) => adviceOf(tables, settings),
    },
  );

function adviceOf(tables: readonly TableHead[], { actor }: Settings): Advice[] {
  if (actor !== undefined && actor !== 'customer' && actor !== 'user')
    return [{ level: 'stop', text: `--set actor=${actor}: there are customer and user.` }];
  return actor === undefined && tables.some((table) => baseName(table) === 'user' && isStaff(table))
    ? [
        {
          level: 'note',
          text: 'The table user holds the staff of the shop, who are not imported. To import them, and no customers: --set actor=user.',
        },
      ]
    : [];
}

/**
 * Medusa 2. Schema: medusajs/medusa: packages/modules/auth/src/models,
 * packages/modules/providers/auth-emailpass
 */
export const medusa: Source = {
  name: 'medusa',
  title: 'Medusa',
  settings: { actor: 'user: the staff is imported, and not the customers' },
  forms: [
    ...formsFor('customer', (table, settings) => settings.actor !== 'user' && isCustomers(table)),
    ...formsFor(
      'user',
      (table, settings, around) =>
        settings.actor === 'user' && isStaff(table) && around?.tables.some(isIdentities) === true,
    ),
  ],
};
