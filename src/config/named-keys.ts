/** An API key and the name under which its use is recorded. */
export interface NamedKey {
  name: string;
  key: string;
}

/**
 * Parses the setting `api_keys`, such as `migration:<key>,<key>`. A key without a name is named after its position,
 * here `key-2`.
 */
export function namedKeys(configured: string): NamedKey[] {
  return configured.split(',').map((entry, index) => {
    const [key = '', name = `key-${index + 1}`] = entry.trim().split(':').reverse();
    return { name, key };
  });
}
