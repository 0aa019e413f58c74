import type { ParsedUser } from '../../imports/input/parsed-user.ts';
import { MAX_LINE_BYTES } from '../../imports/input/read-line.ts';
import { toJson } from '../../lib/json/exact-json.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { profileMembers } from '../../users/user.ts';
import { shownName } from '../fields/shown-name.ts';
import { countName } from './tally.ts';

/** Returns the import line. The metadata is JSON text already, and is most of a line. */
export function lineOf(
  user: { externalUserId?: string | undefined },
  { profile }: ParsedUser,
  more: object,
  loginMethods: readonly unknown[],
): string {
  return `{${membersOf(user)}${profileMembers(profile)}${membersOf(more)}"loginMethods":${toJson(loginMethods)}}`;
}

/** Returns the members of an object as JSON, each of them with a comma. */
function membersOf(object: object): string {
  const json = JSON.stringify(object);
  return json === '{}' ? '' : `${json.slice(1, -1)},`;
}

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

const largestIn = (object: object): string =>
  Object.entries(object)
    .map(([name, value]) => ({ name: shownName(name), size: JSON.stringify(value).length }))
    .reduce((one, other) => (other.size > one.size ? other : one), { name: '', size: 0 }).name;
