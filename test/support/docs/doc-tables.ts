import { readText } from './read-text.ts';

const cell = (text: string) => text.replaceAll('|', '\\|');

export const code = (text: string) => `\`${text}\``;

/** Returns a Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/**
 * Returns the text of a document with its generated parts made anew. Such a part stands between `<!-- begin: name -->` and
 * `<!-- end -->`.
 * @param parts the generators by name, each of which must occur in the document
 */
export function withGeneratedParts(path: string, parts: Readonly<Record<string, () => string>>): string {
  const missing = new Set(Object.keys(parts));
  const text = readText(path).replace(
    /(<!-- begin: ([a-z0-9 -]+?)(?:,[^>]*)? -->\n).*?(<!-- end -->)/gs,
    (_all, begin: string, name: string, end: string) => {
      const generate = parts[name];
      if (generate === undefined) throw new Error(`${path}: nothing generates the part "${name}"`);
      missing.delete(name);
      return `${begin}${generate()}\n${end}`;
    },
  );
  if (missing.size > 0) throw new Error(`${path} has no part "${[...missing].join('", "')}"`);
  return text;
}
