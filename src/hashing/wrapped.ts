import { bytesOf, isPart } from './encodings.ts';
import { argon2 } from './families/argon2.ts';
import type { Family } from './family.ts';
import type { HashCost, HashForm } from './form.ts';
import { OpenedHash } from './form.ts';
import { HashRefused, orRefusal } from './refused.ts';

/** Family name that is saved beside wrapped hashes, in which argon2id hashes the digest of a weak hash. */
export const WRAPPED = 'wrapped';

/** The inner hash comes last, because it may contain any character. */
const FORM =
  /^\$wrapped\$(?<name>[a-z0-9_-]+)(?<outer>\$argon2id\$v=19\$[^$]+\$[^$]+\$[^$]+)\$(?<inner>.+)$/s;

/** An arbitrary password. Its digest shows whether a computed digest is as long as the stored one. */
const TRIAL = Buffer.from('password');
const NO_SECRET = Buffer.alloc(0);

/** A parsed hash and its family, which can parse the text again. */
interface NamedHash {
  family: Family;
  encoded: string;
  opened: OpenedHash;
}

const textOf = (family: string, outer: string, inner: string) => `$${WRAPPED}$${family}${outer}$${inner}`;

/**
 * Returns the family of wrapped hashes. Such a hash contains an imported hash with zeros in place of its digest, and an
 * argon2id hash of that digest. The database then contains nothing that is as cheap to guess as the imported hash was.
 * No system exports such hashes, and no request may contain one.
 */
export function wrappedOf(families: readonly Family[]): Family {
  const innerOf = (encoded: string) => {
    const name = FORM.exec(encoded)?.groups?.name;
    return families.find((one) => one.name === name);
  };
  return {
    name: WRAPPED,
    title: WRAPPED,
    aliases: [],
    superTokensName: WRAPPED,
    looksLike: '',
    strength: 'strong',
    forms: [],
    byName: true,
    rank: 0,
    secret: 'optional',
    recognises: () => false,
    resembles: () => false,
    innerOf,
    read(encoded) {
      const { outer: outerText = '', inner: innerText = '' } = FORM.exec(encoded)?.groups ?? {};
      const family = innerOf(encoded);
      if (family === undefined)
        throw new HashRefused(
          'format',
          'expected $wrapped$, an algorithm, an argon2id hash and the inner hash',
        );
      const inner = { family, encoded: innerText, opened: family.read(innerText) };
      const outer = { family: argon2, encoded: outerText, opened: argon2.read(outerText) };
      return new OpenedHash(formOf(inner, outer), encoded, {});
    },
  };
}

/**
 * Returns the cost of both hashes. Both are computed where the inner hash must be computed, unless that is the event
 * loop.
 */
function costOf({ cost: own }: OpenedHash, { cost: around }: OpenedHash): HashCost {
  return {
    memoryBytes: Math.max(own.memoryBytes, around.memoryBytes),
    ms: own.ms + around.ms,
    ...(own.runsOn !== undefined && own.runsOn !== 'event-loop' && { runsOn: own.runsOn }),
  };
}

function formOf(inner: NamedHash, outer: NamedHash): HashForm {
  const { options, formula, owner } = inner.opened.form;
  return {
    owner,
    formula: {
      digest: () => outer.opened.digest,
      async of({ password, secret }) {
        const digest = await inner.opened.compute(password, secret);
        return digest && outer.opened.compute(digest, NO_SECRET);
      },
      cost: () => costOf(inner.opened, outer.opened),
      strength: 'strong',
      time: formula.time,
      describe: () => ({ ...outer.opened.describe(), inner: inner.family.name }),
      identityText: () => textOf(inner.family.name, outer.encoded, inner.encoded),
      ...(formula.unavailable && { unavailable: () => formula.unavailable?.() }),
    },
    options: {
      ...(options.second && { second: options.second }),
      ...(options.secret && { secret: options.secret }),
      key: {
        of: (password) => password,
        isOnly: (password, { secret }) => inner.opened.isOnly(password, secret),
      },
    },
    zeroed: () => textOf(inner.family.name, outer.opened.decoy(), inner.opened.decoy()),
  };
}

export interface Wrapping {
  digest: Buffer;
  /** @param outer text of an argon2id hash of the digest in the broken hash */
  around(outer: string): string;
}

/**
 * Returns how to wrap a hash. Undefined if the digest cannot be removed, or if verification needs it. Such a hash must
 * not be wrapped: without its digest, every password would seem wrong.
 */
export async function wrappingOf(
  family: Pick<Family, 'name' | 'read'>,
  opened: OpenedHash,
  secret: Buffer,
): Promise<Wrapping | undefined> {
  if (family.name === WRAPPED) return undefined;
  const { digest } = opened;
  const encoded = opened.shell();
  const inner = orRefusal(() => family.read(encoded));
  if (inner instanceof HashRefused || containsDigest(inner, digest)) return undefined;
  const wrapping = { digest, around: (outer: string) => textOf(family.name, outer, encoded) };
  // A formula with `unavailable` runs a native library, which may crash: compute no hash of it in this process.
  if (opened.form.formula.unavailable !== undefined) return wrapping;
  // Some families stop computing when the stored digest differs, so the computed digest is shorter. Their hashes are
  // not wrapped.
  const tried = await inner.compute(TRIAL, secret);
  return tried === undefined || tried.length === digest.length ? wrapping : undefined;
}

/** Returns whether the hash still shows the digest, because it is the salt as well. */
const containsDigest = ({ parts, encoded }: OpenedHash, digest: Buffer) =>
  encoded.toLowerCase().includes(digest.toString('hex')) ||
  Object.values(parts).some((part) => isPart(part) && bytesOf(part).equals(digest));
