/** Returns `text` with others in the place of some, each of which must be there. */
export function replaceEach(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`there is no ${from} to replace`);
    return changed.replaceAll(from, to);
  }, text);
}
