import { isJsonObject } from '../../lib/json/json-object.ts';
import { timeOf } from '../fields/time.ts';
import { flagOf, listOf, objectOf, textOf } from '../fields/values.ts';
import { refusedFile, system } from './declare.ts';

const COMMAND =
  'yq -o json \'[.users | to_entries | .[] | .value + {"username": .key}]\' users_database.yml > users.json';

/**
 * Authelia's file of users (users_database.yml) as a JSON list, and tables of its storage. Users have no id but their
 * name, which only administrators set. Secrets of TOTP are encrypted.
 * Schema: authelia/authelia (4.39, storage 26): internal/authentication/file_user_provider_database.go, internal/storage/migrations
 */
export const authelia = system('authelia', 'Authelia', [
  {
    forms: { json: 'authelia-json' },
    has: 'username displayname password',
    proof: 'groups',
    hasNot: 'id _id uuid',
    id: 'username',
    email: 'email',
    hash: 'password',
    metadata:
      'username displayname given_name middle_name family_name nickname gender birthdate website profile picture zoneinfo locale phone_number phone_extension address extra',
    states: { disabled: 'disabled' },
    isSparse: true,
    roles: ({ record }) => listOf(record.groups).flatMap((group) => textOf(group) ?? []),
    joins: {
      banned_user: {
        table: 'banned_user',
        has: 'username expires expired revoked source',
        on: 'username',
        // Authelia itself bans for a while after wrong passwords.
        keep: ({ source, revoked, expired, expires }) =>
          source === 'regulation' || flagOf(revoked) === true || timeOf(expired) !== undefined
            ? undefined
            : { expires },
        // A ban without an end is for ever.
        states: { expires: 'banned until' },
        unused: 'id time reason',
        decides: 'states',
        missing:
          "Export it, too: sqlite3 db.sqlite3 '.dump banned_user' > bans.sql. Authelia has it from 4.39 on.",
      },
      // TOTP and WebAuthn keys are encrypted.
      factors: {
        are: 'factors',
        table: 'totp_configurations webauthn_credentials webauthn_devices u2f_devices duo_devices',
        has: 'id username secret|kid|key_handle|device',
        on: 'username',
        unused: `
          created_at last_used_at issuer algorithm digits period rpid description aaguid attestation attestation_type
          attestation_format attachment transport sign_count clone_warning legacy discoverable present verified
          backup_eligible backup_state public_key method`,
        decides: 'factors',
        missing:
          "Export them, too: sqlite3 db.sqlite3 '.dump totp_configurations' '.dump webauthn_credentials' '.dump duo_devices' > factors.sql.",
      },
    },
    unusedTables: `authentication_logs identity_verification oauth2_* one_time_code totp_history user_opaque_identifier
      user_preferences webauthn_users`,
    reads: 'groups',
  },
  // The file as it is, in which names of users are names of members.
  refusedFile('authelia-json by name', {
    has: 'users',
    only: ({ first: [file] }) => {
      const users = Object.values(objectOf(file?.users) ?? {});
      return (
        users.length > 0 &&
        users.every((one) => isJsonObject(one) && 'displayname' in one && 'password' in one)
      );
    },
    stop: `The users must be a list: ${COMMAND}.`,
  }),
]);
