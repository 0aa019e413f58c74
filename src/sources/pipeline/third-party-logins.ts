import { normalizeEmail } from '../../users/email.ts';
import { knownThirdPartyId } from '../fields/providers.ts';
import { shownProvider } from '../fields/shown-name.ts';
import type { SourceIdentity, SourceUser } from '../source-user.ts';
import { countName } from './tally.ts';

export interface ThirdPartyLogin {
  thirdPartyId: string;
  thirdPartyUserId: string;
  email: string;
  isVerified: boolean;
}

export interface ThirdPartyLogins {
  logins: ThirdPartyLogin[];
  /** An identity whose provider the service has no id for. An enterprise identity takes precedence. */
  unmapped?: SourceIdentity;
  /** An identity at a known provider was dropped because it has no e-mail address. */
  lacksEmail: boolean;
}

const NONE: ThirdPartyLogins = { logins: [], lacksEmail: false };

/**
 * Returns the identities of a user as login methods, without duplicates.
 * @param providers the operator's ids of providers, by their name in the file
 * @param unmapped counts dropped identities by provider
 */
export function thirdPartyLogins(
  user: SourceUser,
  userEmail: string | undefined,
  providers: Readonly<Record<string, string>>,
  unmapped: Map<string, number>,
): ThirdPartyLogins {
  const { identities } = user;
  if (identities === undefined || identities.length === 0) return NONE;
  const found = new Map<string, ThirdPartyLogin>();
  const result: ThirdPartyLogins = { logins: [], lacksEmail: false };
  for (const identity of identities) {
    const thirdPartyId = thirdPartyIdOf(identity, providers);
    if (thirdPartyId === undefined) {
      countName(unmapped, shownProvider(identity.provider));
      if (result.unmapped === undefined || identity.isSso) result.unmapped = identity;
      continue;
    }
    const email = emailOf(identity, userEmail);
    if (email === undefined) {
      result.lacksEmail = true;
      continue;
    }
    const key = `${thirdPartyId}\0${identity.userId}`;
    if (found.has(key)) continue;
    const isVerified = identity.isVerified ?? (email === userEmail && user.isVerified === true);
    found.set(key, { thirdPartyId, thirdPartyUserId: identity.userId, email, isVerified });
  }
  result.logins = [...found.values()];
  return result;
}

function thirdPartyIdOf(
  { provider, isSso }: SourceIdentity,
  providers: Readonly<Record<string, string>>,
): string | undefined {
  if (Object.hasOwn(providers, provider)) return providers[provider];
  return isSso ? undefined : knownThirdPartyId(provider);
}

function emailOf({ email }: SourceIdentity, userEmail: string | undefined): string | undefined {
  return (email === undefined ? undefined : normalizeEmail(email)) ?? userEmail;
}
