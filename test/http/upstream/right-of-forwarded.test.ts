import { expect, it } from 'vitest';
import { rightOfForwarded } from '../../../src/http/upstream/add-forwarding.ts';

it.each([
  ['POST', '/recipe/signin', 'signin'],
  ['POST', '/RECIPE/SignIn/', 'signin'],
  ['POST', '/appid-shop/berlin/recipe/session/refresh', 'signin'],
  ['POST', '/berlin/recipe/signinup/code/consume', 'signin'],
  ['POST', '/recipe/session', 'signin'],
  ['GET', '/recipe/session?sessionHandle=1', 'read'],
  ['HEAD', '/users', 'read'],
  ['GET', '/appid-shop/users/count?x=/ee', 'read'],
  ['GET', '/recipe/multitenancy/tenant/v2', 'manage'],
  ['GET', '/appid-shop/berlin/recipe/oauth/clients/list', 'manage'],
  ['GET', '/appid-/berlin/recipe/oauth/clients/list', 'manage'],
  ['POST', '/appid-/berlin/recipe/signin', 'signin'],
  ['GET', '/ee/license', 'manage'],
  ['GET', '/recipe/eels', 'manage'],
  ['GET', '/config', 'manage'],
  ['GET', '/anything', 'manage'],
  ['GET', '/berlin/hello', 'read'],
  ['GET', '/recipe/users/by-email?email=a@b.c', 'read'],
  ['GET', '/bulk-import/other', 'manage'],
  ['POST', '/recipe/signin/other', 'manage'],
  ['POST', '/a/b/recipe/signin', 'manage'],
  ['PUT', '/recipe/session/data', 'manage'],
  ['POST', '/recipe/jwt', 'manage'],
  ['POST', '/recipe/user/password/reset/token', 'manage'],
  ['DELETE', '/recipe/signin', 'manage'],
  ['POST', '/anything?/recipe/signin', 'manage'],
])('%s %s needs %s', (method, url, right) => {
  expect(rightOfForwarded(method, url)).toBe(right);
});
