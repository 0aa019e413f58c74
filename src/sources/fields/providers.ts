import { lowerCase } from '../../lib/text/characters.ts';
import { textOf } from './values.ts';

/** Names that exports use for sign-in providers, in lower case, by the `thirdPartyId` of SuperTokens' SDKs. */
const PROVIDERS = {
  google: 'google google.com google-oauth2 google_oauth2 oauth_google',
  github: 'github github.com oauth_github',
  facebook: 'facebook facebook.com oauth_facebook',
  apple: 'apple apple.com signinwithapple oauth_apple',
  'active-directory':
    'microsoft microsoft.com oauth_microsoft microsoft-entra-id azure azure-ad waad windowslive',
  linkedin: 'linkedin linkedin.com linkedin_oidc linkedin-openid-connect oauth_linkedin oauth_linkedin_oidc',
  twitter: 'twitter twitter.com x oauth_twitter oauth_x',
  discord: 'discord oauth_discord',
  gitlab: 'gitlab oauth_gitlab',
  bitbucket: 'bitbucket oauth_bitbucket',
  okta: 'okta',
};
const THIRD_PARTY_IDS = new Map(
  Object.entries(PROVIDERS).flatMap(([id, names]) => names.split(' ').map((name) => [name, id] as const)),
);

/** Returns the `thirdPartyId`. Undefined if the operator must map the provider (`--set provider.corp-saml=corp`). */
export const knownThirdPartyId = (provider: string): string | undefined =>
  THIRD_PARTY_IDS.get(lowerCase(provider));

/**
 * Returns a provider whose name an administrator of the old system chose. Even with the name of a known provider, such
 * as `google`, it may be another server, so the operator must map it.
 */
export const chosenProvider = (name: string): { provider: string; isSso?: true } =>
  knownThirdPartyId(name) === undefined ? { provider: name } : { provider: name, isSso: true };

/** Hosts of public providers whose name in an export may also mean a private server, such as GitHub Enterprise. */
const PUBLIC_HOSTS: Readonly<Record<string, string>> = {
  google: 'accounts.google.com www.googleapis.com',
  github: 'github.com www.github.com api.github.com',
  gitlab: 'gitlab.com',
  'active-directory': 'login.microsoftonline.com graph.microsoft.com sts.windows.net login.live.com',
};

/**
 * Returns the first host that is not one of the public provider. Account 5 of `ghe.example.com` is not the same person
 * as account 5 of github.com.
 * @param servers URLs or hosts as the export has them; empty ones do not count
 */
export function foreignServer(provider: string, servers: readonly unknown[]): string | undefined {
  const hosts = PUBLIC_HOSTS[knownThirdPartyId(provider) ?? '']?.split(' ');
  const found = servers.flatMap((one) => textOf(one)?.trim() || []).map(hostOf);
  return hosts && found.find((host) => !hosts.includes(host));
}

/** Returns a message for exports without the table that has the servers of the providers. */
export const lacksServers = (table: string): string =>
  `Without the table ${table}, an account at a server of one's own, such as GitHub Enterprise or GitLab, counts as one of the public server. Dump it, too.`;

function hostOf(server: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(server) ? server : `https://${server}`;
  return URL.canParse(url) ? new URL(url).hostname : server;
}
