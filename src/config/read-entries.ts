export type ReadSecret = (path: string) => string;
export type Members = ReadonlyMap<string, unknown>;

interface EntryReader<Entry extends object> {
  members: readonly string[];
  /** Returns the entry, or the end of a sentence about its problem. `given` also has members that are null. */
  read(members: Members, given: object): Entry | string;
  /** Returns a problem if the entry repeats an earlier one. */
  repeats(entry: Entry, before: readonly Entry[]): string | undefined;
}

/**
 * Reads a setting that is a list of mappings. Problems show nothing of an entry but its position, because a secret may
 * stand in the place of another member.
 */
export function readEntries<Entry extends object>(
  setting: string,
  entries: readonly unknown[],
  reader: EntryReader<Entry>,
  problems: string[],
): Entry[] {
  const good: Entry[] = [];
  for (const [index, given] of entries.entries()) {
    const entry = readEntry(given, reader);
    const problem = typeof entry === 'string' ? entry : reader.repeats(entry, good);
    if (problem !== undefined) problems.push(`${setting}: entry ${index + 1} ${problem}`);
    if (typeof entry !== 'string') good.push(entry);
  }
  return good;
}

function readEntry<Entry extends object>(
  given: unknown,
  { members: expected, read }: EntryReader<Entry>,
): Entry | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'is not a mapping';
  const members = new Map(Object.entries(given).filter(([, value]) => value !== null));
  return [...members.keys()].every((name) => expected.includes(name))
    ? read(members, given)
    : `has an unknown member: expected only ${expected.join(', ')}`;
}

/** Returns the only one of these members that the entry has, or the end of a sentence about the problem. */
export function onlyForm<Form extends string>(
  members: Members,
  forms: readonly Form[],
): { form: Form; value: string } | string {
  const [form, ...others] = forms.filter((name) => members.has(name));
  if (form === undefined || others.length > 0) return `must have one of ${forms.join(', ')}`;
  const value = members.get(form);
  return typeof value === 'string' ? { form, value } : `has a ${form} that is not text: put it in quotes`;
}

export const unreadable = (form: string, error: unknown): string =>
  `has a ${form} that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`;
