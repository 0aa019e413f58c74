import type { ErrorCode } from '../../lib/errors.ts';
import { ExactNumber } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { isPostgresText, isWellFormed } from '../../lib/text/characters.ts';
import { isLongerThan } from '../../users/user.ts';
import type { ValidationError } from './parsed-user.ts';

/**
 * Properties of one member of a user in the JSON of an import. USER_FIELDS and LOGIN_METHOD_FIELDS list every
 * member: code can read only listed members (otherwise a type error), and a staged user keeps all but
 * secrets. A test compares the tables with the code and the interface description.
 */
interface PayloadField {
  /** Left out of the stored JSON of a staged user. Hashes and factors are stored in columns of their own. */
  secret?: true;
  recipe?: 'emailpassword' | 'thirdparty';
}

export const USER_FIELDS = {
  externalUserId: {},
  userMetadata: {},
  disabled: {},
  userRoles: { secret: true },
  totpDevices: { secret: true },
  phoneNumbers: { secret: true },
  loginMethods: {},
} as const satisfies Record<string, PayloadField>;

export const LOGIN_METHOD_FIELDS = {
  recipeId: {},
  tenantIds: {},
  email: {},
  isVerified: {},
  isPrimary: {},
  timeJoinedInMSSinceEpoch: {},
  externalUserId: {},
  passwordHash: { recipe: 'emailpassword', secret: true },
  hashingAlgorithm: { recipe: 'emailpassword', secret: true },
  hashingSecretId: { recipe: 'emailpassword', secret: true },
  plainTextPassword: { recipe: 'emailpassword', secret: true },
  // `password` and `legacySignIn` contain no secret: their only values are "unset" and true.
  password: { recipe: 'emailpassword' },
  legacySignIn: { recipe: 'emailpassword' },
  thirdPartyId: { recipe: 'thirdparty' },
  thirdPartyUserId: { recipe: 'thirdparty' },
} as const satisfies Record<string, PayloadField>;

/** Members of a TOTP device and of a role. For a staged user, they are stored encrypted in a column of their own. */
const FACTOR_FIELDS = [
  'secretKey',
  'period',
  'skew',
  'digits',
  'algorithm',
  'deviceName',
  'role',
  'tenantIds',
] as const;

type PayloadFieldName =
  | keyof typeof USER_FIELDS
  | keyof typeof LOGIN_METHOD_FIELDS
  | (typeof FACTOR_FIELDS)[number];

export const STAGED_USER_FIELDS: readonly string[] = Object.entries<PayloadField>(USER_FIELDS).flatMap(
  ([name, { secret }]) => (secret ? [] : name),
);

export function stagedMethodFields(recipeId: unknown): string[] {
  return Object.entries<PayloadField>(LOGIN_METHOD_FIELDS).flatMap(([name, { recipe, secret }]) =>
    secret || (recipe !== undefined && recipe !== recipeId) ? [] : name,
  );
}

/** Errors of a user payload. The same error in several login methods is reported once. */
export class ValidationErrors {
  #byMessage: Map<string, ValidationError> | undefined;

  add(message: string, code: ErrorCode = 'FIELD_INVALID'): void {
    this.#byMessage ??= new Map();
    if (!this.#byMessage.has(message)) this.#byMessage.set(message, { code, message });
  }

  all(): ValidationError[] {
    return this.#byMessage === undefined ? [] : [...this.#byMessage.values()];
  }
}

/**
 * Reads the members of one JSON object of a user payload. Error messages are those of SuperTokens core, which
 * clients know. An invalid member adds an error and reads as undefined, like a missing one. Null is invalid,
 * and so is an empty id.
 */
export class FieldReader {
  readonly members: JsonObject;
  readonly errors: ValidationErrors;
  /** End of each error message, which names the object of the user payload that the member belongs to. */
  readonly #suffix: string;

  constructor(members: JsonObject, suffix: string, errors: ValidationErrors) {
    this.members = members;
    this.errors = errors;
    this.#suffix = suffix;
  }

  addError(what: string): void {
    this.errors.add(`${what}${this.#suffix}`);
  }

  /** Returns whether the member is there, valid or not. Adds an error if it is missing. */
  require(name: PayloadFieldName): boolean {
    if (this.members[name] !== undefined) return true;
    this.addError(`${name} is required`);
    return false;
  }

  text(name: PayloadFieldName, maxCharacters: number): string | undefined {
    const value = this.#ofType(name, 'string', isText);
    if (value === undefined) return undefined;
    if (isLongerThan(value, maxCharacters)) {
      // The message has no suffix, because that of SuperTokens core does not name the object either.
      this.errors.add(`${name} is too long. Max length is ${maxCharacters}.`);
      return undefined;
    }
    if (isWellFormed(value)) return value;
    this.addError(`${name} must be text without half surrogate pairs`);
    return undefined;
  }

  /** Reads a non-empty string without NUL, which PostgreSQL cannot store. `text` permits both. */
  id(name: PayloadFieldName, maxCharacters: number): string | undefined {
    if (this.#ofType(name, 'string', isFilledText) === undefined) return undefined;
    const value = this.text(name, maxCharacters);
    if (value === undefined || isPostgresText(value)) return value;
    this.addError(`${name} must be text without NUL characters`);
    return undefined;
  }

  flag(name: PayloadFieldName): boolean | undefined {
    return this.#ofType(name, 'boolean', isFlag);
  }

  integer(name: PayloadFieldName): number | undefined {
    return this.#ofType(name, 'integer', isInteger);
  }

  object(name: PayloadFieldName): JsonObject | undefined {
    return this.#ofType(name, 'object', isJsonObject);
  }

  objects(name: PayloadFieldName): readonly JsonObject[] | undefined {
    return this.#ofType(name, 'array of object', isObjects);
  }

  texts(name: PayloadFieldName): readonly string[] | undefined {
    return this.#ofType(name, 'array of string', isFilledTexts);
  }

  tenants(): readonly string[] | undefined {
    const tenantIds = this.texts('tenantIds');
    if (tenantIds?.some((tenantId) => tenantId !== 'public')) {
      this.errors.add(
        'Multitenancy must be enabled before importing users to a different tenant. This service has public only.',
      );
    }
    return tenantIds;
  }

  #ofType<T>(name: PayloadFieldName, type: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.members[name];
    if (value === undefined || is(value)) return value;
    this.addError(`${name} should be of type ${type}`);
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isFilledTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isFilledText);
const isObjects = (value: unknown): value is JsonObject[] =>
  Array.isArray(value) && value.every(isJsonObject);
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isInteger(value);

/**
 * Maximum depth of nested metadata. Limits the recursion of this check, of `toJson`, and of programs that read the
 * metadata later.
 */
const MAX_DEPTH = 64;

/**
 * Returns why metadata cannot be stored: the end of a sentence that begins with the field's name. Any number is
 * accepted, because numbers are stored as text.
 */
export function metadataProblem(value: unknown, depth = 1): string | undefined {
  if (typeof value === 'string') {
    return isPostgresText(value)
      ? undefined
      : 'must hold only text without NUL characters or half surrogate pairs';
  }
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return undefined;
  if (depth > MAX_DEPTH) return `is nested too deep. Max depth is ${MAX_DEPTH}`;
  for (const key of Object.keys(value)) {
    const problem =
      metadataProblem(key) ?? metadataProblem((value as Record<string, unknown>)[key], depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
