import type { TableHead } from '../containers/table.ts';
import { selfDescribingHash } from '../fields/hashes.ts';
import { baseName } from '../fields/tables.ts';
import { textOf } from '../fields/values.ts';
import { hasAll, system } from './declare.ts';

const HAS = 'username email provider confirmed blocked';
const LOCAL = 'local';

const isWithoutHashes = (table: TableHead) => hasAll(table, HAS) && !table.columns.has('password');

/**
 * Users of Strapi's plug-in users-permissions. The table is `up_users`, before version 4 `users-permissions_user`;
 * MongoDB has `_id`. SQLite writes times as milliseconds. Sign-in checks `blocked`, and looks for users of the provider
 * `local` only. Schema: strapi/strapi: packages/plugins/users-permissions/server/content-types/user, 3 to 5
 */
export const strapi = system(
  { name: 'strapi', title: 'Strapi' },
  {
    // A dump of Strapi may be from any SQL database.
    forms: { sql: 'strapi-pg_dump', csv: 'strapi-csv', json: 'strapi-json' },
    table: 'up_users users-permissions_user',
    has: `id|_id ${HAS}`,
    id: 'id|_id',
    email: 'email',
    // Strapi users whom an administrator created have the value null, and their addresses are not confirmed.
    verified: 'confirmed',
    joined: 'created_at|createdAt',
    hash: ({ record: { provider, password } }) =>
      (textOf(provider) ?? LOCAL) === LOCAL ? selfDescribingHash(password) : undefined,
    metadata: 'username',
    states: { blocked: 'disabled' },
    // Strapi keeps no ids of social accounts.
    drops: { 'identities without an id': ({ record }) => (textOf(record.provider) ?? LOCAL) !== LOCAL },
    reads: 'password',
    unused:
      'document_id documentId reset_password_token resetPasswordToken confirmation_token confirmationToken updated_at updatedAt published_at publishedAt created_by_id updated_by_id created_by updated_by createdBy updatedBy locale localizations role __v',
    unusedTables:
      'admin_users up_users_role_lnk up_users_role_links admin_users_roles_lnk admin_users_roles_links strapi_sessions',
    advice: [
      {
        level: 'warn',
        text: 'There is no column password: the API of Strapi never shows hashes. Dump the table up_users of the database: pg_dump --data-only -t up_users.',
        when: ({ tables }) => tables.some(isWithoutHashes),
      },
      {
        level: 'note',
        text: 'The table admin_users holds the staff of the CMS, who are not imported.',
        when: ({ tables }) => tables.some((table) => baseName(table) === 'admin_users'),
      },
    ],
  },
);
