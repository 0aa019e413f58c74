/** An API key, and what it is called in records of what was done with it. */
export interface NamedKey {
  name: string;
  key: string;
}

/** The keys of the setting `api_keys`: `migration:<key>,<key>`. Those without a name are called by their place: `key-2`. */
export function namedKeys(configured: string): NamedKey[] {
  return configured.split(',').map((entry, index) => {
    const [key = '', name = `key-${index + 1}`] = entry.trim().split(':').reverse();
    return { name, key };
  });
}
