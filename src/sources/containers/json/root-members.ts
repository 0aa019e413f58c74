import type { JsonObject } from '../../../lib/json/json-object.ts';

/**
 * Small members of the JSON objects around the lists of users: settings, defaults, or the name of a realm.
 */
export interface RootMembers {
  /** Grows while the JSON file is read. */
  readonly members: JsonObject;
  /** Keeps a member of the JSON file, unless the kept members together would be too large. */
  keep(key: string, value: unknown, sizeBytes: number): void;
}

/** Settings of an export beside the JSON list of users are never larger. */
export const MAX_MEMBER_BYTES = 64 * 1024;
const MAX_ROOT_BYTES = 256 * 1024;

export function createRootMembers(): RootMembers {
  const members: Record<string, unknown> = {};
  let heldBytes = 0;
  return {
    members,
    keep(key, value, sizeBytes) {
      // Assigning a member named `__proto__` would change the prototype instead of adding a member.
      if (key === '__proto__' || value === undefined) return;
      heldBytes += key.length + sizeBytes;
      if (heldBytes <= MAX_ROOT_BYTES) members[key] = value;
    },
  };
}

export function keepMembers(root: RootMembers, document: JsonObject): void {
  for (const [key, value] of Object.entries(document)) {
    const sizeBytes = JSON.stringify(value).length;
    if (sizeBytes <= MAX_MEMBER_BYTES) root.keep(key, value, sizeBytes);
  }
}
