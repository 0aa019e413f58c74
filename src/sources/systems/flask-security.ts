import { selfDescribingHash } from '../fields/hashes.ts';
import { flagOf, isSet, textOf } from '../fields/values.ts';
import type { Settings } from '../source.ts';
import type { SourcePassword } from '../source-user.ts';
import { hashOf, system } from './declare.ts';

/**
 * Schemes of Flask-Security that always hash the password itself, whatever SECURITY_PASSWORD_SINGLE_HASH
 * says.
 */
const DJANGO = /^(?:argon2|bcrypt|bcrypt_sha256|pbkdf2_sha1|pbkdf2_sha256|sha1|md5)\$/;

function passwordOf(encoded: string | undefined, { singleHash }: Settings): SourcePassword | undefined {
  const isSingle = flagOf(singleHash) === true || DJANGO.test(encoded ?? '');
  return isSingle ? selfDescribingHash(encoded) : hashOf('flask-security', encoded);
}

/** Schema: pallets-eco/flask-security: flask_security/models/fsqla.py to fsqla_v4.py, utils.py (5.7) */
export const flaskSecurity = system('flask-security', 'Flask-Security', {
  settings: {
    singleHash: 'yes: SECURITY_PASSWORD_SINGLE_HASH is True, so that SECURITY_PASSWORD_SALT is in no hash',
  },

  has: 'email password active',
  // Exists since Flask-Security 4. Earlier tables look like those of many systems.
  proof: 'fs_uniquifier',
  joins: {
    roles: { has: 'user_id role_id' },
    // Passkeys may be the first factor or the second.
    passkeys: {
      has: 'user_id credential_id sign_count usage',
      unused:
        'id public_key transports backup_state device_type extensions create_datetime lastuse_datetime name',
    },
  },
  id: 'id',
  email: 'email',
  // Without this column, Flask-Security does not confirm addresses at all.
  verified: 'confirmed_at',
  joined: 'create_datetime|created_at',
  hash: ({ record, settings }) => passwordOf(textOf(record.password), settings),
  metadata: 'username name first_name last_name',
  states: { active: 'active' },
  phone: 'us_phone_number|tf_phone_number',
  factors: ({ record, joined }) =>
    joined('passkeys').length > 0 ||
    ['tf_primary_method', 'tf_totp_secret', 'us_totp_secrets', 'mf_recovery_codes'].some((name) =>
      isSet(record[name]),
    ),
  roles: ({ joined }) => joined('roles').length > 0,
  reads: 'tf_primary_method tf_totp_secret us_totp_secrets mf_recovery_codes',
  unused:
    'fs_token_uniquifier fs_webauthn_user_handle last_login_at current_login_at last_login_ip current_login_ip login_count update_datetime',
  warning: {
    text: 'Every password was hashed with SECURITY_PASSWORD_SALT: put it into hashing_secrets of the service as the default of algorithm flask-security, or name it with --hashing-secret-id ID. If SECURITY_PASSWORD_SINGLE_HASH is set to True, add --set singleHash=yes instead. Prove one password first.',
    when: ({ settings, hasSecret }) => flagOf(settings.singleHash) !== true && hasSecret !== true,
  },
});
