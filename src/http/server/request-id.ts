import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

/** Bytes of an id. */
const ID_BYTES = 16;

/** Random bytes for the next ids, drawn together: each draw costs as much as twenty ids. */
const pool = Buffer.alloc(256 * ID_BYTES);
let used = pool.length;

function nextBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}

/** Returns the id of a request, for the log. */
export const newRequestId = (): string => uuidv7({ rng: nextBytes });
