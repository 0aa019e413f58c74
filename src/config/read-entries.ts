export type ReadSecret = (path: string) => string;
/** Members of an entry, by name. A member without a value is null in YAML, and counts as left out. */
export type Members = ReadonlyMap<string, unknown>;

/**
 * Problem of an entry. The message is the end of a sentence about the entry. It shows no value of the entry, because a
 * secret may stand where another member belongs.
 */
export class EntryProblem extends Error {}

/**
 * Reads a setting that is a list of mappings. `read` also gets the valid entries before its own, so that it can find
 * repetitions.
 */
export function readEntries<Entry extends object>(
  setting: string,
  entries: readonly unknown[],
  expected: readonly string[],
  read: (members: Members, before: readonly Entry[]) => Entry,
  problems: string[],
): Entry[] {
  const good: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      good.push(read(membersOf(entry, expected), good));
    } catch (error) {
      if (!(error instanceof EntryProblem)) throw error;
      problems.push(`${setting}: entry ${index + 1} ${error.message}`);
    }
  }
  return good;
}

function membersOf(entry: unknown, expected: readonly string[]): Members {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw new EntryProblem('is not a mapping');
  const members = new Map(Object.entries(entry));
  if ([...members.keys()].every((name) => expected.includes(name))) return members;
  throw new EntryProblem(`has an unknown member: expected only ${expected.join(', ')}`);
}

/**
 * Returns the one of these members that the entry has, and its text.
 * @throws {EntryProblem} if the entry has none or several of them, or the value is not text
 */
export function onlyForm<Form extends string>(members: Members, forms: readonly Form[]): [Form, string] {
  const [form, ...others] = forms.filter((name) => (members.get(name) ?? undefined) !== undefined);
  if (form === undefined || others.length > 0) throw new EntryProblem(`must have one of ${forms.join(', ')}`);
  const value = members.get(form);
  if (typeof value === 'string') return [form, value];
  throw new EntryProblem(`has a ${form} that is not text: put it in quotes`);
}

/**
 * Returns the text of the file of a secret, without white space around it.
 * @throws {EntryProblem} if the file cannot be read
 */
export function readForm(form: string, path: string, readSecret: ReadSecret): string {
  try {
    return readSecret(path).trim();
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new EntryProblem(`has a ${form} that cannot be read (${code})`);
  }
}
