import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { isUuid } from '../../lib/text/characters.ts';
import { EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { openOutput } from '../files/verdict-files.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService, PAGE, pagesOf } from '../service-client/call-service.ts';
import { requireImport } from '../service-client/import-records.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import type { Paint } from '../terminal/terminal.ts';
import {
  columns,
  count,
  counted,
  durationText,
  linesOf,
  numbersIn,
  rowsOf,
  section,
  table,
  timeText,
  wordOf,
} from '../terminal/text.ts';
import { handOverText } from './hand-over.ts';
import { rollbackRows } from './rollback.ts';

/** Number of imports that are listed; the page /imports shows all. */
const LISTED = 20;
const COUNTS = ['lines', 'created', 'updated', 'skipped', 'failed'];

export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const service = readServiceAddress(context);
  if (flags.has('waiting')) return showWaiting(context, service);
  if (flags.has('rehearsal')) return showRehearsal(context, service);
  const [importId] = words;
  if (importId !== undefined) return showOne(context, service, importId);
  const { status: _, ...known } = await callService(service, `/bulk-import/imports?limit=${LISTED}`);
  const imports = objectsIn(known.imports);
  const handOvers = objectsIn((await callService(service, '/hand-over')).handOvers);
  await terminal.answer({ ...known, ...(handOvers.length > 0 && { handOvers }) }, (paint) =>
    linesOf(
      imports.length === 0 && 'There are no imports.',
      imports.flatMap((one) => listed(one, paint)),
      handOvers.flatMap((one) => ['', ...handOverText(one, paint, true)]),
    ),
  );
  const [latest] = imports;
  const look = latest === undefined ? ['inspect', 'FILE…'] : ['status', String(latest.importId)];
  terminal.next(['user-import', ...look]);
  return EXIT.ok;
};

async function showOne({ terminal }: CommandContext, service: ServiceAddress, id: string): Promise<number> {
  // A UUID may be the id of a hand-over or of an import.
  const { handOver } = isUuid(id) ? await callService(service, `/hand-over/${id}`) : {};
  if (isJsonObject(handOver)) {
    await terminal.answer(handOver, (paint) => handOverText(handOver, paint));
    terminal.next(['user-import', 'hand-over', '--undo', id]);
    return EXIT.ok;
  }
  const record = await requireImport(service, checkImportId(id));
  await terminal.answer(record, (paint) => importText(record, paint));
  const { dryRun, rolledBackAt, status, failed } = record;
  if (dryRun === true || rolledBackAt !== undefined) terminal.next(['user-import', 'status']);
  else if (status !== 'FINISHED')
    terminal.next(['user-import', 'import', 'FILE…'], 'with the same files and flags, to continue it');
  else terminal.next(['user-import', ...(Number(failed) > 0 ? ['rejects', id] : ['census'])]);
  return EXIT.ok;
}

/**
 * Writes the logins that wait to move to an identity provider to the file of --waiting, and shows how many have moved.
 */
async function showWaiting(context: CommandContext, service: ServiceAddress): Promise<number> {
  const { terminal } = context;
  const file = openOutput(context, 'waiting');
  const line = new ProgressLine(terminal, 'reading', (logins) => counted(logins, 'login'));
  let read = 0;
  const pages = pagesOf(service, '/hooks/waiting', {
    ...{ list: 'logins', cursor: 'after' },
    next: (_, logins) => (logins.length < PAGE ? undefined : logins.at(-1)?.email),
  });
  for await (const { items } of pages) {
    for (const login of items) file?.write(`${JSON.stringify(login)}\n`);
    read += items.length;
    line.update(() => ({ amount: read }));
  }
  file?.finish();
  const { status: _, ...progress } = await callService(service, '/hooks/progress');
  const moved = rowsOf(objectsIn(progress.moved), ['day', 'keyName', 'algorithm', 'state', 'logins']);
  const text = (paint: Paint) =>
    linesOf(
      `${paint.bold(wordOf(progress.waiting))} wait, ${wordOf(progress.askedAgain)} were asked about again`,
      table(['day', 'key', 'hash', 'state', 'logins'], moved),
    );
  await terminal.answer(progress, text);
  if (progress.moving === false) terminal.warn(await whyNobodyMoves(service));
  terminal.next(['user-import', 'census']);
  return EXIT.ok;
}

async function whyNobodyMoves(service: ServiceAddress): Promise<string> {
  const { legacySignIn } = await callService(service, '/recipe/user/passwordhash/census');
  const others =
    legacySignIn === true
      ? 'People who wait for a first sign-in at the legacy system are in user-import census.'
      : 'The service does not ask a legacy system at first sign-ins, either (legacy_signin_for).';
  return `The service serves no hook that moves users (password_hooks), so nobody in this list moves to another provider. ${others}`;
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);

/** Shows the result of a rehearsal: how many sign-ins at the old system would have succeeded here. */
async function showRehearsal({ terminal }: CommandContext, service: ServiceAddress): Promise<number> {
  const { status: _, ...report } = await callService(service, '/hooks/rehearsal');
  const groups = objectsIn(report.groups);
  const mismatches = groups.flatMap(({ algorithm, importId, causes }) =>
    Object.entries(numbersIn(causes)).map(([code, number]) => ({ algorithm, importId, code, number })),
  );
  const matches = sum(groups.map((group) => Number(group.matches)));
  const all = matches + sum(mismatches.map(({ number }) => number));
  const others = columns(rowsOf(mismatches, ['number', 'algorithm', 'importId', 'code']));
  const isAlarm = Number(report.alarms) > 0;
  await terminal.answer(report, (paint) =>
    linesOf(
      `Of ${count(all)} sign-ins that were right in the old system, ${paint.bold(count(matches))} match here.`,
      others.length > 0 && ['The others, by hash, import and cause:', ...others],
      `${wordOf(report.unknown)} were of people who are not here, or have no hash. ${wordOf(report.dropped)} were not rehearsed.`,
      isAlarm &&
        paint.bold(`ALARM: ${wordOf(report.alarms)} passwords match here that were wrong in the old system.`),
    ),
  );
  return isAlarm ? EXIT.someFailed : EXIT.ok;
}

/** Returns a few lines about an import that fit into a narrow terminal. */
function listed(one: JsonObject, paint: Paint): string[] {
  const removed = numbersIn(one.missing).removed ?? 0;
  const results = linesOf(
    COUNTS.slice(1)
      .filter((name) => Number(one[name]) > 0)
      .map((name) => `${wordOf(one[name])} ${wordFor(name, one)}`),
    removed > 0 && `${count(removed)} missing users ${removalOf(one)}`,
  ).join(', ');
  const lines = `  ${timeText(one.startedAt)}, ${counted(Number(one.lines), 'line')}${results && `: ${results}`}`;
  return linesOf(headOf(one, paint), lines);
}

function importText(one: JsonObject, paint: Paint): string[] {
  const missing = numbersIn(one.missing);
  const missed = { found: 'found', removed: removalOf(one), kept: 'kept, because they were active here' };
  const inBold = (title: string, rows: string[][]) => section(paint.bold(title), rows);
  return linesOf(
    headOf(one, paint),
    `  begun ${timeText(one.startedAt)} with the key ${wordOf(one.apiKeyName)}, --on-conflict ${wordOf(one.onConflict)}`,
    one.finishedAt !== undefined && `  finished ${timeText(one.finishedAt)}`,
    Number(one.durationMs) > 0 &&
      `  ran ${durationText(Number(one.durationMs))}, ${wordOf(one.linesPerSecond)} lines/s`,
    inBold(
      'Lines',
      COUNTS.map((name) => [wordOf(one[name]), wordFor(name, one)]),
    ),
    inBold(
      'Missing users: of earlier imports, and not in the files',
      Object.entries(missed).flatMap(([name, what]) =>
        missing[name] === undefined ? [] : [[count(missing[name]), what]],
      ),
    ),
    inBold('Hashes', rowsOf(objectsIn(one.hashes), ['count', 'algorithm', 'class'])),
    inBold(
      'Failures',
      Object.entries(numbersIn(one.failuresByCode)).map(([code, number]) => [count(number), code]),
    ),
    inBold('Rollback', isJsonObject(one.rollback) ? rollbackRows(numbersIn(one.rollback)) : []),
  );
}

function headOf(one: JsonObject, paint: Paint): string[] {
  const { status, running, dryRun } = one;
  const name = wordOf(one.name);
  const state = running ? 'running' : wordOf(status).toLowerCase().replaceAll('_', ' ');
  const head = `${paint.bold(wordOf(one.importId))}: ${state}${dryRun ? ', dry run' : ''}`;
  return linesOf(head, name !== '' && `  ${name}`);
}

/** Returns the label of a count. In imports by external id, the count of updates includes users who were disabled. */
function wordFor(name: string, { total, lines, matchBy, dryRun }: JsonObject): string {
  const would = dryRun === true ? 'would be ' : '';
  if (name === 'updated') return `${would}updated${matchBy === 'externalId' ? ' or disabled' : ''}`;
  if (name === 'created') return `${would}created`;
  // The total is left out if it is too small: earlier versions of this tool sent such totals.
  const isKnown = name === 'lines' && typeof total === 'number' && total >= Number(lines);
  return isKnown ? `of ${count(total)} lines` : name;
}

const removalOf = ({ dryRun }: JsonObject) => (dryRun === true ? 'would be removed' : 'removed');
