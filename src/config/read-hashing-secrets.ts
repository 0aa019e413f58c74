import { FAMILIES } from '../hashing/families.ts';
import type { ConfiguredSecret } from '../hashing/secrets.ts';
import { decodeBase64 } from '../lib/text/base64.ts';
import {
  EntryProblem,
  type Members,
  onlyForm,
  type ReadSecret,
  readEntries,
  readForm,
} from './read-entries.ts';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const FORMS = ['secret', 'secret_base64', 'secret_file'] as const;
const MEMBERS: readonly string[] = ['id', 'algorithm', 'algorithms', ...FORMS];

const WITH_SECRET = FAMILIES.filter(({ secret }) => secret !== undefined);
const NAMES_WITH_SECRET = WITH_SECRET.map(({ name }) => name).join(', ');
const WITHOUT_SECRET = `unknown or takes no secret: expected one of ${NAMES_WITH_SECRET}`;

/** Hint in messages about empty secrets. Some systems do use one (restful-authentication by default). */
const MEANT = ': if the hashes were made with an empty one, write secret: ""';

export function readHashingSecrets(
  entries: readonly unknown[],
  readSecret: ReadSecret,
  problems: string[],
): ConfiguredSecret[] {
  const read = (members: Members, before: readonly ConfiguredSecret[]) => {
    const entry = readEntry(members, readSecret);
    const { id, algorithm } = entry;
    if (before.some((one) => one.id === id)) throw new EntryProblem('has the same id as an earlier entry');
    if (algorithm !== undefined && before.some((one) => one.algorithm === algorithm))
      throw new EntryProblem(`is a second default of ${algorithm}, which can have only one`);
    return entry;
  };
  return readEntries('hashing_secrets', entries, MEMBERS, read, problems);
}

function readEntry(members: Members, readSecret: ReadSecret): ConfiguredSecret {
  const id: unknown = members.get('id');
  if (typeof id !== 'string' || !ID.test(id))
    throw new EntryProblem('must have an id of 1 to 64 characters of A-Z a-z 0-9 . _ -');
  const named = members.get('algorithm') ?? undefined;
  const algorithm = named === undefined ? undefined : algorithmNamed(named);
  if (named !== undefined && algorithm === undefined)
    throw new EntryProblem(`has an algorithm that is ${WITHOUT_SECRET}`);
  const algorithms = algorithmsNamed(members.get('algorithms') ?? undefined);
  const bytes = secretIn(members, readSecret);
  if (algorithm === undefined && algorithms === undefined)
    throw new EntryProblem(
      `does not say whose hashes the secret belongs to: add algorithms, a list of one or more of ${NAMES_WITH_SECRET}`,
    );
  return {
    id,
    ...(algorithm && { algorithm }),
    ...(algorithms && { algorithms }),
    secret_base64: bytes.toString('base64'),
  };
}

function algorithmsNamed(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || value.length === 0)
    throw new EntryProblem('must have algorithms as a list of one or more names');
  const names = value.map(algorithmNamed);
  if (names.every((name) => name !== undefined)) return [...new Set(names)];
  throw new EntryProblem(`has algorithms of which one is ${WITHOUT_SECRET}`);
}

function algorithmNamed(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const nameOrAlias = value.trim().toLowerCase();
  return WITH_SECRET.find(({ name, aliases }) => name === nameOrAlias || aliases.includes(nameOrAlias))?.name;
}

/**
 * Returns the bytes of a secret. `secret: ""` is accepted, because it may be intended (Devise without a pepper). An
 * empty file, a variable that expands to nothing, or `secret:` without a value is refused, because it is hardly ever
 * intended.
 */
function secretIn(members: Members, readSecret: ReadSecret): Buffer {
  const given = FORMS.filter((name) => members.has(name));
  if (given.length > 0 && given.every((name) => members.get(name) === null))
    throw new EntryProblem(`has an empty secret${MEANT}`);
  const [form, value] = onlyForm(members, FORMS);
  if (form === 'secret') return Buffer.from(value, 'utf8');
  if (value === '') throw new EntryProblem(`has an empty ${form}${MEANT}`);
  if (form === 'secret_file') {
    const text = readForm(form, value, readSecret);
    if (text === '') throw new EntryProblem(`has an empty file${MEANT}`);
    return Buffer.from(text, 'utf8');
  }
  const decoded = decodeBase64(value, 'lenient');
  if ('problem' in decoded) throw new EntryProblem(`has a secret_base64 that ${decoded.problem}`);
  return decoded;
}
