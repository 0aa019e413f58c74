import { toJson } from '../../imports/input/exact-json.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import type { CommandContext } from '../command.ts';
import { fileIdentity, isDevice, type KeptFile, keptFiles, placeIdentity } from '../kept-files.ts';
import { Stopped } from '../stopped.ts';
import { ownDescriptor, WholeFile } from './whole-file.ts';

/** Where rows are written once it is known what became of them. */
export interface OutcomeFiles {
  /** Are the rows themselves needed? */
  readonly needsOriginals: boolean;
  add(row: Verdict): void;
  restart(): void;
  finish(): void;
  discard(): void;
}

/** What `openOutcomeFiles` needs to know of a command. */
export type OutcomeContext = Pick<CommandContext, 'flags' | 'words' | 'io' | 'tempDirectory'>;

const FLAGS = ['report', 'rejects'] as const;

/**
 * Opens the files of `--report` and `--rejects`.
 * @param from the system, as `--from` takes it
 * @param usesStdout whether the command has results for stdout
 * @throws {Stopped} where one cannot be written, or would replace a file that the command reads
 */
export function openOutcomeFiles(context: OutcomeContext, from: string, usesStdout: boolean): OutcomeFiles {
  checkOutcomePaths(context, usesStdout);
  const { flags, tempDirectory } = context;
  const files: WholeFile[] = [];
  const discard = () => {
    for (const file of files) file.discard();
  };
  const open = (flag: (typeof FLAGS)[number]): WholeFile | undefined => {
    const path = flags.text(flag);
    if (path === undefined) return undefined;
    const kept = keptFiles(context);
    const file = new WholeFile(path, {
      tempDirectory,
      checkTarget: () => checkKept(flag, path, kept, usesStdout),
    });
    files.push(file);
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
      if (row.result === 'conflict' || row.result === 'error') rejects?.write(`${rejectLine(row, from)}\n`);
    },
    restart() {
      for (const file of files) file.restart();
    },
    finish() {
      // None takes its place where another cannot.
      for (const file of files) file.complete();
      for (const file of files) file.finish();
    },
    discard,
  };
}

/**
 * Compares the files of `--report` and `--rejects` with each other and with all that the command reads, by
 * device and inode. Called
 * before anything is read, which may take minutes.
 * @throws {Stopped} where one would replace another
 */
export function checkOutcomePaths(context: OutcomeContext, usesStdout: boolean): void {
  const { flags } = context;
  const kept = keptFiles(context);
  for (const flag of FLAGS) {
    const path = flags.text(flag);
    if (path !== undefined) checkKept(flag, path, kept, usesStdout);
  }
  const [report, rejects] = FLAGS.map((flag) => flags.text(flag));
  if (report === undefined || rejects === undefined) return;
  const [identity, other] = [fileIdentity(report), fileIdentity(rejects)];
  const isSame =
    identity === other && (identity !== undefined || placeIdentity(report) === placeIdentity(rejects));
  if (isSame && !isDevice(report)) throw new Stopped('--report and --rejects name the same file.');
}

function checkKept(flag: string, path: string, kept: readonly KeptFile[], usesStdout: boolean): void {
  const descriptor = ownDescriptor(path);
  if (descriptor === 1 && usesStdout)
    throw new Stopped(`--${flag} ${path}: the results of this command go to stdout. Name another file.`);
  const identity = fileIdentity(path);
  // A descriptor may be written to, but not where it leads to a file that is read.
  const found = kept.find(
    (one) => one.identity === identity && (descriptor === undefined || one.descriptor !== descriptor),
  );
  if (identity !== undefined && found !== undefined)
    throw new Stopped(`--${flag} ${path} ${found.use}: it would be gone. Name another file.`);
}

/** What became of a row. As `JSON.stringify` of these members, in half the time: there may be millions. */
function reportLine(verdict: Verdict): string {
  const { file, row, table, isOfSeveralTables, result, reason, externalUserId, email, message } = verdict;
  return `{"file":${JSON.stringify(file)}${member('table', isOfSeveralTables ? table : undefined)},"row":${row},"result":"${result}"${member('reason', reason)}${member('externalUserId', externalUserId)}${member('email', email)}${member('message', message)}}`;
}

const member = (name: string, value: string | undefined) =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;

/** A row that failed, and all that is needed to import it once it is mended. */
const rejectLine = ({ reason, message, file, row, table, original, user }: Verdict, from: string) =>
  toJson({ reason, message, file, row, from, table, original: original ?? null, user });
