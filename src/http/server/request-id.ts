import { randomFillSync } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';

const ID_BYTES = 16;

/** Random bytes for 256 ids, because a draw takes as long as building twenty ids. */
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

export const newRequestId = (): string => uuidv7({ rng: nextBytes });
