import { readFileSync } from 'node:fs';
import { ALGORITHMS } from '../../src/hashing/registry.ts';

const cell = (text: string) => text.replaceAll('|', '\\|');
const code = (text: string) => `\`${text}\``;
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

const names = ({ name, aliases }: { name: string; aliases: readonly string[] }) =>
  [name, ...aliases].map(code).join(', or ');

/** The tables that follow from the list of algorithms, by the name in the comments around them. */
const TABLES: Record<string, () => string> = {
  'looks of hashes': () =>
    table(
      ['algorithm', 'looks like'],
      ALGORITHMS.map(({ name, looksLike }) => [code(name), looksLike]),
    ),
  'formats of hashes': () =>
    table(
      ['`hashingAlgorithm`', 'strength', 'format'],
      ALGORITHMS.map((one) => [names(one), one.strength, one.looksLike]),
    ),
  'bounds of hashes': () =>
    table(
      ['algorithm', 'configuration field', 'by default', 'what it bounds'],
      ALGORITHMS.flatMap(({ name, limits }) =>
        Object.entries(limits).map(([setting, limit]) => [
          name,
          code(setting),
          String(limit.default),
          limit.description,
        ]),
      ),
    ),
  'times of hashes': () =>
    table(
      ['algorithm', 'time by the reference', 'examples', 'measured'],
      ALGORITHMS.map(({ name, reference }) => [
        name,
        reference.formula,
        reference.examples,
        reference.measured,
      ]),
    ),
};

/** A document with its generated tables made anew; the rest of it stays as it is. */
export function withTables(path: string): string {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  return text.replace(
    /(<!-- begin: ([a-z ]+)[^>]*-->\n).*?(<!-- end -->)/gs,
    (_all, begin: string, name: string, end: string) => {
      const make = TABLES[name.trim()];
      if (make === undefined) throw new Error(`${path}: no table is called ${name}`);
      return `${begin}${make()}\n${end}`;
    },
  );
}
