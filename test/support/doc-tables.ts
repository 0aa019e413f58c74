import { readFileSync } from 'node:fs';

const cell = (text: string) => text.replaceAll('|', '\\|');

export const code = (text: string) => `\`${text}\``;

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/**
 * A document with its generated tables made anew; the rest of it stays as it is.
 * @param tables by the name in the comments around them
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
