import { resolve } from 'node:path';
import { toJson } from '../../lib/json/exact-json.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import { FLAG_NAMES, flagOf } from '../options/flags.ts';
import { fileIdentity } from './source-files.ts';
import { checkFree, WholeFile } from './whole-file.ts';

/** The files of `--report` and `--rejects`. They receive each row once its verdict is final. */
export interface VerdictFiles {
  /** Whether `add` needs the original records of the rows. Otherwise they are dropped, to save memory. */
  readonly needsOriginals: boolean;
  add(row: Verdict): void;
  /** Number of rows in the file of --rejects. */
  readonly rejects: number;
  restart(): void;
  finish(): void;
}

type OutputContext = Pick<CommandContext, 'flags' | 'atEnd'>;
const OUTPUT_FLAGS = ['report', 'rejects', 'waiting'] as const;
type OutputFlag = (typeof OUTPUT_FLAGS)[number];

/** Flags that name files with answers or secrets. Not even --force may replace those files. */
const FILE_FLAGS = FLAG_NAMES.filter(
  (name) => flagOf(name).value === 'FILE' && !OUTPUT_FLAGS.some((one) => one === name),
);

/**
 * @param from name of the system that the rows come from, as `--from` takes it; the rejects contain it
 * @throws {CliError} as `openOutput`
 */
export function openVerdictFiles(context: OutputContext, from: string): VerdictFiles {
  const report = openOutput(context, 'report');
  const rejects = openOutput(context, 'rejects');
  const files = [report, rejects].filter((file) => file !== undefined);
  let count = 0;
  return {
    get rejects() {
      return count;
    },
    needsOriginals: rejects !== undefined,
    add(row) {
      report?.write(`${reportLine(row)}\n`);
      const isReject = row.result === 'conflict' || row.result === 'error';
      if (!isReject || BEATEN.includes(row.reason ?? '')) return;
      rejects?.write(`${rejectLine(row, from)}\n`);
      count += 1;
    },
    restart() {
      count = 0;
      for (const file of files) file.restart();
    },
    finish() {
      // All files are written completely before any is renamed, so that a full disk leaves none of them.
      for (const file of files) file.complete();
      for (const file of files) file.finish();
    },
  };
}

/**
 * Opens the output file of a flag. If it is not finished, it is removed when the command ends.
 * @throws {CliError} if the file exists or cannot be written
 */
export function openOutput({ flags, atEnd }: OutputContext, flag: OutputFlag): WholeFile | undefined {
  const path = flags.text(flag);
  if (path === undefined) return undefined;
  const file = new WholeFile(path, flags.has('force'));
  atEnd.push(file.discard);
  return file;
}

/**
 * Checks the output files of a command before it begins, because reading its input may take minutes.
 * @throws {CliError} if an output exists, or is an input, the file of another flag, or the other output
 */
export function checkOutputs({ flags, words }: Pick<CommandContext, 'flags' | 'words'>): void {
  const seen = new Map<string, OutputFlag>();
  for (const flag of OUTPUT_FLAGS) {
    const path = flags.text(flag);
    if (path === undefined) continue;
    const other = seen.get(resolve(path));
    if (other !== undefined) throw new CliError(`--${other} and --${flag} name the same file.`);
    seen.set(resolve(path), flag);
    if (path === '-') throw new CliError(`--${flag} -: stdout is for results. Name a file.`);
    const identity = fileIdentity(path);
    const isIt = (name = '') => identity !== undefined && fileIdentity(name) === identity;
    if (words.some((word) => isIt(word)))
      throw new CliError(`--${flag} ${path} is one of the files that are read. Name another file.`);
    const same = FILE_FLAGS.find((name) => isIt(flags.text(name)));
    if (same !== undefined)
      throw new CliError(`--${flag} ${path} is the file of --${same}. Name another file.`);
    checkFree(path, flags.has('force'));
  }
}

/**
 * Reasons of rows that are left out of the file of --rejects. Such a row has the id or address of another row. If it
 * were imported alone, it would take the place of that row.
 */
const BEATEN: readonly string[] = ['DUPLICATE_EMAIL', 'EXTERNAL_ID_REPEATED'];

function reportLine({ isOfSeveralTables, ...verdict }: Verdict): string {
  const { file, row, result, existed, reason, externalUserId, email, message } = verdict;
  const table = isOfSeveralTables ? verdict.table : undefined;
  return JSON.stringify({ file, table, row, result, existed, reason, externalUserId, email, message });
}

const rejectLine = ({ reason, message, file, row, table, original, user }: Verdict, from: string) =>
  toJson({ reason, message, file, row, from, table, original: original ?? null, user });
