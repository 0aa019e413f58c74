import { HashRefused } from './verifier.ts';

/**
 * Reads `name=value` items in any order.
 * @throws {HashRefused} `format` for an item of another shape or name, and for a name that comes twice
 */
export function namedFields<Name extends string>(
  items: readonly string[],
  names: readonly Name[],
): Map<Name, string> {
  const fields = new Map<Name, string>();
  for (const [index, item] of items.entries()) {
    const name = names.find((candidate) => item.startsWith(`${candidate}=`));
    if (name === undefined) {
      const expected = names.map((candidate) => `${candidate}=`).join(' ');
      throw new HashRefused('format', `parameter ${index + 1} is none of ${expected}`);
    }
    if (fields.has(name)) throw new HashRefused('format', `parameter ${name} is given twice`);
    fields.set(name, item.slice(name.length + 1));
  }
  return fields;
}

/** @throws {HashRefused} `format` when it is missing. */
export function requiredField<Name extends string>(fields: ReadonlyMap<Name, string>, name: Name): string {
  const value = fields.get(name);
  if (value === undefined) throw new HashRefused('format', `parameter ${name} is missing`);
  return value;
}
