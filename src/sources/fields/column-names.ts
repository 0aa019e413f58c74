/** A name in lower case, of letters and digits alone: `requiredForLogin` and `required_for_login` become the same. */
export const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Names come from the file, which may have any number of them. */
const MAX_NAMES = 1000;

/** Returns the same function, which reads each of the first thousand names once: every row has the same names. */
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
