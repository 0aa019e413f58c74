import type { Right } from '../../config/api-keys.ts';
import { canonicalPath } from '../server/tenant-paths.ts';

/** App and tenant that may stand before the path of a call. The core takes an app without a name, too. */
const TENANCY = '^(?:/appid-[^/]*)?(?:/[^/]+)?';

/** Calls with which the backend of a login page signs users in and out and keeps their sessions. */
const SIGN_IN = new RegExp(
  `${TENANCY}/recipe/(?:signin|signup|signinup|signinup/code|signinup/code/consume|signinup/code/check|` +
    'session|session/verify|session/refresh|session/regenerate|session/remove)$',
);

/** Calls whose answers have secrets of the app, such as the client secrets of identity providers. */
const WITH_SECRETS = new RegExp(`${TENANCY}/(?:recipe/(?:multitenancy|oauth|saml|dashboard)|ee)(?:/|$)`);

/**
 * Returns the right that a call needs which the core answers. A call that is not known here needs `manage`.
 * @param url path with or without a query
 */
export function rightOfForwarded(method: string, url: string): Right {
  const path = canonicalPath(url.split('?', 1)[0] ?? url);
  if (method === 'POST' && SIGN_IN.test(path)) return 'signin';
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && !WITH_SECRETS.test(path) ? 'read' : 'manage';
}
