import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { deriveKeys } from '../../lib/derive-keys.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Purpose of the keys. Keys for other purposes are derived from the same API keys. */
const USE = 'marks of imported lines';

/** Binds the encrypted marks to their chunk, so that they cannot be exchanged for those of another chunk. */
export interface MarkedChunk {
  importId: string;
  firstLine: number;
}

/**
 * Encrypts the marks by which a resumed import recognises its lines (line-marks.ts). A line may hold a
 * plain-text password, which a reader of the database could quickly guess from plain SHA-256 digests. All
 * marks of a chunk are encrypted together, which costs almost nothing; an HMAC for each line would double the
 * cost of its digest (docs/adr/0031-marks-of-lines.md).
 */
export class MarkSeal {
  #keys: readonly Buffer[];

  /** @param secrets API keys of the service; the first encrypts, and any of them decrypts */
  constructor(secrets: readonly string[]) {
    this.#keys = deriveKeys(secrets, USE);
  }

  useSecrets(secrets: readonly string[]): void {
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

  /** Returns undefined if no key decrypts the marks, or if they belong to another chunk. */
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
      } catch {}
    }
    return undefined;
  }
}

const associatedData = ({ importId, firstLine }: MarkedChunk) => Buffer.from(`${importId}\0${firstLine}`);
