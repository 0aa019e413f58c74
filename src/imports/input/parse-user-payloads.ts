import { parseExactWithin } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { profileObjects } from '../../users/user.ts';

/**
 * Parses JSON, but keeps numbers in profiles that a JavaScript number would change as `ExactNumber`.
 * @throws the errors of `JSON.parse`
 */
export const parseUserPayloads = (json: string): unknown => parseExactWithin(json, profilesIn);

function profilesIn(value: unknown): object[] {
  if (!isJsonObject(value)) return [];
  if (!Array.isArray(value.users)) return profileObjects(value);
  return [value, ...value.users].flatMap((one) => (isJsonObject(one) ? profileObjects(one) : []));
}
