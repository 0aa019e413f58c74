import { createHash } from 'node:crypto';

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
