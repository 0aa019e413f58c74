import type { Right } from '../../config/api-keys.ts';
import { canonicalPath } from '../server/tenant-paths.ts';

/**
 * SuperTokens app and tenant that may precede the path of a call. The core also accepts an app without a
 * name.
 */
const TENANCY = '^(?:/appid-[^/]*)?(?:/[^/]+)?';

const callsUnder = (paths: readonly string[]) => new RegExp(`${TENANCY}(?:${paths.join('|')})$`);

/** Calls of a login page's backend for sign-ins and sessions. The right `signin` is sufficient for them. */
const SIGN_IN = callsUnder([
  '/recipe/(?:signin|signup|signinup)',
  '/recipe/signinup/code(?:/check|/consume)?',
  '/recipe/session(?:/verify|/refresh|/regenerate|/remove)?',
]);

/**
 * Look-ups whose answers contain no secrets. Others, such as those of `multitenancy` and `oauth`, tell client
 * secrets of identity providers. Paths that only a later version of the core knows are not among them.
 */
const READ = callsUnder([
  '/users(?:/count|/count/active|/by-accountinfo)?',
  '/user/(?:id|search/tags)',
  '/recipe/user(?:/roles|/metadata|/email/verify)?',
  '/recipe/users(?:/by-email)?',
  '/recipe/userid/map',
  '/recipe/session(?:/user|/data)?',
  '/recipe/signinup/codes',
  '/recipe/roles?(?:/permissions|/users)?',
  '/recipe/permission/roles',
  '/recipe/totp/device/list',
  '/recipe/accountlinking/user/(?:primary|link)/check',
  '/recipe/webauthn/options',
  '/recipe/webauthn/user/credential(?:/list)?',
  '/recipe/jwt/(?:jwks|data)',
  '/(?:requests/stats|telemetry|migration/mode|migration/backfill/progress)',
  '/hello',
]);

/**
 * Returns the right that a call to the core needs. Unknown calls need `manage`.
 * @param url path, with or without a query
 */
export function rightOfForwarded(method: string, url: string): Right {
  const path = canonicalPath(url.split('?', 1)[0] ?? url);
  if (method === 'POST' && SIGN_IN.test(path)) return 'signin';
  return (method === 'GET' || method === 'HEAD') && READ.test(path) ? 'read' : 'manage';
}
