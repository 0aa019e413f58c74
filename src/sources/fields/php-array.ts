import { textOf } from './values.ts';

/** One text, number, flag or null of a serialized array: `s:4:"hash";`, `i:10;`, `N;`. Lengths of texts are in bytes. */
const CELL = /^(?:s:(\d+):"|[idb]:([^;"]*);|N;)/;

/** Members of a flat array as PHP serializes it: `a:1:{s:4:"hash";s:60:"$2y$…";}`. Undefined for anything else. */
export function phpArrayOf(value: unknown): Readonly<Record<string, string>> | undefined {
  const bytes = Buffer.from(textOf(value) ?? '');
  const textAt = (start: number, end: number) => bytes.toString('utf8', start, end);
  let at = /^a:\d+:\{/.exec(textAt(0, 16))?.[0].length;
  const cells: string[] = [];
  while (at !== undefined && bytes[at] !== CLOSE) {
    const [head, length, scalar = ''] = CELL.exec(textAt(at, at + 64)) ?? [];
    if (head === undefined) return undefined;
    const start: number = at + Buffer.byteLength(head);
    const end: number = start + Number(length ?? 0);
    cells.push(length === undefined ? scalar : textAt(start, end));
    at = length === undefined ? start : end + '";'.length;
  }
  return at === undefined ? undefined : Object.fromEntries(pairs(cells));
}

const CLOSE = '}'.charCodeAt(0);

const pairs = (cells: readonly string[]): [string, string][] =>
  cells.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, cells[index + 1] ?? '']] : [],
  );
