import { HashRefused } from '../verifier.ts';

/**
 * Parses `name=value` items in any order.
 * @throws {HashRefused} `format` if an item has another form or an unknown name, or if a name occurs twice
 */
export function namedFields<Name extends string>(
  items: readonly string[],
  names: readonly Name[],
): Map<Name, string> {
  const fields = new Map<Name, string>();
  for (const item of items) {
    const end = item.indexOf('=');
    const name = nameOf(item, end, names);
    if (name === undefined) {
      const index = items.indexOf(item);
      const expected = names.map((one) => `${one}=`).join(' ');
      const why = names.length === 0 ? 'is not allowed: this format has none' : `is none of ${expected}`;
      throw new HashRefused('format', `parameter ${index + 1} ${why}`);
    }
    if (fields.has(name)) throw new HashRefused('format', `parameter ${name} is given twice`);
    fields.set(name, item.slice(end + 1));
  }
  return fields;
}

function nameOf<Name extends string>(item: string, end: number, names: readonly Name[]): Name | undefined {
  for (const name of names) if (name.length === end && item.startsWith(name)) return name;
  return undefined;
}

/** @throws {HashRefused} `format` if the parameter is missing */
export function requiredField<Name extends string>(fields: ReadonlyMap<Name, string>, name: Name): string {
  const value = fields.get(name);
  if (value === undefined) throw new HashRefused('format', `parameter ${name} is missing`);
  return value;
}
