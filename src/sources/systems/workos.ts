import type { SourceRecord } from '../containers/table.ts';
import { textOf } from '../fields/values.ts';
import { FIRST_SIGN_IN, system } from './declare.ts';

const isUser = ({ object, id }: SourceRecord) =>
  object === 'user' && textOf(id)?.startsWith('user_') === true;

/** Users of WorkOS' User Management, as listed by the API: workos.com/docs/reference/authkit/user. */
export const workos = system(
  { name: 'workos', title: 'WorkOS' },
  {
    forms: { json: 'workos-users' },
    hasPages: true,
    has: 'id email email_verified',
    // Clerk also writes `"object":"user"`, but has a list of addresses.
    hasNot: 'email_addresses identities',
    only: ({ first }, _settings, around) =>
      around?.isNamed === true || (first.length > 0 && first.every(isUser)),
    id: 'id',
    email: 'email',
    verified: 'email_verified',
    joined: 'created_at',
    metadata: 'first_name last_name external_id metadata{}',
    unused: 'object profile_picture_url last_sign_in_at updated_at locale',
    warning: `WorkOS gives neither password hashes nor the ids of social accounts in its list of users. Ask its support for the hashes. Without them, these users are skipped. ${FIRST_SIGN_IN}`,
  },
);
