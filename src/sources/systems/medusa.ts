import type { JsonObject } from '../../lib/json/json-object.ts';
import { baseName, mayBe } from '../fields/tables.ts';
import { flagOf, isSameAddress, isSet, objectOf, textOf } from '../fields/values.ts';
import type { Advice, AdviceContext } from '../source.ts';
import { hasAll, hashOf, type Row, system, type Users } from './declare.ts';

/** Customers of Medusa sign in to the shop, users to its admin. */
type Actor = 'customer' | 'user';

const STAFF = 'id email first_name avatar_url deleted_at';
const IDENTITIES = 'id app_metadata deleted_at';
/** Medusa's auth provider that stores passwords. */
const EMAILPASS = 'emailpass';
const DUMP =
  "pg_dump --data-only -t customer -t '\"user\"' -t 'auth_*' -t provider_identity DATABASE > dump.sql";

/** Ids of the identities with which a person signs in. */
const identitiesOf = ({ joined }: Row): string[] =>
  joined('identities').flatMap(({ id }) => textOf(id) ?? []);

const ofIdentities = (row: Row, name: string): JsonObject[] =>
  identitiesOf(row).flatMap((id) => row.joined(name, id));

const hashesOf = (row: Row) =>
  ofIdentities(row, 'providers').filter(({ password }) => textOf(password) !== undefined);

/** A customer's address can be changed without changing the login, so the address of the login has precedence. */
const emailOf = (row: Row) => textOf(hashesOf(row)[0]?.entity_id) ?? textOf(row.record.email);

function isVerified(row: Row): boolean | undefined {
  const email = emailOf(row) ?? '';
  const found = ofIdentities(row, 'verifications').find(({ entity_id }) =>
    isSameAddress(textOf(entity_id) ?? '', email),
  );
  return flagOf(found?.isVerified);
}

const UNUSED = 'created_at updated_at';

const usersOf = (actor: Actor): Omit<Users, 'has'> => ({
  forms: { sql: `medusa-${actor}-sql`, csv: `medusa-${actor}-csv`, json: `medusa-${actor}-json` },
  table: actor,
  joins: {
    identities: {
      table: 'auth_identity',
      has: IDENTITIES,
      // An identity of Medusa may belong to both a customer and a user.
      on: ({ app_metadata }) => textOf(objectOf(app_metadata)?.[`${actor}_id`]),
      keep: ({ id, deleted_at }) => (isSet(deleted_at) ? undefined : { id }),
      unused: UNUSED,
      missing: `The table auth_identity is missing, which says who has which login. Export it, too: ${DUMP}`,
    },
    providers: {
      table: 'provider_identity',
      has: 'entity_id provider auth_identity_id provider_metadata',
      on: 'auth_identity_id',
      keep: ({ provider, entity_id, user_metadata, provider_metadata, deleted_at }) =>
        isSet(deleted_at)
          ? undefined
          : {
              provider,
              entity_id,
              email: textOf(objectOf(user_metadata)?.email),
              password: provider === EMAILPASS ? textOf(objectOf(provider_metadata)?.password) : undefined,
            },
      reads: 'user_metadata deleted_at',
      unused: `id ${UNUSED}`,
      missing: `The table provider_identity is missing. All hashes and social logins stand in it, so nobody can be imported without it. Export it, too: ${DUMP}`,
    },
    auth_mfa_factor: {
      table: 'auth_mfa_factor',
      has: 'auth_identity_id provider status',
      on: 'auth_identity_id',
      keep: ({ status, deleted_at }) => (status === 'disabled' || isSet(deleted_at) ? undefined : {}),
      reads: 'deleted_at',
      unused: `id provider_metadata metadata ${UNUSED}`,
      decides: 'factors',
      missing: `Medusa has it from 2.15 on. Export it, too: ${DUMP}.`,
    },
    verifications: {
      table: 'auth_verification',
      has: 'auth_identity_id entity_id verified_at',
      on: 'auth_identity_id',
      keep: ({ entity_id, verified_at, deleted_at }) =>
        isSet(deleted_at) ? undefined : { entity_id, isVerified: isSet(verified_at) },
      reads: 'deleted_at',
      unused: `id entity_type code_provider requested_at provider_metadata metadata ${UNUSED}`,
    },
  },
  unusedTables:
    'auth_mfa_recovery_code auth_password_reset_token cart customer user customer_account_holder customer_address customer_group_customer order order_cart store_credit_account user_preference user_rbac_role view_configuration',
  id: 'id',
  email: emailOf,
  verified: isVerified,
  joined: 'created_at',
  hash: (row) => hashOf('scrypt-kdf', hashesOf(row)[0]?.password),
  identities: (row) =>
    ofIdentities(row, 'providers')
      .filter(({ provider, entity_id }) => provider !== EMAILPASS && textOf(entity_id) !== undefined)
      .map(({ provider, entity_id, email }) => ({ provider, userId: entity_id, email })),
  metadata: 'first_name last_name company_name metadata{}',
  states: { deleted_at: 'deleted' },
  phone: 'phone',
  factors: (row) => ofIdentities(row, 'auth_mfa_factor').length > 0,
  drops: { 'further hashes': (row) => hashesOf(row).length > 1 },
  reads: 'email has_account',
  unused: 'updated_at created_by avatar_url',
  advice,
});

function advice({ tables, settings: { actor } }: AdviceContext): Advice[] {
  if (actor !== undefined && actor !== 'customer' && actor !== 'user')
    return [{ level: 'stop', text: `--set actor=${actor}: there are customer and user.` }];
  return actor === undefined && tables.some((table) => baseName(table) === 'user' && hasAll(table, STAFF))
    ? [
        {
          level: 'note',
          text: 'The table user holds the staff of the shop, who are not imported. To import them, and no customers: --set actor=user.',
        },
      ]
    : [];
}

/**
 * Medusa 2. Schema: medusajs/medusa: packages/modules/auth/src/models, packages/modules/customer/src/models,
 * packages/modules/user/src/models, packages/modules/providers/auth-emailpass
 */
export const medusa = system(
  {
    name: 'medusa',
    title: 'Medusa',
    settings: { actor: 'user: the staff is imported, and not the customers' },
  },
  {
    ...usersOf('customer'),
    has: 'id email company_name has_account deleted_at',
    only: (_table, { actor }) => actor !== 'user',
    // A customer without an account has only ordered something, and may have signed up in another row with the same
    // address.
    state: ({ record }) => (flagOf(record.has_account) === true ? undefined : 'ANONYMOUS'),
  },
  {
    ...usersOf('user'),
    has: STAFF,
    // Many systems have a table `user` with names; the table of identities beside it shows that it is Medusa's staff.
    only: (_table, { actor }, around) =>
      actor === 'user' &&
      around?.tables.some((one) => mayBe(one, 'auth_identity') && hasAll(one, IDENTITIES)) === true,
  },
);
