/** Returns `text` with each key of `changes` replaced by its value. Throws if a key does not occur. */
export function replaceEach(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`there is no ${from} to replace`);
    return changed.replaceAll(from, to);
  }, text);
}
