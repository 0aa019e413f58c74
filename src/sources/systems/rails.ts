import { system } from './declare.ts';

/**
 * Tables of Rails apps with `has_secure_password`, such as those of the generator of Rails 8. Any app may have such
 * columns, so the operator names the system. Rails confirms no addresses and disables nobody; columns with which the app
 * does are asked about. Schema: rails/rails: railties/lib/rails/generators/rails/authentication
 */
export const rails = system('rails', 'Rails has_secure_password', {
  has: 'id email_address|email password_digest',
  only: (_table, _settings, around) => around?.isNamed === true,
  id: 'id',
  email: 'email_address|email',
  joined: 'created_at',
  hash: 'password_digest',
  metadata: 'name username first_name last_name',
  unused: 'updated_at',
  unusedTables: 'action_text_rich_texts active_storage_attachments sessions',
});
