import type { JsonObject } from '../../../imports/input/json-object.ts';

/** Small members of the objects that the arrays of a file stand in: settings, defaults, the name of the realm. */
export interface RootMembers {
  /** Grows while the file is read. */
  readonly members: JsonObject;
  /** @param sizeBytes of the value */
  keep(key: string, value: unknown, sizeBytes: number): void;
}

/** A longer one is no setting. */
export const MAX_MEMBER_BYTES = 64 * 1024;
const MAX_ROOT_BYTES = 256 * 1024;

export function createRootMembers(): RootMembers {
  const members: Record<string, unknown> = {};
  let heldBytes = 0;
  return {
    members,
    keep(key, value, sizeBytes) {
      // Set on an object that is being built, it would not become a member.
      if (key === '__proto__' || value === undefined) return;
      heldBytes += key.length + sizeBytes;
      if (heldBytes <= MAX_ROOT_BYTES) members[key] = value;
    },
  };
}

/** @param document is kept as the root, as far as it is small */
export function keepMembers(root: RootMembers, document: JsonObject): void {
  for (const [key, value] of Object.entries(document)) {
    const sizeBytes = JSON.stringify(value).length;
    if (sizeBytes <= MAX_MEMBER_BYTES) root.keep(key, value, sizeBytes);
  }
}
