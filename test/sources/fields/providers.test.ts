import { expect, it } from 'vitest';
import { knownThirdPartyId } from '../../../src/sources/fields/providers.ts';

it.each([
  ['google', ['google.com', 'google-oauth2', 'google_oauth2', 'oauth_google', 'Google']],
  ['github', ['github.com', 'oauth_github', 'github']],
  ['facebook', ['facebook.com', 'oauth_facebook', 'Facebook']],
  ['apple', ['apple.com', 'apple', 'SignInWithApple', 'oauth_apple']],
  [
    'active-directory',
    ['microsoft.com', 'windowslive', 'waad', 'azure', 'azure-ad', 'microsoft-entra-id', 'Microsoft'],
  ],
  ['linkedin', ['linkedin.com', 'linkedin_oidc']],
  ['twitter', ['twitter.com', 'x']],
  ['discord', ['discord']],
  ['gitlab', ['gitlab']],
  ['bitbucket', ['bitbucket']],
  ['okta', ['okta']],
])('%s', (thirdPartyId, names) => {
  expect(names.map(knownThirdPartyId)).toEqual(names.map(() => thirdPartyId));
});

it.each(['corp-saml', 'sso:1', '', 'constructor', '__proto__', 'google2'])(
  'does not recognise %j',
  (name) => {
    expect(knownThirdPartyId(name)).toBeUndefined();
  },
);
