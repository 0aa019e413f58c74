/** An API key, and its name in the records of what was done with it. */
export interface NamedKey {
  name: string;
  key: string;
}

/** Reads the setting `api_keys`, e.g. `migration:<key>,<key>`. A key without a name is called by its place, `key-2` here. */
export function namedKeys(configured: string): NamedKey[] {
  return configured.split(',').map((entry, index) => {
    const [key = '', name = `key-${index + 1}`] = entry.trim().split(':').reverse();
    return { name, key };
  });
}
