import { timingSafeEqual } from 'node:crypto';
import { bytesOf, type HashPart, isPart } from './encodings.ts';

import type { DigestName, Pbkdf2Digest } from './kdf/digests.ts';
import { BYTES, type PasswordReading, type SecondReading, UTF16 } from './kdf/password-reading.ts';
import { HashRefused } from './refused.ts';
import type { OwnParts, Parts, TemplateOptions } from './template.ts';

/**
 * `legacy`: salted and iterated, but cheap to guess. `broken`: one or a few digests, no salt, or reversible.
 */
export type Strength = 'strong' | 'legacy' | 'broken';

export interface HashCost {
  /** Peak memory of a verification, in bytes. */
  memoryBytes: number;
  /**
   * Milliseconds on one thread of the reference machine (docs/hash-reference.md), however fast this machine
   * is. All instances must accept the same hashes, today and after a move to other hardware.
   */
  ms: number;
  /**
   * Place where the hash is computed, if not on libuv's threads. `event-loop`: takes microseconds. `process`: a
   * loop of rounds in JavaScript, or a native library that may crash, in a process for hashing.
   */
  runsOn?: 'event-loop' | 'process';
}

/** Values from which a formula computes a digest. Parts that a hash does not have are empty. */
export interface Inputs {
  password: Buffer;
  salt: Buffer;
  user: Buffer;
  secret: Buffer;
  /** Stored digest. Most formulas only use its length. PBKDF2 also compares the first block with it, to stop early. */
  hash: Buffer;
  parts: Parts;
}

/** Computation of digests, which is the same for all spellings of a hash. */
export interface Formula {
  /**
   * Name in identities, which must not change, because stored fingerprints were made of them. Defaults to the family
   * that owns the form.
   */
  family?: string;
  /** Name of the part with the stored digest. Defaults to `hash`. */
  digestPart?: string;
  /** Returns the stored digest, by default the bytes of `digestPart`. */
  digest?(parts: Parts): Buffer;
  /**
   * Returns the digest of a password, or undefined if no password of these bytes can match.
   * @throws what the library throws: a failure must never count as a wrong password
   */
  of(inputs: Inputs): Promise<Buffer | undefined> | Buffer | undefined;
  /** @throws {HashRefused} `format` or `cost` for parameters that no password can be verified with */
  cost(parts: Parts): HashCost;
  strength: Strength | ((parts: Parts) => Strength);
  /** Time of one verification on the reference machine, with examples, for docs/hash-reference.md. */
  time: string;
  /** Returns whether no other bytes give the same digest. `isUtf16`: the bytes are a text in UTF-16. */
  isOnlyKey?(key: Buffer, parts: Parts, isUtf16: boolean): boolean;
  /** Returns the hash as parameters of a public algorithm, if that digests the password's bytes as they are. */
  portable?(parts: Parts): PortableHash | undefined;
  /** Returns the parts that identify the hash in all spellings. Defaults to all parts. */
  identity?(parts: Parts): object;
  /** Returns the whole identity, if it is not made of parts. */
  identityText?(): string;
  /** Returns the parts to describe, with values for people. Defaults to all parts. */
  describe?(parts: Parts): Parts;
  /** Returns the password if the hash contains it in the clear or in reversible form. */
  clearText?(parts: Parts): string;
  /** Returns why this machine cannot compute the formula, for operators. Called for each hash. */
  unavailable?(): string | undefined;
}

/** Computation of the bytes that the formula receives instead of the password, such as its MD5. */
export interface Key {
  of(password: Buffer, secret: Buffer, parts: Parts): Promise<Buffer | undefined> | Buffer | undefined;
  /** Returns whether no other password gives the same key. True by default, because most keys are digests. */
  isOnly?(
    password: Buffer,
    context: { isOnlyKey(bytes: Buffer): boolean; secret: Buffer; parts: Parts },
  ): boolean;
  /** Returns what else the key is computed from, such as a salt, to distinguish hashes with the same digest. */
  identity?(parts: Parts): string;
  /**
   * Number of the key in identities, which must not change, because stored fingerprints were made of them. Defaults to
   * 0.
   */
  number?: number;
}

export interface FormOptions extends TemplateOptions {
  /** Accepted only if the request names the family. */
  byName?: true;
  /**
   * Returns the parts of a hash whose parts are not written one by one. May change `parts` and return them. Packed
   * parts must be views into `packed`, the bytes of the part of this name.
   * @throws {HashRefused} `format`
   */
  open?(parts: OwnParts, packed: Buffer): Parts;
  /** Corrects packed bytes after parts of them were replaced by zeros. */
  sealPacked?(packed: Buffer): void;
  /** @throws {HashRefused} if the parts break a rule that the template cannot express */
  check?(parts: Parts): void;
  /** @throws {HashRefused} if a hash of these parts cannot have been made with the secret */
  checkSecret?(parts: Parts, secret: Uint8Array | undefined): void;
  /** Which bytes of the password are digested. Defaults to all of them. */
  reading?: PasswordReading | ((parts: Parts) => PasswordReading);
  /** Second form of a password, tried if the first does not match. */
  second?: SecondReading;
  /** Bytes that replace the password, such as its MD5. */
  key?: Key;
  /** Whether the hashes need a configured secret, which the formula or the key takes. */
  secret?: 'required' | 'optional';
  /** Returns the parts that identify the hash, unless the formula has an `identity`. */
  identity?(parts: Parts): object;
  /** Strength of the hashes, unless the formula says `broken`. */
  strength?: Strength;
  /** Words that decoys have instead of those of the hash, because these words do not matter for the cost. */
  decoy?: Readonly<Record<string, string>>;
}

/** What a hash uses of the form in which it is spelled. */
export interface HashForm {
  readonly formula: Formula;
  readonly options: FormOptions;
  /** Family that owns the form. Other families may use it, too. */
  owner?: string | undefined;
  last?: LastDecoy;
  /** Writes the hash with zeros in place of the bytes of these parts, by default of all. */
  zeroed(opened: OpenedHash, names?: ReadonlySet<string>, words?: Parts): string;
}

/** Returns the part of this name, which a hash of the form always has. */
export function part(parts: Parts, name: string): HashPart {
  const found = parts[name];
  if (isPart(found)) return found;
  throw new Error(`a hash without ${name}`);
}

/** Returns the bytes of a part, or no bytes if the hash does not have the part. */
export function bytes(parts: Parts, name: string): Buffer {
  const found = parts[name];
  return isPart(found) ? bytesOf(found) : NOTHING;
}

export const number = (parts: Parts, name: string) => Number(parts[name]);

/** @throws {HashRefused} `format` if the condition does not hold */
export function refuseUnless(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new HashRefused('format', problem);
}

/** @throws {HashRefused} `format` if the hash is not of this length */
export function refuseLength(parts: Parts, expected: unknown): void {
  const { length } = part(parts, 'hash');
  refuseUnless(length === expected, `hash must be ${expected} bytes long, got ${length}`);
}

/**
 * Minimum bytes of a digest for which no other password can be found by trying. With four bytes, 2^32 attempts are
 * enough. DES has eight.
 */
const MIN_ONLY_DIGEST_BYTES = 8;
/**
 * Minimum bytes of a digest that was made with a secret. A made-up hash with a shorter digest would match now and then,
 * and so reveal the result for a password and the secret.
 */
const MIN_SECRET_DIGEST_BYTES = 16;
/** Names of parts with a digest, besides that of the formula. */
const OTHER_DIGESTS = ['other', 'stored', 'server'];
const NOTHING = Buffer.alloc(0);

/** Decoy of the last hash of a form, and what determines the decoy. Contains nothing of salt and digest. */
export interface LastDecoy {
  decoy: string;
  encodedLength: number;
  /** Words and numbers of the hash, and lengths of its parts, by name. */
  shape: ReadonlyMap<string, Parts[string]>;
}

const shapeOf = (part: Parts[string]) => (isPart(part) ? part.length : part);

/** A hash that was read, with everything that follows from its form and parts. */
export class OpenedHash {
  readonly encoded: string;
  // Private fields, because the hash must not appear in logs and messages between processes.
  readonly #form: HashForm;
  readonly #parts: Parts;
  readonly #inner: OpenedHash | undefined;

  /**
   * @param parts as the formula names them
   * @param inner the decoded hash, if the whole hash was encoded once more, such as in base64
   */
  constructor(form: HashForm, encoded: string, parts: Parts, inner?: OpenedHash) {
    this.encoded = encoded;
    this.#form = form;
    this.#parts = parts;
    this.#inner = inner;
  }

  get form(): HashForm {
    return this.#form;
  }

  get parts(): Parts {
    return this.#parts;
  }

  get inner(): OpenedHash | undefined {
    return this.#inner;
  }

  get #reading(): PasswordReading {
    const { reading = BYTES } = this.#form.options;
    return typeof reading === 'function' ? reading(this.#parts) : reading;
  }

  get cost(): HashCost {
    return this.#form.formula.cost(this.#parts);
  }

  get strength(): Strength {
    const { formula, options } = this.#form;
    const own = typeof formula.strength === 'string' ? formula.strength : formula.strength(this.#parts);
    return own === 'broken' ? own : (options.strength ?? own);
  }

  /** The stored digest. */
  get digest(): Buffer {
    const { formula } = this.#form;
    return formula.digest?.(this.#parts) ?? bytes(this.#parts, formula.digestPart ?? 'hash');
  }

  /** Returns the digest of a password, or undefined if no password of these bytes can match. */
  async compute(password: Buffer, secret: Buffer): Promise<Buffer | undefined> {
    const { formula, options } = this.#form;
    // The key is made of the password as typed. The reading (such as UTF-16) then applies to the key.
    const key = options.key === undefined ? password : await options.key.of(password, secret, this.#parts);
    const read = this.#reading.of(key ?? NOTHING);
    if (read === undefined) return undefined;
    const parts = this.#parts;
    const [salt, user, hash] = [bytes(parts, 'salt'), bytes(parts, 'user'), bytes(parts, 'hash')];
    const digest = await formula.of({ password: read, salt, user, hash, secret, parts });
    // Without a key that can match, the digest is computed only to make the answer take as long as usual.
    return key && digest;
  }

  async matches(password: Buffer, secret: Buffer): Promise<boolean> {
    const computed = await this.compute(password, secret);
    const stored = this.digest;
    return computed !== undefined && computed.length === stored.length && timingSafeEqual(computed, stored);
  }

  /** Returns whether no other password that people could type has the same digest as this one. */
  isOnly(password: Buffer, secret: Buffer): boolean {
    const { formula, options } = this.#form;
    const parts = this.#parts;
    if (this.digest.length < MIN_ONLY_DIGEST_BYTES) return false;
    if (options.second?.mayBeOfAnother(password)) return false;
    const reading = this.#reading;
    const isOnlyKey = (key: Buffer) => {
      const read = reading.of(key);
      if (read === undefined || !reading.isOnly(key)) return false;
      return formula.isOnlyKey?.(read, parts, reading === UTF16) !== false;
    };
    if (options.key === undefined) return isOnlyKey(password);
    return options.key.isOnly?.(password, { isOnlyKey, secret, parts }) !== false;
  }

  /** The hash as parameters of a public algorithm. Undefined if verifying it takes more than this algorithm. */
  get portable(): PortableHash | undefined {
    const { formula, options } = this.#form;
    const isPlain = this.#reading.keepsText && options.key === undefined && options.secret === undefined;
    return isPlain ? formula.portable?.(this.#parts) : undefined;
  }

  /** Returns a hash of zeros with the same cost, which reveals nothing of the hash. */
  decoy(): string {
    const form = this.#form;
    // The decoys of these hashes are not reused, because equal parts may be spelled differently.
    if (form.options.open !== undefined) return form.zeroed(this, undefined, form.options.decoy);
    if (form.last === undefined || !this.#hasShapeOf(form.last)) {
      form.last = {
        decoy: form.zeroed(this, undefined, form.options.decoy),
        encodedLength: this.encoded.length,
        shape: new Map(Object.entries(this.#parts).map(([name, part]) => [name, shapeOf(part)])),
      };
    }
    return form.last.decoy;
  }

  /**
   * Returns whether the hash has the shape of the last one, so that its decoy can be reused. Successive hashes of an
   * import mostly have the same shape, and each is counted by its decoy.
   */
  #hasShapeOf({ encodedLength, shape }: LastDecoy): boolean {
    if (encodedLength !== this.encoded.length) return false;
    let names = 0;
    for (const name in this.#parts) {
      if (shape.get(name) !== shapeOf(this.#parts[name])) return false;
      names += 1;
    }
    return names === shape.size;
  }

  /**
   * Returns the hash with zeros in place of its digest, as a wrapped hash keeps it. It contains nothing by which
   * passwords could be guessed.
   */
  shell(): string {
    return this.#form.zeroed(this, new Set([this.#form.formula.digestPart ?? 'hash', ...OTHER_DIGESTS]));
  }

  /** Returns the numbers and words of the hash and the lengths of its parts, and nothing of salt and digest. */
  describe(): Readonly<Record<string, string | number>> {
    const shown = Object.entries(this.#form.formula.describe?.(this.#parts) ?? this.#parts);
    return Object.fromEntries(
      shown.flatMap(([name, value]): [string, string | number][] => {
        if (value === undefined || name === 'packed') return [];
        return [isPart(value) ? [`${name}Bytes`, value.length] : [name, value]];
      }),
    );
  }

  /**
   * Returns a text that is the same for all spellings of a hash, and differs for every other hash.
   * @param family the family that parses the hash
   */
  identityIn(family: string): string {
    const { formula, options, owner } = this.#form;
    if (formula.identityText !== undefined) return formula.identityText();
    const own = formula.identity?.(this.#parts) ?? options.identity?.(this.#parts) ?? this.#parts;
    const hash = `${formula.family ?? owner} ${identityText(own)}`;
    if (options.key === undefined) return hash;
    return [family, options.key.number ?? 0, options.key.identity?.(this.#parts) ?? '', hash].join(' ');
  }

  /** @throws {HashRefused} `secret` or `format` if the hash cannot be verified with this secret */
  checkUsable(family: string, secret: Uint8Array | undefined): void {
    const { options } = this.#form;
    options.checkSecret?.(this.#parts, secret);
    if (options.checkSecret !== undefined || options.secret === undefined) return;
    if (secret === undefined) {
      if (options.secret === 'optional') return;
      throw new HashRefused(
        'secret',
        `'hashing_secrets' has no entry for ${family}: add one with that algorithm, or name another by its id (hashingSecretId)`,
      );
    }
    if (this.digest.length < MIN_SECRET_DIGEST_BYTES)
      throw new HashRefused(
        'format',
        `digest must be at least ${MIN_SECRET_DIGEST_BYTES} bytes long in a hash that was made with a secret`,
      );
  }

  /** @throws {HashRefused} `unavailable`, such as for a library that is not installed */
  checkAvailable(family: string): void {
    const why = this.#form.formula.unavailable?.();
    if (why !== undefined)
      throw new HashRefused('unavailable', `${family} hashes cannot be verified here: ${why}`);
  }
}

/** Returns the members as a text, in sorted order, and the decoded bytes of parts. Empty parts are left out. */
export function identityText(value: unknown): string {
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (isPart(value)) return identityText(bytesOf(value));
  if (Array.isArray(value)) return `[${value.map(identityText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([name, one]) => name !== 'packed' && one !== undefined && !(isPart(one) && one.length === 0))
    .map(([name, one]) => `${JSON.stringify(name)}:${identityText(one)}`);
  return `{${members.sort().join()}}`;
}

/**
 * Hash as parameters of a public algorithm, which digests the password's bytes in UTF-8. Only Firebase's scrypt needs a
 * secret, its signer key, which the hash never contains.
 */
export type PortableHash =
  | { kind: 'bcrypt'; variant: string; cost: number; encoded: string }
  | {
      kind: 'argon2';
      type: 'd' | 'i' | 'id';
      version: 16 | 19;
      memoryKb: number;
      iterations: number;
      parallelism: number;
      salt: Buffer;
      hash: Buffer;
    }
  | { kind: 'pbkdf2'; digest: Pbkdf2Digest; iterations: number; salt: Buffer; hash: Buffer }
  | { kind: 'scrypt'; log2N: number; r: number; p: number; salt: Buffer; hash: Buffer }
  | {
      kind: 'firebase-scrypt';
      memCost: number;
      rounds: number;
      salt: Buffer;
      separator: Buffer;
      hash: Buffer;
    }
  | { kind: 'digest'; digest: DigestName; salt: Buffer; isSaltFirst: boolean; hash: Buffer }
  | { kind: 'hmac'; digest: DigestName; key: Buffer; hash: Buffer }
  /** Hash of crypt(3). `rest` is the hash after its prefix, such as `$5$`. */
  | { kind: 'crypt'; prefix: '$1$' | '$5$' | '$6$'; rest: string }
  | { kind: 'phpass'; encoded: string };
