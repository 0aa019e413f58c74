import { isJsonObject } from '../../lib/json/json-object.ts';
import { type DigestName, invalidHash, saltedDigest, unsupportedAlgorithm } from '../fields/hashes.ts';
import { chosenProvider, lacksServers } from '../fields/providers.ts';
import { totpOfBase32 } from '../fields/totp.ts';
import { listOf, objectOf, objectsOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

/** Families by `password_encryption_method`, beside `Legacy`. */
const FAMILIES: Readonly<Record<string, string>> = {
  Argon2i: 'argon2',
  Argon2id: 'argon2',
  Argon2d: 'argon2',
  Bcrypt: 'bcrypt',
  MD5: 'hex-md5',
  SHA1: 'hex-sha1',
  SHA256: 'hex-sha256',
};

/** Schema: logto-io/logto: packages/schemas/tables and src/models/tenants.ts (2026-08), packages/core/src/utils/password.ts */
export const logto = system('logto', 'Logto', {
  table: 'users',
  has: 'tenant_id id primary_email password_encrypted password_encryption_method identities is_suspended',
  joins: {
    sso: {
      table: 'user_sso_identities',
      has: 'user_id issuer identity_id',
      keep: ({ issuer, identity_id }) => ({ provider: issuer, userId: identity_id, isSso: true }),
      are: 'accounts',
      unused: 'id detail created_at updated_at sso_connector_id',
      missing:
        'Without the table user_sso_identities, nobody has an account at an enterprise provider. Dump users and user_sso_identities.',
    },
    tenants: {
      table: 'tenants',
      has: 'id is_suspended',
      hasNot: 'primary_email',
      on: 'id',
      by: 'tenant_id',
      states: { is_suspended: 'disabled' },
      unused: 'db_user db_user_password name tag created_at',
    },
    // Connectors of any server, whose `target` is the name of the provider.
    generic: {
      table: 'connectors',
      has: 'id connector_id metadata config',
      on: ({ connector_id, metadata }) =>
        /^(?:oidc|oauth|saml)/.test(textOf(connector_id) ?? '')
          ? textOf(objectOf(metadata)?.target)
          : undefined,
      unused: '*',
      missing: lacksServers('connectors'),
    },
  },
  unusedTables:
    'aggregated_daily_active_users application_access_control_user_relations application_user_consent_organizations ' +
    'application_user_consent_organization_scopes application_user_consent_resource_scopes application_user_consent_user_scopes ' +
    'cimd_grant_organizations daily_active_users logs oidc_model_instances oidc_session_extensions one_time_tokens organization_invitations organization_jit_email_domains ' +
    'organization_role_user_relations organization_user_relations passcodes personal_access_tokens secrets ' +
    'saml_application_configs secret_enterprise_sso_connector_relations secret_social_connector_relations subject_tokens trusted_devices ' +
    'user_geo_locations user_sign_in_countries users_roles verification_records verification_statuses sign_in_experiences',
  realms: { title: 'tenants', column: 'tenant_id' },
  partition: 'tenant_id',
  id: 'id',
  email: 'primary_email',
  phone: 'primary_phone',
  joined: 'created_at',
  hash: ({ record }) =>
    passwordOf(textOf(record.password_encrypted), textOf(record.password_encryption_method)),
  identities: ({ record, joined }) =>
    Object.entries(objectOf(record.identities) ?? {}).flatMap(([provider, one]) =>
      isJsonObject(one)
        ? {
            ...(joined('generic', provider).length > 0 ? chosenProvider(provider) : { provider }),
            userId: one.userId,
            email: objectOf(one.details)?.email,
          }
        : [],
    ),
  metadata: 'username name avatar profile{} custom_data{}',
  states: { is_suspended: 'disabled' },
  factors: ({ record }) => {
    const factors = objectsOf(record.mfa_verifications);
    return (
      factors.length > 0 && factors.flatMap(({ type, key }) => (type === 'Totp' ? totpOfBase32(key) : []))
    );
  },
  drops: { 'forced password changes': 'is_password_expired' },
  reads: 'mfa_verifications',
  unused:
    'application_id cimd_client_id logto_config last_sign_in_at password_updated_at updated_at password_encryption_salt role_names',
});

function passwordOf(encoded: string | undefined, method: string | undefined): SourcePassword | undefined {
  if (encoded === undefined) return undefined;
  if (method === 'Legacy') return legacyOf(listOf(encoded));
  const algorithm = method !== undefined && Object.hasOwn(FAMILIES, method) ? FAMILIES[method] : undefined;
  return algorithm === undefined
    ? unsupportedAlgorithm('password_encryption_method is none that is taken')
    : { encoded, algorithm };
}

const DIGESTS: ReadonlySet<string> = new Set<DigestName>([
  'md5',
  'sha1',
  'sha224',
  'sha256',
  'sha384',
  'sha512',
]);
const isDigest = (name: string | undefined): name is DigestName => name !== undefined && DIGESTS.has(name);

/** `["sha256", ["salt", "@"], "<hexadecimal digits>"]`: a digest of the texts, in which `@` is the password. */
function legacyOf([name, pieces, digits]: readonly unknown[]): SourcePassword {
  const [digest, hex] = [textOf(name)?.toLowerCase(), textOf(digits) ?? ''];
  const texts = listOf(pieces).map(textOf);
  if (!isDigest(digest)) return unsupportedAlgorithm('the algorithm of this Legacy password is not taken');
  const at = texts.indexOf('@');
  if (at === -1 || texts.length > 2 || texts.lastIndexOf('@') !== at)
    return unsupportedAlgorithm('a Legacy password with more than one salt is not taken');
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) return invalidHash('the digest is not in hexadecimal digits');
  const salt = Buffer.from(texts.filter((_, index) => index !== at).join(''));
  return saltedDigest({ digest, order: at === 0 ? 'ps' : 'sp', salt, hash: Buffer.from(hex, 'hex') });
}
