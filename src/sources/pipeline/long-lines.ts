import { MAX_LINE_BYTES } from '../../imports/input/read-line.ts';
import { isJsonObject } from '../../lib/json/json-object.ts';
import { shownName } from '../fields/shown-name.ts';
import type { Advice } from '../source.ts';

/** Maximum number of columns to name. */
const MAX_NAMES = 100;

/** Counts lines that a service refuses unless it is configured for longer ones, by their largest member. */
export function countLongLine(line: string, counts: Map<string, number>): void {
  if (line.length * 3 <= MAX_LINE_BYTES || Buffer.byteLength(line) <= MAX_LINE_BYTES) return;
  const member = largestMember(line);
  if (counts.has(member) || counts.size < MAX_NAMES) counts.set(member, (counts.get(member) ?? 0) + 1);
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

export function adviceOnLongLines(counts: ReadonlyMap<string, number>): Advice[] {
  if (counts.size === 0) return [];
  const users = [...counts.values()].reduce((sum, number) => sum + number, 0);
  const members = [...counts].map(([name, number]) => `${name} ${number}`).join(', ');
  return [
    {
      level: 'warn',
      text: `Users whose lines are longer than ${MAX_LINE_BYTES} bytes, which a service refuses as it is configured by default: ${users}. The largest member of each: ${members}. Raise bulk_import_max_line_bytes of the service, or leave that column out.`,
    },
  ];
}
