import { IMPORT_ID } from '../imports/import-request.ts';

/**
 * Rows that follow each other and go to the same part. It must not change: a part that is sent again is known by the numbers of its
 * lines, and failures are on record by them.
 */
const BLOCK = 100;

/** Of `.64of64`. */
export const PART_SUFFIX_CHARACTERS = 7;

/**
 * An import in parts is as many imports of the service: `ID.1of3` to `ID.3of3`, and `ID.0of3` for rows that meet a row before them.
 * One that is not has the id alone. Parts are counted from 0 here; rows that meet others are in the last.
 */
export function partIdsOf(importId: string, parallel: number): string[] {
  if (parallel === 1) return [importId];
  const numbers = Array.from({ length: parallel }, (_, index) => index + 1);
  return [...numbers, 0].map((number) => `${importId}.${number}of${parallel}`);
}

export interface PartName {
  /** Of the import that it is a part of. */
  importId: string;
  part: number;
  parallel: number;
}

/** What the id of a part says; undefined: it is none. */
export function readPartId(id: string): PartName | undefined {
  const [, importId, number, of] = /^(.+)\.(0|[1-9]\d?)of([1-9]\d?)$/.exec(id) ?? [];
  const parallel = Number(of);
  if (importId === undefined || Number(number) > parallel || parallel < 2 || !IMPORT_ID.test(importId))
    return undefined;
  return { importId, part: number === '0' ? parallel : Number(number) - 1, parallel };
}

/** Where a row is sent that meets none before it. @param row from 1 */
export function partOf(row: number, parallel: number): number {
  return Math.floor((row - 1) / BLOCK) % parallel;
}

/** The row of a line. A part has the rows of its blocks and no others; the last has every row, as blank lines where they are not its own. */
export function rowOf(line: number, part: number, parallel: number): number {
  if (parallel === 1 || part === parallel) return line;
  const block = Math.floor((line - 1) / BLOCK) * parallel + part;
  return block * BLOCK + ((line - 1) % BLOCK) + 1;
}
