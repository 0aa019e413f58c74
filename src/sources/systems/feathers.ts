import { textOf } from '../fields/values.ts';
import { system } from './declare.ts';

/** Feathers has identities in columns such as `googleId`. Other columns with this ending refer to tables. */
const PROVIDERS =
  'google github facebook apple twitter linkedin discord gitlab bitbucket microsoft azure okta'.split(' ');

/**
 * The app chooses the columns; those of the generator and of feathers-authentication-management are known, and a table
 * without the latter could belong to any system. Schema: feathersjs/feathers: packages/authentication-local,
 * packages/authentication-oauth; feathersjs-ecosystem/feathers-authentication-management
 */
export const feathers = system('feathers', 'Feathers', {
  has: 'id|_id email password',
  proof: 'verifyShortToken verifyChanges resetShortToken',
  id: 'id|_id',
  email: 'email',
  verified: 'isVerified',
  joined: 'createdAt|created_at',
  hash: 'password',
  identities: ({ record }) =>
    PROVIDERS.flatMap((provider) => {
      const userId = textOf(record[`${provider}Id`]);
      return userId === undefined ? [] : { provider, userId };
    }),
  metadata: 'name username firstName lastName',
  reads: PROVIDERS.map((provider) => `${provider}Id`).join(' '),
  unused: 'verifyToken verifyExpires resetToken resetExpires resetAttempts updatedAt updated_at avatar __v',
});
