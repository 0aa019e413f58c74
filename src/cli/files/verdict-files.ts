import { toJson } from '../../lib/json/exact-json.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { CliError } from '../cli-error.ts';
import type { CommandContext } from '../command.ts';
import {
  checkNotProtected,
  fileIdentity,
  isDevice,
  placeIdentity,
  protectedFiles,
} from '../protected-files.ts';
import { WholeFile } from './whole-file.ts';

/** The files of `--report` and `--rejects`. They receive each row once its verdict is final. */
export interface VerdictFiles {
  /** Whether `add` needs the original records of the rows. Otherwise they are dropped, to save memory. */
  readonly needsOriginals: boolean;
  add(row: Verdict): void;
  restart(): void;
  finish(): void;
  discard(): void;
}

type VerdictFileContext = Pick<CommandContext, 'flags' | 'words' | 'io' | 'tempDirectory'>;

const FLAGS = ['report', 'rejects'] as const;

/**
 * @param from name of the system that the rows come from, as `--from` takes it; the rejects contain it
 * @throws {CliError} if a file cannot be written or would overwrite a file that the command reads
 */
export function openVerdictFiles(
  context: VerdictFileContext,
  from: string,
  usesStdout: boolean,
): VerdictFiles {
  checkVerdictPaths(context, usesStdout);
  const files: WholeFile[] = [];
  const discard = () => {
    for (const file of files) file.discard();
  };
  const open = (flag: (typeof FLAGS)[number]): WholeFile | undefined => {
    const file = openOutput(context, flag, usesStdout);
    if (file !== undefined) files.push(file);
    return file;
  };
  let report: WholeFile | undefined;
  let rejects: WholeFile | undefined;
  try {
    [report, rejects] = FLAGS.map(open);
  } catch (error) {
    discard();
    throw error;
  }
  return {
    needsOriginals: rejects !== undefined,
    add(row) {
      report?.write(`${reportLine(row)}\n`);
      const isReject = row.result === 'conflict' || row.result === 'error';
      if (isReject && !BEATEN.includes(row.reason ?? '')) rejects?.write(`${rejectLine(row, from)}\n`);
    },
    restart() {
      for (const file of files) file.restart();
    },
    finish() {
      // All files are complete before any is renamed, so that a full disk leaves the old files in place.
      for (const file of files) file.complete();
      for (const file of files) file.finish();
    },
    discard,
  };
}

/** @throws {CliError} if the file of the flag cannot be written or would overwrite a file that the command reads */
export function openOutput(
  context: VerdictFileContext,
  flag: (typeof FLAGS)[number] | 'waiting',
  usesStdout: boolean,
): WholeFile | undefined {
  const path = context.flags.text(flag);
  if (path === undefined) return undefined;
  const kept = protectedFiles(context);
  return new WholeFile(path, {
    tempDirectory: context.tempDirectory,
    checkTarget: () => checkNotProtected(path, { name: `--${flag} ${path}`, kept, usesStdout }),
  });
}

/**
 * Runs before the input is read, because reading may take minutes.
 * @throws {CliError} if one file would overwrite another, or an input
 */
export function checkVerdictPaths(context: VerdictFileContext, usesStdout: boolean): void {
  const { flags } = context;
  const kept = protectedFiles(context);
  for (const flag of FLAGS) {
    const path = flags.text(flag);
    if (path !== undefined) checkNotProtected(path, { name: `--${flag} ${path}`, kept, usesStdout });
  }
  const [report, rejects] = FLAGS.map((flag) => flags.text(flag));
  if (report === undefined || rejects === undefined) return;
  const [identity, other] = [fileIdentity(report), fileIdentity(rejects)];
  const isSame =
    identity === other && (identity !== undefined || placeIdentity(report) === placeIdentity(rejects));
  if (isSame && !isDevice(report)) throw new CliError('--report and --rejects name the same file.');
}

/**
 * Reasons of rows that are no rejects: alone in a file, a row with the id or address of another row would take the
 * place of that row.
 */
const BEATEN: readonly string[] = ['DUPLICATE_EMAIL', 'EXTERNAL_ID_REPEATED'];

function reportLine({ isOfSeveralTables, ...verdict }: Verdict): string {
  const { file, row, result, existed, reason, externalUserId, email, message } = verdict;
  const table = isOfSeveralTables ? verdict.table : undefined;
  return JSON.stringify({ file, table, row, result, existed, reason, externalUserId, email, message });
}

const rejectLine = ({ reason, message, file, row, table, original, user }: Verdict, from: string) =>
  toJson({ reason, message, file, row, from, table, original: original ?? null, user });
