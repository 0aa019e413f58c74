import { createHash } from 'node:crypto';
import { type Members, onlyForm, type ReadSecret, readEntries, unreadable } from './read-entries.ts';

/** Rights of API keys. src/http/routes/index.ts names the right that each route needs. */
export const RIGHTS = ['import', 'signin', 'read', 'manage', 'export', 'verify'] as const;
export type Right = (typeof RIGHTS)[number];

/** Rights of an API key in the short form. The right to export all hashes needs the list form. */
const SHORT_FORM_RIGHTS: readonly Right[] = RIGHTS.filter((right) => right !== 'export');

/** An entry of `api_keys` in the list form, after its file was read. It has either `key` or `key_sha256`. */
export interface KeyEntry {
  name: string;
  key?: string;
  key_sha256?: string;
  allow: Right[];
}

/** The setting `api_keys`, either in the short form `migration:<key>,<key>` or as a list. */
export type ConfiguredKeys = string | readonly KeyEntry[];

export interface ApiKey {
  /** Name under which calls with this API key are recorded. */
  name: string;
  /** SHA-256 of the API key. */
  digest: Buffer;
  /** Source of derived keys, such as encryption keys: the API key, or its digest if only that is known. */
  secret: string;
  allow: readonly Right[];
}

/** Names a key without a name after its position, such as `key-2`. */
export function apiKeysOf(configured: ConfiguredKeys): ApiKey[] {
  const entries = typeof configured === 'string' ? entriesOf(configured) : configured;
  return entries.map(({ name, key, key_sha256: sha256 = digestOf(key ?? ''), allow }) => ({
    name,
    digest: Buffer.from(sha256, 'hex'),
    secret: key ?? sha256,
    allow,
  }));
}

function entriesOf(text: string): KeyEntry[] {
  return text.split(',').map((entry, index) => {
    const [key = '', name = `key-${index + 1}`] = entry.trim().split(':').reverse();
    return { name, key, allow: [...SHORT_FORM_RIGHTS] };
  });
}

export const digestOf = (key: string) => createHash('sha256').update(key).digest('hex');

const NAME = /^[A-Za-z0-9_-]{1,32}$/;
const KEY = /^[A-Za-z0-9=-]{20,}$/;
const FORMS = ['key', 'key_file', 'key_sha256'] as const;
const MEMBERS: readonly string[] = ['name', 'allow', ...FORMS];

/** `sha256sum` prints this digest if nothing reaches it. Requests without a key would match it. */
const DIGEST_OF_NOTHING = digestOf('');

export function readApiKeys(
  entries: readonly unknown[],
  readSecret: ReadSecret,
  problems: string[],
): KeyEntry[] {
  if (entries.length === 0) problems.push('api_keys: must have one entry or more');
  const read = (members: Members) => readEntry(members, readSecret);
  return readEntries('api_keys', entries, { members: MEMBERS, read, repeats }, problems);
}

/** A repeated API key would have two names and two sets of rights. */
function repeats(entry: KeyEntry, before: readonly KeyEntry[]): string | undefined {
  const digest = (one: KeyEntry) => one.key_sha256 ?? digestOf(one.key ?? '');
  return before.some((one) => digest(one) === digest(entry))
    ? 'has the same key as an earlier entry'
    : undefined;
}

/** Returns the parsed entry, or the end of a sentence about its problem. */
function readEntry(members: Members, readSecret: ReadSecret): KeyEntry | string {
  const name: unknown = members.get('name');
  if (typeof name !== 'string' || !NAME.test(name))
    return 'must have a name of 1 to 32 characters of A-Z a-z 0-9 _ -';
  const allow = rightsOf(members.get('allow'));
  if (typeof allow === 'string') return allow;
  const key = readForm(members, readSecret);
  return typeof key === 'string' ? key : { name, ...key, allow };
}

function rightsOf(value: unknown): Right[] | string {
  if (!Array.isArray(value)) return `must have allow as a list of ${RIGHTS.join(', ')}`;
  const rights = RIGHTS.filter((right) => value.includes(right));
  return value.every((one) => RIGHTS.includes(one))
    ? rights
    : `has an unknown right in allow: expected only ${RIGHTS.join(', ')}`;
}

function readForm(members: Members, readSecret: ReadSecret): Pick<KeyEntry, 'key' | 'key_sha256'> | string {
  const found = onlyForm(members, FORMS);
  if (typeof found === 'string') return found;
  const { form, value } = found;
  if (form === 'key_sha256') {
    const digest = value.toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(digest)) return 'has a key_sha256 that is not 64 hexadecimal digits';
    return digest === DIGEST_OF_NOTHING ? 'has the key_sha256 of an empty text' : { key_sha256: digest };
  }
  try {
    const key = form === 'key' ? value : readSecret(value).trim();
    return KEY.test(key) ? { key } : `has a ${form} without a key of at least 20 of A-Z a-z 0-9 = -`;
  } catch (error) {
    return unreadable(form, error);
  }
}
