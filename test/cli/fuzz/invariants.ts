import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseOnlyRegistry } from '../../../src/hashing/registry.ts';
import { LineSplitter } from '../../../src/imports/input/line-splitter.ts';
import { isParsedUser } from '../../../src/imports/input/parsed-user.ts';
import { readLine } from '../../../src/imports/input/read-line.ts';
import { runCli } from '../command-line.ts';
import type { Case } from './exports.ts';

/** The service configures the maximum length of a line, which the tool does not know. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;
const RESULTS = new Set(['import', 'skip', 'conflict', 'error']);
const EXIT_CODES = new Set([0, 1, 2]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

interface Counts {
  rows: number;
  imported: number;
  skipped: number;
  conflicts: number;
  errors: number;
  advice: { level: string }[];
}

/**
 * Runs `inspect` and `convert` on the files.
 * @returns what is wrong with their output
 */
export async function problemsOf({ paths, originals }: Case, directory: string): Promise<string[]> {
  const problems: string[] = [];
  const secrets = secretsOf(originals);
  const check = (what: string, isRight: boolean) => {
    if (!isRight) problems.push(what);
  };
  const checkSaid = (command: string, text: string) => {
    check(
      `${command}: a stack or a defect: ${text.slice(0, 300)}`,
      !/^ +at .*:\d+:\d+\)?$|should not have happened/m.test(text),
    );
    check(`${command}: a control character`, !OBEYED.test(text));
    const told = secrets.find((secret) => text.includes(secret));
    check(`${command}: tells ${told}: ${text.slice(0, 600)}`, told === undefined);
  };
  const run = (args: string[]) => runCli([...args, ...paths]);

  const inspect = await run(['inspect', '--json']);
  check(`inspect: exit code ${inspect.code}`, EXIT_CODES.has(inspect.code));
  checkSaid('inspect', inspect.stderr);
  checkSaid('inspect --json', inspect.stdout);
  const counts: Counts | { error: string } = JSON.parse(inspect.stdout);
  const text = await run(['inspect']);
  check(`inspect as text: exit code ${text.code}, with --json ${inspect.code}`, text.code === inspect.code);
  checkSaid('inspect as text', `${text.stdout}${text.stderr}`);

  const report = join(directory, 'report');
  const convert = await run(['convert', '--report', report, '--rejects', join(directory, 'rejects')]);
  check(`convert: exit code ${convert.code}`, EXIT_CODES.has(convert.code));
  checkSaid('convert', convert.stderr);
  if ('error' in counts) {
    check('inspect said it cannot, convert did', convert.code === 1);
    return problems;
  }
  const { rows, imported, skipped, conflicts, errors } = counts;
  check('rows are not all counted', rows === imported + skipped + conflicts + errors);
  const written = convert.stdout.split('\n').slice(0, -1);
  const lines = written.filter((line) => !line.startsWith('{"export":'));
  if (existsSync(report)) {
    const reported: Record<string, unknown>[] = readFileSync(report, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('{"export":'))
      .map((line) => JSON.parse(line));
    check(`the report has ${reported.length} of ${rows} rows`, reported.length === rows);
    check(`${lines.length} lines of ${imported}`, lines.length === imported);
    check('the last line does not state the users', written.at(-1)?.startsWith('{"export":') === true);
    const isRight = reported.every(
      ({ result, reason, row }) =>
        RESULTS.has(String(result)) && (result === 'import') === (reason === undefined) && Number(row) >= 1,
    );
    check('a row has no reason', isRight);
  } else {
    const isStopped = counts.advice.some(({ level }) => level === 'stop');
    check('convert left no report', convert.code === 1 || (isStopped && convert.code === 2));
  }
  for (const line of lines) {
    const problem = refusal(line);
    check(`the service refuses a line: ${problem}`, problem === undefined);
  }
  return problems;
}

/** Returns why the service would refuse a line, if it would. */
function refusal(line: string): string | undefined {
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  const deps = {
    registry: parseOnlyRegistry(),
    maxLineBytes: MAX_LINE_BYTES,
    now: Date.now,
    keepsFactors: true,
  };
  const blocks = [...splitter.push(Buffer.from(`${line}\n`)), ...splitter.end()];
  for (const raw of blocks.flatMap(({ lines }) => lines)) {
    const read = readLine(deps, raw);
    if (read === undefined) return 'it is blank';
    if (!isParsedUser(read)) return `${read.code} ${read.message}`;
  }
  return undefined;
}

/** Returns the e-mail addresses and hashes in the files. */
function secretsOf(originals: readonly Buffer[]): string[] {
  const text = originals.map((bytes) => bytes.toString()).join('\n');
  const emails = text.match(/[\w.+-]{1,64}@[\w-]{1,60}\.[\w.-]{2,40}/g) ?? [];
  // A hash that consists of parameters only is not secret.
  const hashes =
    text.match(/\$[\w./+=]{22,200}(?![$,\w])|\b[0-9a-f]{40,128}\b|[A-Za-z0-9+/]{43,88}={1,2}/g) ?? [];
  return [...new Set([...emails, ...hashes])];
}
