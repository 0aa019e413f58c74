import { FAMILIES } from '../hashing/families.ts';
import type { ConfiguredSecret } from '../hashing/secrets.ts';
import { decodeBase64 } from '../lib/text/base64.ts';
import { type Members, onlyForm, type ReadSecret, readEntries, unreadable } from './read-entries.ts';

const ID = /^[A-Za-z0-9._-]{1,64}$/;
const FORMS = ['secret', 'secret_base64', 'secret_file'] as const;
const MEMBERS: readonly string[] = ['id', 'algorithm', 'algorithms', ...FORMS];

const WITH_SECRET = FAMILIES.filter(({ secret }) => secret !== undefined);
const NAMES_WITH_SECRET = WITH_SECRET.map(({ name }) => name).join(', ');
const WITHOUT_SECRET = `unknown or takes no secret: expected one of ${NAMES_WITH_SECRET}`;

export function readHashingSecrets(
  entries: readonly unknown[],
  readSecret: ReadSecret,
  problems: string[],
): ConfiguredSecret[] {
  const read = (members: Members, given: object) => readEntry(members, given, readSecret);
  return readEntries('hashing_secrets', entries, { members: MEMBERS, read, repeats }, problems);
}

function repeats({ id, algorithm }: ConfiguredSecret, before: readonly ConfiguredSecret[]) {
  if (before.some((one) => one.id === id)) return 'has the same id as an earlier entry';
  return algorithm !== undefined && before.some((one) => one.algorithm === algorithm)
    ? `is a second default of ${algorithm}, which can have only one`
    : undefined;
}

/** Returns the secret, or the end of a sentence about the entry's problem. */
function readEntry(members: Members, given: object, readSecret: ReadSecret): ConfiguredSecret | string {
  // `secret:` without a value is null in YAML. It is refused as an empty secret.
  const isEmpty = FORMS.some((name) => name in given) && !FORMS.some((name) => members.has(name));
  const id: unknown = members.get('id');
  if (typeof id !== 'string' || !ID.test(id))
    return 'must have an id of 1 to 64 characters of A-Z a-z 0-9 . _ -';
  const algorithm = members.has('algorithm') ? algorithmNamed(members.get('algorithm')) : undefined;
  if (members.has('algorithm') && algorithm === undefined)
    return `has an algorithm that is ${WITHOUT_SECRET}`;
  const algorithms = members.has('algorithms') ? algorithmsNamed(members.get('algorithms')) : undefined;
  if (typeof algorithms === 'string') return algorithms;
  if (isEmpty) return `has an empty secret${MEANT}`;
  const bytes = readForm(members, readSecret);
  if (typeof bytes === 'string') return bytes;
  if (algorithm === undefined && algorithms === undefined) {
    return `does not say whose hashes the secret belongs to: add algorithms, a list of one or more of ${NAMES_WITH_SECRET}`;
  }
  return {
    id,
    ...(algorithm && { algorithm }),
    ...(algorithms && { algorithms }),
    secret_base64: bytes.toString('base64'),
  };
}

function algorithmsNamed(value: unknown): string[] | string {
  if (!Array.isArray(value) || value.length === 0)
    return 'must have algorithms as a list of one or more names';
  const names = value.map(algorithmNamed);
  return names.every((name) => name !== undefined)
    ? [...new Set(names)]
    : `has algorithms of which one is ${WITHOUT_SECRET}`;
}

function algorithmNamed(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const nameOrAlias = value.trim().toLowerCase();
  return WITH_SECRET.find(({ name, aliases }) => name === nameOrAlias || aliases.includes(nameOrAlias))?.name;
}

/** Some systems use an empty secret (restful-authentication by default). */
const MEANT = ': if the hashes were made with an empty one, write secret: ""';

/**
 * An empty `secret` may be intended (Devise without a pepper). An empty file, or a variable that expands to
 * nothing, is hardly ever intended.
 */
function readForm(members: Members, readSecret: ReadSecret): Buffer | string {
  const found = onlyForm(members, FORMS);
  if (typeof found === 'string') return found;
  const { form, value } = found;
  if (form === 'secret') return Buffer.from(value, 'utf8');
  if (value === '') return `has an empty ${form}${MEANT}`;
  if (form === 'secret_file') return readFile(value, readSecret);
  const decoded = decodeBase64(value, 'lenient');
  return 'problem' in decoded ? `has a secret_base64 that ${decoded.problem}` : decoded;
}

function readFile(path: string, readSecret: ReadSecret): Buffer | string {
  try {
    const text = readSecret(path).trim();
    return text === '' ? `has an empty file${MEANT}` : Buffer.from(text, 'utf8');
  } catch (error) {
    return unreadable('secret_file', error);
  }
}
