import { createHash } from 'node:crypto';
import {
  EntryProblem,
  type Members,
  onlyForm,
  type ReadSecret,
  readEntries,
  readForm,
} from './read-entries.ts';

/** Rights of API keys. src/http/routes/index.ts names the right that each route needs. */
export const RIGHTS = ['import', 'signin', 'read', 'manage', 'export', 'verify'] as const;
export type Right = (typeof RIGHTS)[number];

/** Rights of an API key in the short form. The right to export all hashes needs the list form. */
const SHORT_FORM_RIGHTS: readonly Right[] = RIGHTS.filter((right) => right !== 'export');

/** An entry of `api_keys` in the list form, after its `key_file` was read. It has either `key` or `key_sha256`. */
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

/** Returns the API keys of the setting. A key without a name is named after its position, such as `key-2`. */
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

export function readApiKeys(
  entries: readonly unknown[],
  readSecret: ReadSecret,
  problems: string[],
): KeyEntry[] {
  if (entries.length === 0) problems.push('api_keys: must have one entry or more');
  const digest = (one: KeyEntry) => one.key_sha256 ?? digestOf(one.key ?? '');
  const read = (members: Members, before: readonly KeyEntry[]) => {
    const entry = readEntry(members, readSecret);
    // A repeated API key would have two names and two sets of rights.
    if (before.some((one) => digest(one) === digest(entry)))
      throw new EntryProblem('has the same key as an earlier entry');
    return entry;
  };
  return readEntries('api_keys', entries, MEMBERS, read, problems);
}

function readEntry(members: Members, readSecret: ReadSecret): KeyEntry {
  const name: unknown = members.get('name');
  if (typeof name !== 'string' || !NAME.test(name))
    throw new EntryProblem('must have a name of 1 to 32 characters of A-Z a-z 0-9 _ -');
  const given = members.get('allow');
  if (!Array.isArray(given)) throw new EntryProblem(`must have allow as a list of ${RIGHTS.join(', ')}`);
  if (!given.every((one) => RIGHTS.includes(one)))
    throw new EntryProblem(`has an unknown right in allow: expected only ${RIGHTS.join(', ')}`);
  const allow = RIGHTS.filter((right) => given.includes(right));
  const [form, value] = onlyForm(members, FORMS);
  if (form === 'key_sha256') return { name, key_sha256: checkedDigest(value.toLowerCase()), allow };
  const key = form === 'key' ? value : readForm(form, value, readSecret);
  if (KEY.test(key)) return { name, key, allow };
  throw new EntryProblem(`has a ${form} without a key of at least 20 of A-Z a-z 0-9 = -`);
}

function checkedDigest(digest: string): string {
  if (!/^[0-9a-f]{64}$/.test(digest))
    throw new EntryProblem('has a key_sha256 that is not 64 hexadecimal digits');
  // `sha256sum` prints this digest if its input is empty by mistake. Requests without a key would match it.
  if (digest === digestOf('')) throw new EntryProblem('has the key_sha256 of an empty text');
  return digest;
}
