import type { ParsedUser, ReadDeps } from '../imports/input/parsed-user.ts';
import { readUserPayload } from '../imports/input/read-user-payload.ts';
import { parseExactWithin } from '../lib/json/exact-json.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json-object.ts';
import { profileObjects } from '../users/user.ts';
import { InvalidAnswer } from './legacy-client.ts';

/** The user has a password login without a hash, which waits for the first sign-in. */
export type LegacyAnswer = { status: 'OK'; user: ParsedUser } | { status: 'WRONG_CREDENTIALS' | 'UNKNOWN' };

/** Members that a user may have in place of `loginMethods`. They describe the only login. */
const LOGIN_MEMBERS = ['email', 'isVerified', 'timeJoinedInMSSinceEpoch'];

const CREDENTIALS = ['passwordHash', 'plainTextPassword', 'password', 'legacySignIn', 'hashingAlgorithm'];

/**
 * An answer is not trusted: a user in it must have the address that was asked about, and must pass the checks
 * of an import line. Numbers in the metadata are kept as they are written.
 * @param asked normalised address
 * @throws {InvalidAnswer} if a JSON object cannot be used. Other text is an error of another class
 */
export function readAnswer(deps: ReadDeps, text: string, asked: string): LegacyAnswer {
  const answer = parsedAnswer(text);
  const { status, user } = answer;
  if (status === 'WRONG_CREDENTIALS' || status === 'UNKNOWN') return { status };
  if (status !== 'OK' || !isJsonObject(user)) throw new InvalidAnswer('it has no known status, or no user');
  const payload = payloadOf(user);
  const read = readUserPayload(deps, payload);
  if (Array.isArray(read))
    throw new InvalidAnswer(`its user is invalid: ${read.map(({ message }) => message).join(' ')}`);
  if (read.methods.some(({ email }) => email !== asked))
    throw new InvalidAnswer('its user has another address than the one that was asked');
  if (read.methods.filter(({ recipeId }) => recipeId === 'emailpassword').length !== 1)
    throw new InvalidAnswer('its user must have one emailpassword login method');
  return { status, user: read };
}

function parsedAnswer(text: string): JsonObject {
  let answer: unknown;
  try {
    answer = parseExactWithin(text, profileIn);
  } catch {
    throw new Error('it is not JSON');
  }
  if (isJsonObject(answer)) return answer;
  throw new Error('it is not a JSON object');
}

const profileIn = (answer: unknown): object[] =>
  isJsonObject(answer) && isJsonObject(answer.user) ? profileObjects(answer.user) : [];

/** Returns the user as an import line, with a password login that waits for its first sign-in. */
function payloadOf(user: JsonObject): JsonObject {
  const { loginMethods, ...rest } = user;
  if (loginMethods === undefined) {
    refuseCredentials(user);
    const method = Object.fromEntries(
      LOGIN_MEMBERS.filter((name) => user[name] !== undefined).map((name) => [name, user[name]]),
    );
    return { ...rest, loginMethods: [{ recipeId: 'emailpassword', ...method, legacySignIn: true }] };
  }
  if (!Array.isArray(loginMethods)) return user;
  const methods: unknown[] = loginMethods;
  return {
    ...rest,
    loginMethods: methods.map((method) => {
      if (!isJsonObject(method) || method.recipeId !== 'emailpassword') return method;
      refuseCredentials(method);
      return { ...method, legacySignIn: true };
    }),
  };
}

function refuseCredentials(members: JsonObject): void {
  const given = CREDENTIALS.find((name) => members[name] !== undefined);
  if (given !== undefined) throw new InvalidAnswer(`its user must have no ${given}`);
}
