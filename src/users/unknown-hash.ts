import { whyAlgorithmIsNotTaken, whyHashIsNotTaken } from '../hashing/diagnose/not-taken.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import { AppError } from '../lib/errors.ts';
import { nearestNames } from '../lib/text/nearest-names.ts';
import { candidateFamilies } from './candidate-families.ts';
import type { SubmittedHash } from './submitted-hash.ts';

const ALL_NAMES = 'docs/hash-formats.md lists those of this service';
/** A longer name is none that was mistyped, and is not compared: a line of an import must not cost more than its hash. */
const LONGEST_NAME = 32;
/** Edits for each letter, beyond which two names have nothing to do with each other. */
const NEAR = 0.34;
const MOST_NAMES = 3;

/** The refusal of a hash without an algorithm that no family alone looks like. It names the families that the hash fits. */
export function unrecognisedHash(registry: HashRegistry, submitted: SubmittedHash): AppError {
  return new AppError(
    'PASSWORD_HASH_INVALID',
    `Password hash is in invalid format: ${whyNotTaken(registry, submitted)}`,
  );
}

function whyNotTaken(registry: HashRegistry, submitted: SubmittedHash): string {
  const namesOf = (one: SubmittedHash) =>
    candidateFamilies(registry, one)
      .map(({ verifier }) => verifier.algorithm)
      .join(', ');
  const names = namesOf(submitted);
  if (names !== '') return `name the hashingAlgorithm, one of ${names}`;
  const withoutSecret = submitted.secret.id === undefined ? '' : namesOf({ ...submitted, secret: {} });
  if (withoutSecret === '') return whyUnrecognised(submitted.encoded);
  return `the families that it fits take no secret (${withoutSecret}): leave out hashingSecretId, and name the hashingAlgorithm`;
}

/** The scheme of an LDAP directory or of crypt(3). Nothing else of a hash is short, and of these characters, and in these signs. */
const SCHEME = /^(?:\{[A-Za-z0-9_-]{1,20}\}|\$[A-Za-z0-9_-]{1,20}\$)/;

function whyUnrecognised(encoded: string): string {
  const known = whyHashIsNotTaken(encoded);
  if (known !== undefined) return known;
  const [scheme] = SCHEME.exec(encoded) ?? [];
  return scheme === undefined
    ? 'it looks like none that docs/hash-formats.md lists'
    : `what begins with ${scheme} and goes on like this is none that docs/hash-formats.md lists`;
}

const finders = new WeakMap<HashRegistry, (mistyped: string) => string[]>();

function finderOf(registry: HashRegistry): (mistyped: string) => string[] {
  const found = finders.get(registry);
  if (found !== undefined) return found;
  const names = registry.all.flatMap(({ algorithm, aliases }) => [algorithm, ...aliases]);
  const made = nearestNames(names, NEAR);
  finders.set(registry, made);
  return made;
}

/** The refusal of a name that is none of an algorithm. It does not repeat the name: that may be a hash in the wrong place. */
export function unknownAlgorithm(registry: HashRegistry, rawName: string): AppError {
  const name = rawName.length > LONGEST_NAME ? '' : rawName.toLowerCase();
  const reason = whyAlgorithmIsNotTaken(name);
  const near = name === '' ? [] : finderOf(registry)(name).slice(0, MOST_NAMES);
  const detail = reason ?? (near.length > 0 ? `did you mean ${near.join(', ')}? ${ALL_NAMES}` : ALL_NAMES);
  return new AppError('HASHING_ALGORITHM_UNSUPPORTED', `Unsupported password hashing algorithm: ${detail}`);
}
