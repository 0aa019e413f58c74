import type { Right } from '../../config/api-keys.ts';
import { canonicalPath } from '../server/tenant-paths.ts';

/**
 * SuperTokens app and tenant that may precede the path of a call. The core also accepts an app without a
 * name.
 */
const TENANCY = '^(?:/appid-[^/]*)?(?:/[^/]+)?';

/** Calls of a login page's backend for sign-ins and sessions. The right `signin` is sufficient for them. */
const SIGN_IN = new RegExp(
  `${TENANCY}/recipe/(?:signin|signup|signinup|signinup/code|signinup/code/consume|signinup/code/check|` +
    'session|session/verify|session/refresh|session/regenerate|session/remove)$',
);

/**
 * Calls whose answers contain secrets of the app, such as client secrets of identity providers. The right
 * `read` is not sufficient for them.
 */
const WITH_SECRETS = new RegExp(`${TENANCY}/(?:recipe/(?:multitenancy|oauth|saml|dashboard)|ee)(?:/|$)`);

/**
 * Returns the right that a call to the core needs. Unknown calls need `manage`.
 * @param url path, with or without a query
 */
export function rightOfForwarded(method: string, url: string): Right {
  const path = canonicalPath(url.split('?', 1)[0] ?? url);
  if (method === 'POST' && SIGN_IN.test(path)) return 'signin';
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && !WITH_SECRETS.test(path) ? 'read' : 'manage';
}
