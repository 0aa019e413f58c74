import { knownThirdPartyId } from '../../fields/providers.ts';
import type { SourceIdentity } from '../../source-user.ts';

/** Auth0's connections that are not third-party providers: its own passwords, codes and links. */
export const OWN_CONNECTIONS: ReadonlySet<string> = new Set(['auth0', 'sms', 'email']);
/**
 * Auth0's strategies of enterprise connections. Those known to `knownThirdPartyId` (waad, okta) count as
 * ordinary providers instead.
 */
const ENTERPRISE = new Set([
  'samlp',
  'adfs',
  'ad',
  'oidc',
  'pingfederate',
  'google-apps',
  'office365',
  'sharepoint',
]);

export function identityOf(account: {
  /** Auth0's strategy, such as `google-oauth2` or `samlp`. */
  provider: string;
  userId: string;
  /** Name of the connection in Auth0's settings. SAML and OIDC may have several. */
  connection?: string | undefined;
  email?: string | undefined;
  isVerified?: boolean | undefined;
}): SourceIdentity {
  const { provider, userId, connection, email, isVerified } = account;
  if (knownThirdPartyId(provider) !== undefined) return { provider, userId, email, isVerified };
  const isSso = ENTERPRISE.has(provider);
  const isNamed = isSso || provider === 'oauth2' || provider === 'custom';
  return { provider: isNamed ? (connection ?? provider) : provider, userId, email, isVerified, isSso };
}

/**
 * Splits Auth0's `google-oauth2|123` into provider and account. Enterprise ids also contain the connection:
 * `samlp|corp|123`.
 */
export function splitUserId(
  id: string,
): { provider: string; userId: string; connection: string | undefined } | undefined {
  const bar = id.indexOf('|');
  if (bar <= 0 || bar === id.length - 1) return undefined;
  const userId = id.slice(bar + 1);
  const next = userId.indexOf('|');
  return {
    provider: id.slice(0, bar),
    userId,
    connection: next <= 0 ? undefined : userId.slice(0, next),
  };
}

export const PREFIXED_ID = /^[a-z][a-z0-9-]*\|./;
