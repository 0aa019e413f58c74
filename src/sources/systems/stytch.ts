import { flagOf, listOf, objectsOf, textOf } from '../fields/values.ts';
import { FIRST_SIGN_IN, system } from './declare.ts';

/** Role of every Stytch user, which is therefore no loss. */
const NO_ROLE = 'stytch_user';
const SECOND_FACTORS = ['totps', 'webauthn_registrations', 'biometric_registrations'];

/** Users of Stytch's consumer product, as listed by `POST /v1/users/search`: stytch.com/docs/api/user-object. */
export const stytch = system(
  { name: 'stytch', title: 'Stytch' },
  {
    forms: { json: 'stytch-users' },
    hasPages: true,
    has: 'user_id emails providers|webauthn_registrations|crypto_wallets|untrusted_metadata',
    id: 'user_id',
    // Stytch marks no address as the primary one, so a verified one is preferred.
    addresses: ({ record }) =>
      objectsOf(record.emails).map(({ email, verified }) => ({
        ...{ email, isVerified: verified, isPrimary: flagOf(verified) === true },
      })),
    joined: 'created_at',
    identities: ({ record }) =>
      objectsOf(record.providers)
        .filter(({ provider_subject }) => textOf(provider_subject) !== undefined)
        .map(({ provider_type, provider_subject }) => ({
          provider: provider_type,
          userId: provider_subject,
        })),
    metadata: 'name{} external_id trusted_metadata{} untrusted_metadata{}',
    states: { status: { active: 'ACTIVE', deleted: 'DELETED', pending: 'ACTIVE' } },
    factors: ({ record }) => SECOND_FACTORS.some((name) => listOf(record[name]).length > 0),
    roles: ({ record }) => listOf(record.roles).filter((role) => role !== NO_ROLE),
    drops: { 'temporary locks': 'is_locked' },
    phone: ({ record }) => listOf(record.phone_numbers).length > 0,
    reads: `emails providers ${SECOND_FACTORS.join(' ')} roles phone_numbers`,
    unused: 'crypto_wallets password lock_created_at lock_expires_at',
    warning: `The API of Stytch gives no password hashes: ask its support for them. Without them, users who have no social login are skipped. ${FIRST_SIGN_IN}`,
  },
);
