import type { HashAlgorithm } from '../../src/hashing/algorithm.ts';
import { ALGORITHMS } from '../../src/hashing/registry.ts';
import { code, table } from './doc-tables.ts';

const ALL: readonly HashAlgorithm[] = ALGORITHMS;

const names = ({ name, aliases }: HashAlgorithm) => [name, ...aliases].map(code).join(', or ');

/** Returns what a reader must know before sending such hashes, apart from their format. */
function notes({ looksLike, byNameOnly, secret }: HashAlgorithm): string {
  return [
    looksLike,
    ...(byNameOnly ? ['only by name'] : []),
    ...(secret === undefined ? [] : [`secret ${secret}`]),
  ].join('; ');
}

/** Groups rows with the same cells. Each result has the names, then the cells. */
function grouped(rows: readonly { name: string; cells: readonly string[] }[]): string[][] {
  const groups = new Map<string, { names: string[]; cells: readonly string[] }>();
  for (const { name, cells } of rows) {
    const group = groups.get(cells.join('\0')) ?? { names: [], cells };
    group.names.push(name);
    groups.set(cells.join('\0'), group);
  }
  return [...groups.values()].map((group) => [group.names.join(', '), ...group.cells]);
}

/** Tables that are generated from the list of algorithms, by the name in the comments around them. */
export const HASH_TABLES: Record<string, () => string> = {
  'names of hashes': () =>
    table(
      ['strength', '`hashingAlgorithm`'],
      (['strong', 'legacy', 'broken'] as const).map((strength) => [
        strength,
        ALL.filter((one) => one.strength === strength)
          .map(({ name }) => code(name))
          .join(', '),
      ]),
    ),
  'formats of hashes': () =>
    table(
      ['`hashingAlgorithm`', 'strength', 'format'],
      ALL.map((one) => [names(one), one.strength, notes(one)]),
    ),
  'bounds of hashes': () =>
    table(
      ['algorithm', 'configuration field', 'by default', 'what it bounds'],
      grouped(
        ALL.flatMap(({ name, limits }) =>
          Object.entries(limits).map(([setting, limit]) => ({
            name,
            cells: [code(setting), String(limit.default), limit.description],
          })),
        ),
      ),
    ),
  'times of hashes': () =>
    table(
      ['algorithm', 'time by the reference', 'examples', 'measured'],
      grouped(
        ALL.map(({ name, reference: { formula, examples, measured } }) => ({
          name,
          cells: [formula, examples, measured],
        })),
      ),
    ),
};
