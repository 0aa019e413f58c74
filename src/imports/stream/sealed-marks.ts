import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKeys } from '../../lib/derive-keys.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Keys for other uses are made of the same secrets. */
const USE = 'marks of imported lines';

/** The chunk whose marks are sealed. */
export interface MarkedChunk {
  importId: string;
  firstLine: number;
}

/**
 * Seals the marks of lines (line-marks.ts) for the database. Bare digests would let whoever reads the database try passwords
 * at the speed of SHA-256, as a line may hold one in plain text. The marks of a chunk are encrypted together, which costs next
 * to nothing; an HMAC of each line would take twice as long as its digest (docs/adr/0031-marks-of-lines.md).
 */
export class MarkSeal {
  readonly #keys: readonly Buffer[];

  /** @param secrets the keys of the service: marks are sealed with the first, and opened with any */
  constructor(secrets: readonly string[]) {
    this.#keys = deriveKeys(secrets, USE);
  }

  seal(chunk: MarkedChunk, marks: Buffer): Buffer {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('sealing needs a key');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(associatedData(chunk));
    const sealed = [cipher.update(marks), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
  }

  /** Returns the marks, or undefined where they were sealed with none of the keys, or for another chunk. */
  open(chunk: MarkedChunk, sealed: Buffer): Buffer | undefined {
    const nonce = sealed.subarray(0, NONCE_BYTES);
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    if (tag.length < TAG_BYTES) return undefined;
    for (const key of this.#keys) {
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(associatedData(chunk)).setAuthTag(tag);
      const marks = decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([marks, decipher.final()]);
      } catch {
        // Another key, perhaps.
      }
    }
    return undefined;
  }
}

const associatedData = ({ importId, firstLine }: MarkedChunk) => Buffer.from(`${importId}\0${firstLine}`);
