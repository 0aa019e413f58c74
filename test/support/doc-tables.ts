import { readFileSync } from 'node:fs';

const cell = (text: string) => text.replaceAll('|', '\\|');

export const code = (text: string) => `\`${text}\``;

/** Returns a Markdown table. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/**
 * Returns a document with its generated tables replaced. The rest of it is unchanged.
 * @param tables by the name in the comments around each table
 */
export function withTables(path: string, tables: Readonly<Record<string, () => string>>): string {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return text.replace(
    /(<!-- begin: ([a-z ]+)[^>]*-->\n).*?(<!-- end -->)/gs,
    (_all, begin: string, name: string, end: string) => {
      const make = tables[name.trim()];
      if (make === undefined) throw new Error(`${path}: no table is called ${name}`);
      return `${begin}${make()}\n${end}`;
    },
  );
}
