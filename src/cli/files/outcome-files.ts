import { resolve } from 'node:path';
import { toJson } from '../../imports/input/exact-json.ts';
import type { Verdict } from '../../sources/pipeline/verdict.ts';
import { Stopped } from '../stopped.ts';
import { WholeFile } from './whole-file.ts';

/** Where rows are written once it is known what became of them. */
export interface OutcomeFiles {
  /** Are the rows themselves needed? */
  readonly needsOriginals: boolean;
  add(row: Verdict): void;
  restart(): void;
  finish(): void;
  discard(): void;
}

export interface OutcomePaths {
  report: string | undefined;
  rejects: string | undefined;
  /** The files that are read. */
  inputs: readonly string[];
  /** The system, as `--from` takes it. */
  from: string;
}

/** Opens the report and the rejects that are asked for. @throws {Stopped} where one cannot be written */
export function openOutcomeFiles(paths: OutcomePaths): OutcomeFiles {
  checkPaths(paths);
  const report = paths.report === undefined ? undefined : new WholeFile(paths.report);
  const rejects = paths.rejects === undefined ? undefined : new WholeFile(paths.rejects);
  const files = [report, rejects].filter((file) => file !== undefined);
  return {
    needsOriginals: rejects !== undefined,
    add(row) {
      report?.write(`${reportLine(row)}\n`);
      if (row.result === 'conflict' || row.result === 'error')
        rejects?.write(`${rejectLine(row, paths.from)}\n`);
    },
    restart() {
      for (const file of files) file.restart();
    },
    finish() {
      // None takes its place where another cannot.
      for (const file of files) file.complete();
      for (const file of files) file.finish();
    },
    discard() {
      for (const file of files) file.discard();
    },
  };
}

/** Rejects may take the place of those that were read: what is left of them. A report would take that of the users. */
function checkPaths({ report, rejects, inputs }: OutcomePaths): void {
  if (report === undefined) return;
  const path = resolve(report);
  if (rejects !== undefined && resolve(rejects) === path)
    throw new Stopped('--report and --rejects name the same file.');
  if (inputs.some((input) => resolve(input) === path))
    throw new Stopped(`--report ${report} is one of the files that are read: it would be gone.`);
}

/** What became of a row. As `JSON.stringify` of these members, in half the time: there may be millions. */
function reportLine({ file, row, result, reason, externalUserId, email, message }: Verdict): string {
  return `{"file":${JSON.stringify(file)},"row":${row},"result":"${result}"${member('reason', reason)}${member('externalUserId', externalUserId)}${member('email', email)}${member('message', message)}}`;
}

const member = (name: string, value: string | undefined) =>
  value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`;

/** A row that failed, and all that is needed to import it once it is mended. */
const rejectLine = ({ reason, message, file, row, table, original, user }: Verdict, from: string) =>
  toJson({ reason, message, file, row, from, table, original: original ?? null, user });
