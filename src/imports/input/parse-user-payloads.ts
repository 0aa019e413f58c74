import { parseExactWithin } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';

/**
 * Parses JSON like `JSON.parse`. Numbers in `userMetadata` that a JavaScript number would change are kept as
 * `ExactNumber`. The metadata may be that of a user payload, or of the users in a request body. JSON without
 * such numbers is parsed as fast as by `JSON.parse`.
 * @throws the errors of `JSON.parse`
 */
export const parseUserPayloads = (json: string): unknown => parseExactWithin(json, metadataIn);

/** Returns the metadata objects in a request body: of the body's one user, or of all users in its `users`. */
function metadataIn(value: unknown): object[] {
  if (!isJsonObject(value) || (value.userMetadata === undefined && value.users === undefined)) return [];
  const users: unknown[] = Array.isArray(value.users) ? value.users : [];
  return [value, ...users].flatMap((one) =>
    isJsonObject(one) && isJsonObject(one.userMetadata) ? [one.userMetadata] : [],
  );
}
