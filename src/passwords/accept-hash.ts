import { FAMILIES } from '../hashing/families.ts';
import { HashRefused, whyAlgorithmIsNotTaken, whyHashIsNotTaken } from '../hashing/refused.ts';
import { candidateFamilies, type HashRegistry } from '../hashing/registry.ts';
import { UNKNOWN_SECRET } from '../hashing/secrets.ts';
import {
  type HashVerifier,
  type ParsedHash,
  type SecretChoice,
  type SubmittedHash,
  secretFor,
  tryParse,
} from '../hashing/verifier.ts';
import { AppError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json/json-object.ts';
import { stripControlAndSpace } from '../lib/text/characters.ts';
import { nearestNames } from '../lib/text/nearest-names.ts';
import type { NoHash } from './no-hash.ts';

const ALL_NAMES = 'docs/hash-formats.md lists the supported algorithms';
/** Longest name for which similar ones are suggested. The search must not cost more than importing a hash. */
const MAX_NAME_CHARACTERS = 32;
const MAX_EDITS_PER_LETTER = 0.34;
const MAX_SUGGESTIONS = 3;

/**
 * Returns the error for a hash whose algorithm is neither named nor recognised. The message lists the families that
 * fit.
 */
function unrecognisedHash(registry: HashRegistry, submitted: SubmittedHash): AppError {
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
  const allNames = () => registry.all.flatMap(({ name, aliases }) => [name, ...aliases]);
  const find = finders.get(registry) ?? nearestNames(allNames(), MAX_EDITS_PER_LETTER);
  finders.set(registry, find);
  return find(mistyped).slice(0, MAX_SUGGESTIONS);
}

/**
 * Returns the error for an unknown algorithm. The message does not repeat the name, because somebody may have put the
 * hash into the field.
 */
function unknownAlgorithm(registry: HashRegistry, rawName: string): AppError {
  const name = rawName.length > MAX_NAME_CHARACTERS ? '' : rawName.toLowerCase();
  const reason = whyAlgorithmIsNotTaken(name);
  const near = name === '' ? [] : nearNames(registry, name);
  const detail = reason ?? (near.length > 0 ? `did you mean ${near.join(', ')}? ${ALL_NAMES}` : ALL_NAMES);
  return new AppError('HASHING_ALGORITHM_UNSUPPORTED', `Unsupported password hashing algorithm: ${detail}`);
}

/** Names for the interface description. Requests may also use aliases. */
export const HASHING_ALGORITHMS: readonly string[] = FAMILIES.map(({ name }) => name);

/**
 * Parses a password hash without computing it. An accepted hash can be verified later.
 * @throws {AppError} with what is wrong, never with the hash
 */
export function acceptHash(
  registry: HashRegistry,
  rawHash: string,
  rawAlgorithm?: string,
  secret?: SecretChoice,
): ParsedHash {
  const accepted = tryAccept(registry, readHash(registry, rawHash, rawAlgorithm, secret));
  if (accepted instanceof AppError) throw accepted;
  return accepted;
}

/**
 * Prepares a hash for parsing: trims it, and finds the verifier that `rawAlgorithm` names.
 * @throws {AppError} if the hash or the algorithm is empty, or if the algorithm is unknown
 */
export function readHash(
  registry: HashRegistry,
  rawHash: string,
  rawAlgorithm?: string,
  secret: SecretChoice = {},
): SubmittedHash {
  const named = rawAlgorithm === undefined ? undefined : namedVerifier(registry, rawAlgorithm);
  const encoded = trimmed(registry, rawHash, named);
  if (encoded === '') throw new AppError('PASSWORD_HASH_EMPTY', 'Password hash cannot be an empty string');
  return { encoded, named, secret };
}

/**
 * Removes white space around a hash. It may be part of a salt in plain text, and is kept if the text is a valid hash
 * only with it. After a clear-text password, white space is always kept as part of the password.
 */
function trimmed(registry: HashRegistry, rawHash: string, named: HashVerifier | undefined): string {
  const encoded = stripControlAndSpace(rawHash);
  if (encoded === rawHash) return encoded;
  const own = named ?? registry.recognise(encoded);
  const read = own && tryParse(own, encoded);
  // The text ends with a password. Only a line break at its end cannot be part of the password.
  if (read !== undefined && !(read instanceof HashRefused) && read.clearText !== undefined)
    return rawHash.slice(rawHash.indexOf(encoded)).replace(/[\r\n]+$/, '');
  const isHash = (text: string) => {
    if (named === undefined) return registry.resembling(text).length > 0;
    const read = tryParse(named, text);
    return !(read instanceof HashRefused) || read.reason !== 'format';
  };
  return !isHash(encoded) && isHash(rawHash) ? rawHash : encoded;
}

/** Returns the parsed hash, or the error if the hash is refused. */
export function tryAccept(registry: HashRegistry, submitted: SubmittedHash): ParsedHash | AppError {
  const { encoded, named, secret } = submitted;
  const verifier = named ?? registry.recognise(encoded);
  if (verifier === undefined) return unrecognisedHash(registry, submitted);
  const read = tryParse(verifier, encoded, secretFor(verifier, secret));
  return read instanceof HashRefused ? refusal(read, verifier) : read;
}

/** @throws {AppError} if no hashing secret has this id */
export function requireSecret({ secrets }: HashRegistry, id: string | undefined): void {
  if (id === undefined || secrets.has(id)) return;
  throw new AppError('HASHING_SECRET_MISSING', UNKNOWN_SECRET);
}

function namedVerifier(registry: HashRegistry, rawAlgorithm: string): HashVerifier {
  const name = stripControlAndSpace(rawAlgorithm);
  if (name === '')
    throw new AppError('HASHING_ALGORITHM_EMPTY', 'Hashing Algorithm cannot be an empty string');
  const verifier = registry.named(name);
  if (verifier === undefined) throw unknownAlgorithm(registry, name);
  return verifier;
}

function refusal(refused: HashRefused, { title }: HashVerifier): AppError {
  const { reason, message } = refused;
  const refusals = {
    format: ['PASSWORD_HASH_INVALID', `Password hash is in invalid ${title} format: ${message}`],
    cost: ['PASSWORD_HASH_COST', `Password hash cost is not allowed: ${message}`],
    secret: ['HASHING_SECRET_MISSING', message],
    'signer-key-missing': [
      'SIGNER_KEY_NOT_CONFIGURED',
      "'external_password_hashing_signer_key' is not configured",
    ],
    unavailable: ['HASHING_ALGORITHM_UNSUPPORTED', message],
  } as const;
  const [code, text] = refusals[reason];
  return new AppError(code, text, { cause: refused });
}

/** Exactly one of these members of a request must be given. */
const CREDENTIAL_MEMBERS = ['passwordHash', 'plainTextPassword', 'password', 'legacySignIn'] as const;

/** Reads `"password":"unset"` or `"legacySignIn":true`, either of which takes the place of a hash. */
export function readNoHash(members: JsonObject): NoHash | { problem: string } | undefined {
  const { password, legacySignIn } = members;
  if (password === undefined && legacySignIn === undefined) return undefined;
  const given = CREDENTIAL_MEMBERS.filter((name) => members[name] !== undefined);
  if (given.length > 1) {
    return { problem: `Only one of ${given.slice(0, -1).join(', ')} and ${given.at(-1)} can be given` };
  }
  // The message does not repeat the value, which may be a password sent by mistake.
  if (password !== undefined)
    return password === 'unset' ? 'unset' : { problem: 'password can only be "unset"' };
  return legacySignIn === true ? 'waiting' : { problem: 'legacySignIn can only be true' };
}
