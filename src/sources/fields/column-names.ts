/**
 * Returns the letters and digits of a column name in lower case: `required_for_login` becomes `requiredforlogin`.
 * Letters of all scripts count: `email_старый` is not `email`.
 */
export const bareName = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{Nd}]/gu, '');

/** Maximum number of column names to cache, because a file may have any number of them. */
const MAX_NAMES = 1000;

export function oncePerName<Value>(read: (name: string) => Value): (name: string) => Value {
  const known = new Map<string, { value: Value }>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found.value;
    const value = read(name);
    if (known.size < MAX_NAMES) known.set(name, { value });
    return value;
  };
}
