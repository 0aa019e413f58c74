import type { JsonObject } from '../../../lib/json/json-object.ts';
import type { SourceRecord, TableHead } from '../../containers/table.ts';
import { secondFactors } from '../../fields/second-factors.ts';
import { flagOf, isSameAddress, objectOf, textOf } from '../../fields/values.ts';
import type { Detail, ReadContext } from '../../source.ts';
import type { SourceIdentity } from '../../source-user.ts';

/**
 * Natural key by which records are joined to users: fixtures made with --natural-foreign have a list in
 * place of an id.
 */
export const naturalKey = (key: string) => `natural:${key}`;

function userOf(record: SourceRecord): string | undefined {
  const user = record.user ?? record.user_id;
  if (!Array.isArray(user)) return textOf(user);
  const key = textOf(user[0]);
  return key === undefined ? undefined : naturalKey(key);
}

/** The table must have the name of the Django model, if it has a name: tables of CSV have none. */
const isOf = ({ name, columns }: TableHead, model: string, names: readonly string[]): boolean =>
  (columns.has('user') || columns.has('user_id')) &&
  names.every((column) => columns.has(column)) &&
  (name === '' || name.replace('_', '.').endsWith(model));

/** `mfa_authenticator` of allauth, and the devices of django-otp. */
export const factors: Detail = { ...secondFactors, keyOf: userOf };

/** `account.emailaddress` of allauth. */
export const addresses: Detail = {
  fits: (table) => isOf(table, 'account.emailaddress', ['email', 'verified', 'primary']),
  keyOf: userOf,
  keep: ({ email, verified, primary }) => ({ email, verified, primary }),
};

/**
 * `socialaccount.socialaccount` of allauth. Another package has the same columns, but `created` instead of
 * `date_joined`, and e-mails as ids.
 */
export const accounts: Detail = {
  fits: (table) =>
    isOf(table, 'socialaccount.socialaccount', ['provider', 'uid', 'extra_data']) &&
    table.columns.has('date_joined'),
  keyOf: userOf,
  keep({ provider, uid, extra_data: extra }) {
    const data = objectOf(extra);
    const verified = flagOf(data?.email_verified) ?? flagOf(data?.verified_email);
    return { provider, uid, email: textOf(data?.email), verified };
  },
};

export interface Addresses {
  email: string | undefined;
  emails: readonly string[];
  isVerified: boolean | undefined;
}

/** @param own address in the Django user's own row, which is the one to sign in with if it exists */
export function addressesOf(own: string | undefined, found: readonly JsonObject[]): Addresses {
  let email = own;
  if (email === undefined) {
    const chosen = found.find(({ primary }) => flagOf(primary) === true) ?? found[0];
    email = textOf(chosen?.email);
  }
  const same = found.find((one) => email !== undefined && isSameAddress(textOf(one.email) ?? '', email));
  return {
    email,
    emails: [email, ...found.map((one) => textOf(one.email))].flatMap((one) => one ?? []),
    isVerified: same === undefined ? undefined : flagOf(same.verified),
  };
}

export const identitiesOf = (found: readonly JsonObject[], { drop }: ReadContext): SourceIdentity[] =>
  found.flatMap((account) => {
    const [provider, userId] = [textOf(account.provider), textOf(account.uid)];
    if (provider !== undefined && userId !== undefined) {
      const isSso = provider === 'saml' || provider === 'openid_connect';
      return [
        { provider, userId, email: textOf(account.email), isVerified: flagOf(account.verified), isSso },
      ];
    }
    drop('identities without an id');
    return [];
  });
