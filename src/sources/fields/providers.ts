import { lowerCase } from '../../lib/text/lower-case.ts';

/** Sign-in providers in exports, in lower case, and the `thirdPartyId` of SuperTokens' SDKs. */
const THIRD_PARTY_IDS: Readonly<Record<string, string>> = {
  'google.com': 'google',
  'google-oauth2': 'google',
  google_oauth2: 'google',
  oauth_google: 'google',
  google: 'google',
  'github.com': 'github',
  oauth_github: 'github',
  github: 'github',
  'facebook.com': 'facebook',
  oauth_facebook: 'facebook',
  facebook: 'facebook',
  'apple.com': 'apple',
  apple: 'apple',
  signinwithapple: 'apple',
  oauth_apple: 'apple',
  'microsoft.com': 'active-directory',
  windowslive: 'active-directory',
  waad: 'active-directory',
  azure: 'active-directory',
  'azure-ad': 'active-directory',
  'microsoft-entra-id': 'active-directory',
  microsoft: 'active-directory',
  oauth_microsoft: 'active-directory',
  linkedin: 'linkedin',
  'linkedin.com': 'linkedin',
  linkedin_oidc: 'linkedin',
  oauth_linkedin: 'linkedin',
  oauth_linkedin_oidc: 'linkedin',
  twitter: 'twitter',
  'twitter.com': 'twitter',
  x: 'twitter',
  oauth_twitter: 'twitter',
  oauth_x: 'twitter',
  discord: 'discord',
  oauth_discord: 'discord',
  gitlab: 'gitlab',
  oauth_gitlab: 'gitlab',
  bitbucket: 'bitbucket',
  oauth_bitbucket: 'bitbucket',
  okta: 'okta',
};

/** Undefined if the operator must map the provider (`--set provider.corp-saml=corp`). */
export function knownThirdPartyId(provider: string): string | undefined {
  const name = lowerCase(provider);
  return Object.hasOwn(THIRD_PARTY_IDS, name) ? THIRD_PARTY_IDS[name] : undefined;
}
