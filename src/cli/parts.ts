import { IMPORT_ID } from '../imports/import-request.ts';

/**
 * Number of consecutive rows that go to the same part of an import (--parallel). Must not change: parts are
 * resumed by line number, and recorded failures have line numbers.
 */
const BLOCK = 100;

/** Length of the longest suffix of a part's import id, `.64of64`. */
export const PART_SUFFIX_CHARACTERS = 7;

/**
 * Returns the import ids that the service sees. With --parallel 3 they are `ID.1of3` to `ID.3of3`, and
 * `ID.0of3` for rows that refer to the same user as an earlier row. Everywhere else, parts are numbered from
 * 0, and the part of duplicate rows is the last.
 */
export function partIdsOf(importId: string, parallel: number): string[] {
  if (parallel === 1) return [importId];
  const numbers = Array.from({ length: parallel }, (_, index) => index + 1);
  return [...numbers, 0].map((number) => `${importId}.${number}of${parallel}`);
}

export interface PartName {
  importId: string;
  part: number;
  parallel: number;
}

/** Parses the import id of a part, such as `ID.1of3`. */
export function readPartId(id: string): PartName | undefined {
  const [, importId, number, of] = /^(.+)\.(0|[1-9]\d?)of([1-9]\d?)$/.exec(id) ?? [];
  const parallel = Number(of);
  if (importId === undefined || Number(number) > parallel || parallel < 2 || !IMPORT_ID.test(importId))
    return undefined;
  return { importId, part: number === '0' ? parallel : Number(number) - 1, parallel };
}

/** Returns the part of a row (numbered from 1), unless the row shares a user with an earlier row. */
export function partOf(row: number, parallel: number): number {
  return Math.floor((row - 1) / BLOCK) % parallel;
}

/** Returns the row of a part's line. The last part has a line for every row, blank unless a duplicate. */
export function rowOf(line: number, part: number, parallel: number): number {
  if (parallel === 1 || part === parallel) return line;
  const block = Math.floor((line - 1) / BLOCK) * parallel + part;
  return block * BLOCK + ((line - 1) % BLOCK) + 1;
}
