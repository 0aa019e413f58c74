import type { ErrorCode } from '../../lib/errors.ts';
import { isPostgresText, isWellFormed } from '../../lib/text/postgres-text.ts';
import { isLongerThan } from '../../users/max-characters.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';
import type { ValidationError } from './parsed-user.ts';

/** All that is wrong with a user form. Each problem is told once, however many login methods have it. */
export class ValidationErrors {
  readonly #byMessage = new Map<string, ValidationError>();

  add(message: string, code: ErrorCode = 'FIELD_INVALID'): void {
    if (!this.#byMessage.has(message)) this.#byMessage.set(message, { code, message });
  }

  all(): ValidationError[] {
    return [...this.#byMessage.values()];
  }
}

/**
 * Reads members of one object of a user form, with the messages of SuperTokens core, which clients know. A member that
 * is wrong is a problem and reads as undefined, as one that is not there. Null is wrong, and so is an empty id.
 */
export class FieldReader {
  readonly members: JsonObject;
  readonly problems: ValidationErrors;
  /** What a message ends with: whose member it is. */
  readonly #suffix: string;

  constructor(members: JsonObject, suffix: string, problems: ValidationErrors) {
    this.members = members;
    this.problems = problems;
    this.#suffix = suffix;
  }

  /** Adds the problem `<what><suffix>`. */
  problem(what: string): void {
    this.problems.add(`${what}${this.#suffix}`);
  }

  /** Is the member there, right or wrong? If not, that is a problem. */
  require(name: string): boolean {
    if (this.members[name] !== undefined) return true;
    this.problem(`${name} is required`);
    return false;
  }

  /** Any text that UTF-8 can carry. */
  text(name: string, maxCharacters: number): string | undefined {
    const value = this.#ofType(name, 'string', isText);
    if (value === undefined) return undefined;
    if (isLongerThan(value, maxCharacters)) {
      // Not with the suffix: core's sentence.
      this.problems.add(`${name} is too long. Max length is ${maxCharacters}.`);
      return undefined;
    }
    if (isWellFormed(value)) return value;
    this.problem(`${name} must be text without half surrogate pairs`);
    return undefined;
  }

  /** Text that is not empty and can be kept as it is. */
  id(name: string, maxCharacters: number): string | undefined {
    if (this.#ofType(name, 'string', isFilledText) === undefined) return undefined;
    const value = this.text(name, maxCharacters);
    if (value === undefined || isPostgresText(value)) return value;
    this.problem(`${name} must be text without NUL characters`);
    return undefined;
  }

  flag(name: string): boolean | undefined {
    return this.#ofType(name, 'boolean', isFlag);
  }

  integer(name: string): number | undefined {
    return this.#ofType(name, 'integer', isInteger);
  }

  object(name: string): JsonObject | undefined {
    return this.#ofType(name, 'object', isJsonObject);
  }

  objects(name: string): readonly JsonObject[] | undefined {
    return this.#ofType(name, 'array of object', isObjects);
  }

  texts(name: string): readonly string[] | undefined {
    return this.#ofType(name, 'array of string', isFilledTexts);
  }

  #ofType<T>(name: string, type: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.members[name];
    if (value === undefined || is(value)) return value;
    this.problem(`${name} should be of type ${type}`);
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
