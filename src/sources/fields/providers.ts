import { lowerCase } from '../../lib/text/characters.ts';
import { textOf } from './values.ts';

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
  'linkedin-openid-connect': 'linkedin',
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

/**
 * The provider of an account under a name that somebody chose for a server of one's own. Called `google`, it still is not
 * Google, unless the operator says so.
 */
export const chosenProvider = (name: string): { provider: string; isSso?: true } =>
  knownThirdPartyId(name) === undefined ? { provider: name } : { provider: name, isSso: true };

/** Hosts of public providers that also exist as software for one's own server, or as any issuer's name. */
const PUBLIC_HOSTS: Readonly<Record<string, readonly string[]>> = {
  google: ['accounts.google.com', 'www.googleapis.com'],
  github: ['github.com', 'www.github.com', 'api.github.com'],
  gitlab: ['gitlab.com'],
  'active-directory': [
    'login.microsoftonline.com',
    'graph.microsoft.com',
    'sts.windows.net',
    'login.live.com',
  ],
};

/**
 * Host of the first server that is not the public provider's: an account 5 of `ghe.example.com` is another person than
 * account 5 of github.com.
 * @param servers URLs or hosts as the export has them; empty ones do not count
 */
export function foreignServer(provider: string, servers: readonly unknown[]): string | undefined {
  const hosts = PUBLIC_HOSTS[knownThirdPartyId(provider) ?? ''];
  const found = servers.flatMap((one) => textOf(one)?.trim() || []).map(hostOf);
  return hosts && found.find((host) => !hosts.includes(host));
}

/** What is lost without the table that has the servers of the providers. */
export const lacksServers = (table: string): string =>
  `Without the table ${table}, an account at a server of one's own, such as GitHub Enterprise or GitLab, counts as one of the public server. Dump it, too.`;

function hostOf(server: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `https://${server}`;
  return URL.canParse(url) ? new URL(url).hostname : server;
}
