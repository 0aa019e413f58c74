import { selfDescribingHash } from '../fields/hashes.ts';
import { baseName } from '../fields/tables.ts';
import { flagOf, textOf } from '../fields/values.ts';
import type { SourcePassword } from '../source-user.ts';
import { system } from './declare.ts';

const MD5 = /^[0-9a-f]{32}$/;
const ROLES = ['user__roles', 'users_roles'];

/** Code: drupal/core@401b0999:lib/Drupal/Core/Password/PhpassHashedPasswordBase.php */
function passwordOf(value: unknown): SourcePassword | undefined {
  const encoded = textOf(value);
  if (encoded === undefined) return undefined;
  // Drupal 6 stored MD5. Hashes of many systems have this form, so the algorithm is named.
  if (MD5.test(encoded)) return { encoded, algorithm: 'hex-md5' };
  // A migration from Drupal 6 hashes each stored MD5 again with bcrypt, and marks the result by `U`.
  if (encoded.startsWith('U$2')) return { encoded: encoded.slice(1), algorithm: 'bcrypt-md5' };
  if (/^(?:U?\$S|U\$P)\$/.test(encoded)) return { encoded, algorithm: 'drupal7' };
  return /^\$[PH]\$/.test(encoded) ? { encoded, algorithm: 'phpass' } : selfDescribingHash(encoded);
}

/**
 * Schema: drupal/drupal: core/modules/user/src/Entity/User.php, core/modules/user/user.install (8 to 11);
 * modules/user/user.install (6 and 7)
 */
export const drupal = system('drupal', 'Drupal', {
  forms: { sql: 'drupal-mysqldump', csv: 'drupal-csv', json: 'drupal-json' },
  // `users` has no addresses since Drupal 8.
  table: 'users_field_data users',
  isPrefixed: true,
  has: 'uid name pass mail status',
  joins: {
    // Settings of users by module, from Drupal 8 on. The module `tfa` has second factors.
    users_data: {
      table: 'users_data',
      are: 'factors',
      has: 'uid module name value',
      on: 'uid',
      keep: ({ module, name }) =>
        textOf(module) === 'tfa' && textOf(name) !== 'tfa_user_settings' ? {} : undefined,
      keys: { key: 'module', value: 'value', known: 'contact tfa user' },
      unused: 'serialized',
      decides: 'factors',
      missing:
        'Export it, too: mysqldump DATABASE users_field_data users_data > dump.sql. Drupal 7 has no such table.',
    },
  },
  // Fields of users, which a site adds, are in tables such as user__field_rank. Those of other entities say nothing here.
  unusedTables: `
    accesslog aggregator_* authmap block_content__* block_content_field_revision block_content_revision
    block_content_revision__* comment comment__* comment_entity_statistics comment_field_data comments contact
    content_moderation_state_field_data content_moderation_state_field_revision field_data_body
    field_data_comment_body field_data_field_image field_data_field_tags field_revision_* file_managed files history
    media__* media_field_data media_field_revision media_revision media_revision__* menu_link_content_revision node
    node__* node_comment_statistics node_field_data node_field_revision node_revision node_revision__*
    node_revisions poll_vote poll_votes profile_value profile_values sessions shortcut_set_users taxonomy_term__*
    taxonomy_term_field_data taxonomy_term_field_revision taxonomy_term_revision taxonomy_term_revision__*
    tracker_user user__roles user__user_picture users users_roles watchdog workspace workspace_field_revision
    workspace_revision`,
  // A user has a row for each language, with the same account data.
  skip: ({ record }) =>
    textOf(record.default_langcode) !== undefined && flagOf(record.default_langcode) === false,
  id: 'uid',
  email: 'mail',
  joined: 'created',
  hash: ({ record }) => passwordOf(record.pass),
  metadata: 'name',
  states: { status: 'active' },
  // The user with id 0 stands for guests.
  state: ({ record }) => (textOf(record.uid) === '0' ? 'ANONYMOUS' : undefined),
  reads: 'default_langcode',
  unused: `content_translation_* langcode preferred_langcode preferred_admin_langcode timezone timezone_name changed access login init theme
      signature signature_format language picture data mode sort threshold`,
  note: [
    'Drupal signs in by name and keeps no flag for verified addresses: users sign in by their address here.',
    {
      text: 'Roles are not imported, because this service has none.',
      when: ({ tables }) => tables.some((table) => ROLES.some((name) => baseName(table).endsWith(name))),
    },
  ],
});
