import { selfDescribingHash } from '../fields/hashes.ts';
import { shownCell } from '../fields/shown-name.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { isSameAddress, isSet, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

/** Directus' `provider` of users who sign in with a password. */
const LOCAL = 'default';
/** Directus' API replaces hashes by asterisks. */
const CONCEALED = /^\*+$/;

function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined || !CONCEALED.test(encoded)) return selfDescribingHash(encoded);
  return {
    problem: 'HASH_REDACTED',
    message:
      'the API of Directus hides the hashes: dump the table directus_users of the database (pg_dump -t directus_users)',
  };
}

/** Without a configured id of an OAuth 2 provider, Directus uses the address as the id. Such ids are left out. */
function idAtProvider(id: unknown, address: unknown): string | undefined {
  const [userId, email] = [textOf(id), textOf(address)];
  return userId === undefined || (email !== undefined && isSameAddress(userId, email)) ? undefined : userId;
}

/**
 * Schema: directus/directus: api/src/database/seeds/03-users.yaml and migrations, 9 to 11; sign-in:
 * api/src/services/authentication.ts
 */
export const directus = system('directus', 'Directus', {
  table: 'directus_users',
  has: 'id email status provider external_identifier tfa_secret',
  id: 'id',
  email: 'email',
  // Directus accepts no password from users of a third-party provider, even if one is stored.
  hash: ({ record }) => (record.provider === LOCAL ? passwordOf(record.password) : undefined),
  identities: ({ record: { provider, external_identifier, email } }) =>
    provider === LOCAL ? [] : [{ provider, userId: idAtProvider(external_identifier, email) }],
  metadata: 'first_name last_name title location language',
  // Sign-in requires this word. Users with any other (draft, invited, suspended, archived, custom ones) cannot sign in.
  state: ({ record }) => (record.status === 'active' ? undefined : 'DISABLED'),
  stateReason: ({ record: { status } }) =>
    status === 'active' ? undefined : `status is ${shownCell(textOf(status) ?? 'empty')}`,
  factors: ({ record: { tfa_secret } }) => isSet(tfa_secret) && totpOfBase32(tfa_secret),
  roles: ({ record }) => isSet(record.role),
  reads: 'password role',
  unused:
    'description tags avatar timezone theme theme_dark theme_light theme_light_overrides theme_dark_overrides appearance text_direction token last_access last_page auth_data email_notifications policies',
  unusedTables: `
      directus_access directus_activity directus_files directus_notifications
      directus_oauth_codes directus_oauth_consents directus_oauth_tokens directus_presets
      directus_sessions`,
  note: 'Directus does not keep when a user joined, nor whether an address was confirmed. Only users with the status active are imported.',
});
