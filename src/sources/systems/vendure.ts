import { selfDescribingHash } from '../fields/hashes.ts';
import { isSet, textOf } from '../fields/values.ts';
import { system } from './declare.ts';

const DUMP = `pg_dump -t '"user"' -t authentication_method -t customer vendure > dump.sql`;
const NATIVE = 'NativeAuthenticationMethod';

/**
 * Customers and administrators. Sign-in finds users by `identifier`, and none that is deleted; guests have no password.
 * Schema: vendure-ecommerce/vendure: packages/core/src/entity/user, authentication-method and customer, 1 to 3;
 * sign-in: packages/core/src/service/services/auth.service.ts and user.service.ts
 */
export const vendure = system(
  { name: 'vendure', title: 'Vendure' },
  {
    forms: { sql: 'vendure-sql', csv: 'vendure-csv', json: 'vendure-json' },
    table: 'user',
    isPrefixed: true,
    has: 'id identifier verified deletedAt',
    proof: 'lastLogin',
    joins: {
      methods: {
        table: 'authentication_method',
        has: 'userId type passwordHash externalIdentifier strategy',
        on: 'userId',
        keep: 'type passwordHash strategy externalIdentifier',
        unused:
          'id createdAt updatedAt identifier verificationToken passwordResetToken identifierChangeToken pendingIdentifier metadata',
        missing: `The table authentication_method is missing. All hashes and social logins stand in it, so nobody can be imported without it. Dump it, too: ${DUMP}`,
      },
      customers: {
        table: 'customer',
        has: 'userId emailAddress firstName lastName phoneNumber deletedAt',
        on: ({ userId, deletedAt }) => (isSet(deletedAt) ? undefined : textOf(userId)),
        keep: 'phoneNumber',
        metadata: 'title firstName lastName',
        unused: 'id createdAt updatedAt emailAddress customFields__fix_relational_custom_fields__',
        missing: `The table customer is missing, which has the names. Dump it, too: ${DUMP}`,
      },
    },
    unusedTables: 'administrator api_key session user_roles_role',
    id: 'id',
    // The identifier of an administrator may be a name.
    email: ({ record: { identifier } }) => (textOf(identifier)?.includes('@') ? identifier : undefined),
    verified: 'verified',
    joined: 'createdAt',
    hash: ({ joined }) =>
      selfDescribingHash(joined('methods').find(({ type }) => type === NATIVE)?.passwordHash),
    identities: ({ joined }) =>
      joined('methods')
        .filter(({ type }) => type !== NATIVE)
        .map(({ strategy, externalIdentifier }) => ({ provider: strategy, userId: externalIdentifier })),
    states: { deletedAt: 'deleted' },
    phone: ({ joined }) => [joined('customers')[0]?.phoneNumber],
    unused: 'updatedAt customFields__fix_relational_custom_fields__',
  },
);
