import { candidateFamilies } from '../hashing/candidate-families.ts';
import { whyAlgorithmIsNotTaken, whyHashIsNotTaken } from '../hashing/not-taken.ts';
import type { HashRegistry } from '../hashing/registry.ts';
import type { SubmittedHash } from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import { nearestNames } from '../lib/text/nearest-names.ts';

const ALL_NAMES = 'docs/hash-formats.md lists the supported algorithms';
/** Longest name for which similar ones are suggested. The search must not cost more than importing a hash. */
const MAX_NAME_CHARACTERS = 32;
const MAX_EDITS_PER_LETTER = 0.34;
const MAX_SUGGESTIONS = 3;

/** The message lists the families that fit a hash whose algorithm is neither named nor recognised. */
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
  return `the families that it fits (${withoutSecret}) take no secret: leave out hashingSecretId, and name the hashingAlgorithm`;
}

/**
 * Scheme of an LDAP directory or of crypt(3), such as `{SSHA}` or `$2y$`. An error message may repeat it,
 * because no secret part of a hash is this short and enclosed in these characters.
 */
const SCHEME = /^(?:\{[A-Za-z0-9_-]{1,20}\}|\$[A-Za-z0-9_-]{1,20}\$)/;

function whyUnrecognised(encoded: string): string {
  const known = whyHashIsNotTaken(encoded);
  if (known !== undefined) return known;
  const [scheme] = SCHEME.exec(encoded) ?? [];
  return scheme === undefined
    ? 'it has none of the formats in docs/hash-formats.md'
    : `it begins with ${scheme} but has none of the formats in docs/hash-formats.md`;
}

const finders = new WeakMap<HashRegistry, (mistyped: string) => string[]>();

function nearNames(registry: HashRegistry, mistyped: string): string[] {
  const allNames = () => registry.all.flatMap(({ algorithm, family }) => [algorithm, ...family.aliases]);
  const find = finders.get(registry) ?? nearestNames(allNames(), MAX_EDITS_PER_LETTER);
  finders.set(registry, find);
  return find(mistyped).slice(0, MAX_SUGGESTIONS);
}

/** The message does not repeat the unknown name: somebody may have put the hash into the field. */
export function unknownAlgorithm(registry: HashRegistry, rawName: string): AppError {
  const name = rawName.length > MAX_NAME_CHARACTERS ? '' : rawName.toLowerCase();
  const reason = whyAlgorithmIsNotTaken(name);
  const near = name === '' ? [] : nearNames(registry, name);
  const detail = reason ?? (near.length > 0 ? `did you mean ${near.join(', ')}? ${ALL_NAMES}` : ALL_NAMES);
  return new AppError('HASHING_ALGORITHM_UNSUPPORTED', `Unsupported password hashing algorithm: ${detail}`);
}
