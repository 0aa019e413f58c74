import { parseExactWithin } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { profileObjects } from '../../users/user-profile.ts';

/**
 * Parses JSON like `JSON.parse`. Numbers in profiles (`userMetadata`) that a JavaScript number would change
 * are kept as `ExactNumber`. JSON without such numbers is parsed as fast as by `JSON.parse`.
 * @throws the errors of `JSON.parse`
 */
export const parseUserPayloads = (json: string): unknown => parseExactWithin(json, profilesIn);

/** Returns the profiles in a request body: of the body's one user, or of all users in its `users`. */
function profilesIn(value: unknown): object[] {
  if (!isJsonObject(value)) return [];
  if (!Array.isArray(value.users)) return profileObjects(value);
  return [value, ...value.users].flatMap((one) => (isJsonObject(one) ? profileObjects(one) : []));
}
