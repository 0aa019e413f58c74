import { AppError } from '../../lib/errors.ts';
import { parseExactWithin } from '../../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { isPostgresText, isWellFormed, POSTGRES_TEXT_RULE } from '../../lib/text/characters.ts';
import { acceptHash, readNoHash } from '../../passwords/accept-hash.ts';
import { requireEmail } from '../../users/email.ts';
import { isExportEnd } from '../../users/export-users.ts';
import { isLongerThan, MAX_CHARACTERS, NO_PROFILE, profileObjects } from '../../users/user.ts';
import { isBlank, type RawLine } from './line-splitter.ts';
import {
  credentialOf,
  type LineError,
  type ParsedPasswordLogin,
  type ParsedUser,
  type ReadDeps,
  type ReadLine,
  type ValidationError,
} from './parsed-user.ts';
import { readUserPayload } from './read-user-payload.ts';

/** Maximum length of a line in bytes, unless bulk_import_max_line_bytes says otherwise. */
export const MAX_LINE_BYTES = 65_536;

/** Reads a line. Returns undefined for a blank line, and for the last line of an export, which contains no user. */
export function readLine(deps: ReadDeps & { maxLineBytes: number }, line: RawLine): ReadLine {
  const { text, problem } = line;
  if (problem === 'too-long') {
    return {
      code: 'LINE_TOO_LONG',
      message: `The line is longer than ${deps.maxLineBytes} bytes (bulk_import_max_line_bytes)`,
    };
  }
  if (text === undefined) return notJson('the line is not UTF-8');
  if (isBlank(line)) return undefined;
  let value: unknown;
  try {
    value = parseUserPayloads(text);
  } catch {
    // The JSON parser's own message is not used, because it would quote the line.
    return notJson('the line is not JSON');
  }
  if (isJsonObject(value) && isExportEnd(value)) return undefined;
  return readUser(deps, value);
}

const notJson = (what: string): LineError => ({
  code: 'BODY_INVALID_JSON',
  message: `Invalid Json Input: ${what}`,
});

/**
 * Parses JSON. In profiles, numbers that JavaScript cannot represent exactly become `ExactNumber`.
 * @throws the errors of `JSON.parse`
 */
export const parseUserPayloads = (json: string): unknown => parseExactWithin(json, profilesIn);

function profilesIn(value: unknown): object[] {
  if (!isJsonObject(value)) return [];
  if (!Array.isArray(value.users)) return profileObjects(value);
  return [value, ...value.users].flatMap((one) => (isJsonObject(one) ? profileObjects(one) : []));
}

/** Reads a user without a schema validator, which would be too slow for millions of lines. */
export function readUser(deps: ReadDeps, value: unknown): ParsedUser | ValidationError {
  if (!isJsonObject(value)) {
    return { code: 'BODY_INVALID_JSON', message: 'Invalid Json Input: expected a JSON object' };
  }
  if (value.loginMethods !== undefined) return readPayload(deps, value);
  const isOfPassword = value.thirdPartyId === undefined && value.thirdPartyUserId === undefined;
  if (value.externalUserId !== undefined && value.email !== undefined && isOfPassword) {
    const { externalUserId, disabled, ...login } = value;
    const loginMethods = [{ recipeId: 'emailpassword', ...login }];
    return readPayload(deps, { externalUserId, ...(disabled !== undefined && { disabled }), loginMethods });
  }
  try {
    return isOfPassword ? readPasswordUser(deps, value) : readThirdPartyUser(value);
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message };
    throw error;
  }
}

function readPayload(deps: ReadDeps, members: JsonObject): ParsedUser | ValidationError {
  const read = readUserPayload(deps, members);
  if (!Array.isArray(read)) return read;
  const [first, ...more] = read;
  if (first !== undefined && more.length === 0) return first;
  return { code: 'FIELD_INVALID', message: read.map(({ message }) => message).join('; ') };
}

function readPasswordUser({ registry, defaultSecretId }: ReadDeps, body: JsonObject): ParsedUser {
  requireMember(body.email, 'email');
  const rawEmail = readText(body.email, 'email', MAX_CHARACTERS.email);
  const encoded = readOptional(body, 'passwordHash');
  const algorithm = readOptional(body, 'hashingAlgorithm');
  const id = readOptional(body, 'hashingSecretId');
  const noHash = readNoHash(body);
  if (typeof noHash === 'object') throw new AppError('FIELD_INVALID', noHash.problem);
  if (noHash === undefined && encoded === undefined) throw invalid('passwordHash', 'is required');
  const email = requireEmail(rawEmail);
  const credential: ParsedPasswordLogin['credential'] =
    noHash === undefined
      ? credentialOf(acceptHash(registry, encoded ?? '', algorithm, { id, otherwise: defaultSecretId }))
      : { noHash };
  const disabled = readDisabled(body);
  return {
    profile: NO_PROFILE,
    disabled,
    methods: [{ recipeId: 'emailpassword', email, verified: false, credential }],
  };
}

function readThirdPartyUser(body: JsonObject): ParsedUser {
  requireMember(body.thirdPartyId, 'thirdPartyId');
  requireMember(body.thirdPartyUserId, 'thirdPartyUserId');
  requireMember(body.email, 'email');
  const identity = {
    id: readIdentity(body.thirdPartyId, 'thirdPartyId'),
    userId: readIdentity(body.thirdPartyUserId, 'thirdPartyUserId'),
  };
  if (!isJsonObject(body.email)) throw invalid('email', 'must be object');
  const { id, isVerified } = body.email;
  requireMember(id, 'email.id');
  const rawEmail = readText(id, 'email.id', MAX_CHARACTERS.email);
  if (isVerified !== undefined && typeof isVerified !== 'boolean') {
    throw invalid('email.isVerified', 'must be boolean');
  }
  const email = requireEmail(rawEmail);
  const disabled = readDisabled(body);
  return {
    profile: NO_PROFILE,
    disabled,
    methods: [{ recipeId: 'thirdparty', email, verified: isVerified ?? false, identity }],
  };
}

function readDisabled({ disabled }: JsonObject): boolean | undefined {
  if (disabled === undefined || typeof disabled === 'boolean') return disabled;
  throw invalid('disabled', 'must be boolean');
}

const readOptional = (body: JsonObject, name: 'passwordHash' | 'hashingAlgorithm' | 'hashingSecretId') =>
  body[name] === undefined ? undefined : readText(body[name], name, MAX_CHARACTERS[name]);

function requireMember(value: unknown, path: string): void {
  if (value === undefined) throw invalid(path, 'is required');
}

function readText(value: unknown, path: string, maxCharacters: number): string {
  if (typeof value !== 'string') throw invalid(path, 'must be string');
  if (isLongerThan(value, maxCharacters)) {
    throw invalid(path, `must NOT have more than ${maxCharacters} characters`);
  }
  if (!isWellFormed(value)) throw invalid(path, POSTGRES_TEXT_RULE);
  return value;
}

function readIdentity(value: unknown, path: string): string {
  const text = readText(value, path, MAX_CHARACTERS.identity);
  if (text === '') throw invalid(path, 'must NOT have fewer than 1 characters');
  if (!isPostgresText(text)) throw invalid(path, POSTGRES_TEXT_RULE);
  return text;
}

/** @param path path of the member, for example `email.id` */
function invalid(path: string, what: string): AppError {
  const field = path.slice(path.lastIndexOf('.') + 1);
  return new AppError('FIELD_INVALID', `Field name '${field}' is invalid in JSON input: ${path} ${what}`);
}
