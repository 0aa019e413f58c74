import { parseExactWithin } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';

/**
 * Parses JSON like `JSON.parse`, but in the `userMetadata` of a user payload, or of the `users` of a body, numbers that a
 * `Number` would change are kept as `ExactNumber`. Without such numbers it costs no more than `JSON.parse`.
 * @throws as `JSON.parse`
 */
export const parseUserPayloads = (json: string): unknown => parseExactWithin(json, metadataIn);

/** Returns the metadata of the payload, and of the users of the body. */
function metadataIn(value: unknown): object[] {
  if (!isJsonObject(value) || (value.userMetadata === undefined && value.users === undefined)) return [];
  const users: unknown[] = Array.isArray(value.users) ? value.users : [];
  return [value, ...users].flatMap((one) =>
    isJsonObject(one) && isJsonObject(one.userMetadata) ? [one.userMetadata] : [],
  );
}
