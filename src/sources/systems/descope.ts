import { listOf, mayBeYes, objectOf, textOf } from '../fields/values.ts';
import { FIRST_SIGN_IN, type Identity, type Row, system } from './declare.ts';

const loginIdsOf = ({ record }: Row): string[] =>
  listOf(record.loginIds).filter((id) => typeof id === 'string');

/**
 * Descope's `OAuth` names the providers without ids. One id may be found in a login id such as `google-1105…`, which
 * Descope does not document.
 */
function identitiesOf(row: Row): Identity[] {
  const used = Object.entries(objectOf(row.record.OAuth) ?? {}).filter(([, isUsed]) => isUsed === true);
  return used.map(([provider]) => {
    const start = `${provider}-`;
    const userId = loginIdsOf(row)
      .find((id) => id.startsWith(start))
      ?.slice(start.length);
    return { provider, userId };
  });
}

/** Users as listed by Descope's management API: docs.descope.com, "Search Users". */
export const descope = system('descope', 'Descope', {
  forms: { json: 'descope-users' },
  hasPages: true,
  has: 'loginIds userId|verifiedEmail|userTenants|createdTime',
  id: 'userId',
  email: (row) => textOf(row.record.email) ?? loginIdsOf(row).find((id) => id.includes('@')),
  verified: 'verifiedEmail',
  joined: 'createdTime',
  identities: identitiesOf,
  metadata: 'name customAttributes{}',
  states: { status: { disabled: 'DISABLED', enabled: 'ACTIVE', invited: 'ACTIVE' } },
  phone: 'phone',
  factors: ({ record }) => mayBeYes(record.TOTP) || mayBeYes(record.webauthn),
  roles: ({ record }) => listOf(record.roleNames),
  drops: { organisations: ({ record }) => listOf(record.userTenants).length > 0 },
  reads: 'email OAuth TOTP webauthn roleNames',
  unused:
    'givenName middleName familyName verifiedPhone picture test SAML SCIM push password ssoAppIds editable externalIds recoveryEmail recoveryPhone verifiedRecoveryEmail verifiedRecoveryPhone hasTOTPSeed modifiedTime lastLogin permissions',
  warning: `Descope gives no password hashes in its list of users. Social accounts are imported if their id stands in a login id (google-…); try one of them first. Other users are skipped. ${FIRST_SIGN_IN}`,
});
