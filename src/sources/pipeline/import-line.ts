import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { MAX_LINE_BYTES } from '../../imports/input/read-line.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { profileMembers } from '../../users/user.ts';
import { shownName } from '../fields/shown-name.ts';
import { countName } from './tally.ts';

/** Returns the import line of a user. Texts are joined, because the metadata, mostly the longest, is JSON already. */
export function lineOf(
  user: { externalUserId?: string | undefined },
  { profile }: ParsedUser,
  more: object,
  loginMethods: readonly unknown[],
): string {
  return `{${membersOf(user)}${profileMembers(profile)}${membersOf(more)}"loginMethods":${toJson(loginMethods)}}`;
}

/** Returns the members of an object as JSON without braces, with a comma after the last one. */
function membersOf(object: object): string {
  const json = JSON.stringify(object);
  return json === '{}' ? '' : `${json.slice(1, -1)},`;
}

/** Counts a line, under the name of its largest member, if it is longer than a service accepts by default. */
export function countLongLine(line: string, counts: Map<string, number>): void {
  if (line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) <= MAX_LINE_BYTES) return;
  countName(counts, largestMember(line));
}

/** Returns the name of the largest member of an import line. If it is the metadata, adds its own largest member. */
export function largestMember(line: string): string {
  const user: unknown = JSON.parse(line);
  if (!isJsonObject(user)) return '';
  const name = largestIn(user);
  const { userMetadata } = user;
  return name === 'userMetadata' && isJsonObject(userMetadata) ? `${name}.${largestIn(userMetadata)}` : name;
}

const largestIn = (object: object): string =>
  Object.entries(object)
    .map(([name, value]) => ({ name: shownName(name), size: JSON.stringify(value).length }))
    .reduce((one, other) => (other.size > one.size ? other : one), { name: '', size: 0 }).name;
