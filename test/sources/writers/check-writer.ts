import type { ReadOptions } from '../../../src/sources/containers/table.ts';
import { Random } from '../../support/random.ts';
import { type HostileRow, hostileRows, tameRows } from './hostile-rows.ts';
import { differenceOf, readBack } from './read-back.ts';
import type { RunningWriter, Writer, WrittenFile } from './writer.ts';

/** Longer rows may be refused one by one, if the reader is certain where they end. */
const MAX_ROW_CHARS = 1_000_000;

export interface Checked {
  how: string;
  bytes: Buffer;
  /** Whether the rows have only ordinary text. */
  isTame: boolean;
  /** Result of reading the file without options, and with the options that its operator can give. */
  plain: Outcome;
  told: Outcome;
}

export type Outcome = { result: 'read' } | { result: 'refused' | 'wrong'; why: string };

/** Lets a writer write the rows of a seed, and compares them with what is read. */
export async function checkWriter(writer: Writer, running: RunningWriter, seed: number): Promise<Checked> {
  const random = new Random(seed);
  const isTame = random.chance(0.25);
  const rows = isTame ? tameRows(random) : hostileRows(random);
  const file = await running.write(rows, random);
  const plain = await outcomeOf(writer, file, rows, {});
  const told = await outcomeOf(writer, file, rows, file.options);
  return { how: file.how, bytes: file.bytes, isTame, plain, told };
}

async function outcomeOf(
  writer: Writer,
  file: WrittenFile,
  rows: readonly HostileRow[],
  options: ReadOptions,
): Promise<Outcome> {
  const back = await readBack(file.bytes, options, file.isTable?.bind(file));
  if ('refused' in back) return { result: 'refused', why: back.refused };
  const isLong = (index: number) => JSON.stringify(rows[index] ?? '').length > MAX_ROW_CHARS;
  const why = differenceOf(file.rows, back, writer.container, isLong);
  return why === undefined ? { result: 'read' } : { result: 'wrong', why };
}
