import type { JsonObject } from '../../../lib/json/json-object.ts';

/**
 * Small members of the JSON objects that contain the lists of users: settings, defaults, or the name of a
 * realm.
 */
export interface RootMembers {
  /** Members found so far. The object grows while the JSON file is read. */
  readonly members: JsonObject;
  /**
   * Keeps a member of the JSON file, unless the kept members together would be too large.
   * @param sizeBytes size of the value
   */
  keep(key: string, value: unknown, sizeBytes: number): void;
}

/**
 * Maximum size in bytes of a JSON member that is kept beside the list of users. Settings of an export are
 * never larger.
 */
export const MAX_MEMBER_BYTES = 64 * 1024;
const MAX_ROOT_BYTES = 256 * 1024;

export function createRootMembers(): RootMembers {
  const members: Record<string, unknown> = {};
  let heldBytes = 0;
  return {
    members,
    keep(key, value, sizeBytes) {
      // A member may be named `__proto__`. Assigning it would change the prototype instead of adding a
      // member.
      if (key === '__proto__' || value === undefined) return;
      heldBytes += key.length + sizeBytes;
      if (heldBytes <= MAX_ROOT_BYTES) members[key] = value;
    },
  };
}

/** Keeps the small members of a JSON document, which may be settings of the export. */
export function keepMembers(root: RootMembers, document: JsonObject): void {
  for (const [key, value] of Object.entries(document)) {
    const sizeBytes = JSON.stringify(value).length;
    if (sizeBytes <= MAX_MEMBER_BYTES) root.keep(key, value, sizeBytes);
  }
}
