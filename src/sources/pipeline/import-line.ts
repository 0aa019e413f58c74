import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { MAX_LINE_BYTES } from '../../imports/input/read-line.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { profileMembers } from '../../users/user.ts';
import { shownName } from '../fields/shown-name.ts';
import type { SourceUser } from '../source-user.ts';
import { countName } from './tally.ts';

/** Returns the import line. The metadata is JSON text already, and is most of a line. */
export function lineOf(
  { externalUserId, loginMethods: given }: SourceUser,
  loginMethods: readonly unknown[],
  { profile }: ParsedUser,
  { disabled, factors }: { disabled: boolean | undefined; factors: JsonObject | undefined },
): string {
  const id = externalUserId === undefined ? '' : `"externalUserId":${JSON.stringify(externalUserId)},`;
  const methods =
    given === undefined
      ? `[${(loginMethods as readonly JsonObject[]).map(methodJson).join(',')}]`
      : toJson(loginMethods);
  const state = disabled === undefined ? '' : `"disabled":${disabled},`;
  const kept = factors === undefined ? '' : `${JSON.stringify(factors).slice(1, -1)},`;
  return `{${id}${profileMembers(profile)}${state}${kept === ',' ? '' : kept}"loginMethods":${methods}}`;
}

/** For so few members, this is faster than `JSON.stringify`. */
function methodJson(method: JsonObject): string {
  let json = '';
  for (const name of Object.keys(method)) {
    const value = method[name];
    if (value !== undefined)
      json += `${json === '' ? '' : ','}"${name}":${typeof value === 'string' ? quoted(value) : JSON.stringify(value)}`;
  }
  return `{${json}}`;
}

/** Characters that JSON escapes, and some others. */
const ESCAPED = /["\\\p{Cc}\p{Cs}]/u;

/** The same as `JSON.stringify`, without a copy of nearly all texts. */
const quoted = (text: string): string => (ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`);

/** Counts lines that a service refuses unless it is configured for longer ones, by their largest member. */
export function countLongLine(line: string, counts: Map<string, number>): void {
  if (line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) <= MAX_LINE_BYTES) return;
  countName(counts, largestMember(line));
}

/** Name of the member that takes most of an import line. In the metadata, that is one of its members. */
export function largestMember(line: string): string {
  const user: unknown = JSON.parse(line);
  if (!isJsonObject(user)) return '';
  const name = largestIn(user);
  const { userMetadata } = user;
  return name === 'userMetadata' && isJsonObject(userMetadata) ? `${name}.${largestIn(userMetadata)}` : name;
}

const sizeOf = (value: unknown) => JSON.stringify(value)?.length ?? 0;

const largestIn = (object: object): string =>
  Object.entries(object)
    .map(([name, value]) => ({ name: shownName(name), size: sizeOf(value) }))
    .reduce((one, other) => (other.size > one.size ? other : one), { name: '', size: 0 }).name;
