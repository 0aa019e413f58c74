import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { isUuid } from '../../lib/text/characters.ts';
import { EXIT } from '../cli-error.ts';
import type { CommandContext, RunCommand } from '../command.ts';
import { openOutput } from '../files/verdict-files.ts';
import { STDOUT } from '../files/whole-file.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { requireImport } from '../service-client/import-records.ts';
import { unintelligibleAnswer } from '../service-client/service-problem.ts';
import { ProgressLine } from '../terminal/progress-line.ts';
import type { Paint, Terminal } from '../terminal/terminal.ts';
import {
  columns,
  count,
  counted,
  durationText,
  numbersIn,
  rowsOf,
  timeText,
  wordOf,
} from '../terminal/text.ts';
import { handOverText } from './hand-over.ts';
import { rollbackRows } from './rollback.ts';

/** Number of imports that are listed; the page /imports shows all. */
const LISTED = 20;
const WAITING_PAGE = 1000;
const COUNTS = ['lines', 'created', 'updated', 'skipped', 'failed'];

export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const service = readServiceAddress(context);
  if (flags.has('waiting')) return showWaiting(context, service);
  if (flags.has('rehearsal')) return showRehearsal(context, service);
  const [importId] = words;
  if (importId !== undefined) {
    const handOver = await findHandOver(service, importId);
    if (handOver !== undefined) {
      await terminal.answer(handOver, (paint) => handOverText(handOver, paint));
      terminal.next(['user-import', 'hand-over', '--undo', importId]);
      return EXIT.ok;
    }
    const record = await requireImport(service, checkImportId(importId));
    await terminal.answer(record, (paint) => importText(record, paint));
    sayNext(terminal, importId, record);
    return EXIT.ok;
  }
  const answer = await callService(service, `/bulk-import/imports?limit=${LISTED}`);
  const { status: _, ...known } = answer;
  const handOvers = objectsIn((await callService(service, '/hand-over')).handOvers);
  await terminal.answer({ ...known, ...(handOvers.length > 0 && { handOvers }) }, (paint) =>
    [
      listText(objectsIn(answer.imports), paint),
      ...handOvers.map((one) => handOverText(one, paint, true)),
    ].join('\n'),
  );
  const [latest] = objectsIn(answer.imports);
  terminal.next(
    latest === undefined
      ? ['user-import', 'inspect', 'FILE…']
      : ['user-import', 'status', String(latest.importId)],
  );
  return EXIT.ok;
};

function sayNext(terminal: Terminal, importId: string, record: JsonObject): void {
  const { dryRun, rolledBackAt, status, failed } = record;
  if (dryRun === true || rolledBackAt !== undefined) terminal.next(['user-import', 'status']);
  else if (status !== 'FINISHED')
    terminal.next(['user-import', 'import', 'FILE…'], 'with the same files and flags, to continue it');
  else terminal.next(Number(failed) > 0 ? ['user-import', 'rejects', importId] : ['user-import', 'census']);
}

/** Writes who waits to move to an identity provider, and shows who has moved. */
async function showWaiting(context: CommandContext, service: ServiceAddress): Promise<number> {
  const { terminal, flags } = context;
  const file = openOutput(context, 'waiting', terminal.isJson);
  const line = new ProgressLine(terminal, 'reading', (logins) => counted(logins, 'login'));
  let read = 0;
  for (let after = ''; ; ) {
    const query = new URLSearchParams({ limit: String(WAITING_PAGE), after });
    const logins = objectsIn((await callService(service, `/hooks/waiting?${query}`)).logins);
    for (const login of logins) file?.write(`${JSON.stringify(login)}\n`);
    read += logins.length;
    line.update(() => ({ amount: read }));
    if (logins.length < WAITING_PAGE) break;
    const last = String(logins.at(-1)?.email);
    if (last === after) throw unintelligibleAnswer();
    after = last;
  }
  file?.finish();
  const { status: _, ...progress } = await callService(service, '/hooks/progress');
  const text = (paint: Paint) => {
    const rows = rowsOf(objectsIn(progress.moved), ['day', 'keyName', 'algorithm', 'state', 'logins']);
    return [
      `${paint.bold(wordOf(progress.waiting))} wait, ${wordOf(progress.askedAgain)} were asked about again`,
      ...(rows.length === 0
        ? []
        : columns([['day', 'key', 'hash', 'state', 'logins'], ...rows], { hasHead: true })),
      '',
    ].join('\n');
  };
  // With `-`, the lines have gone to stdout.
  if (flags.text('waiting') === STDOUT) terminal.say(text(terminal.paint).trimEnd());
  else await terminal.answer(progress, text);
  terminal.next(['user-import', 'census']);
  return EXIT.ok;
}

/** Shows who would get in. */
async function showRehearsal({ terminal }: CommandContext, service: ServiceAddress): Promise<number> {
  const { status: _, ...report } = await callService(service, '/hooks/rehearsal');
  const groups = objectsIn(report.groups).map(({ algorithm, importId, matches, causes }) => ({
    ...{ algorithm: wordOf(algorithm), importId: wordOf(importId), matches: Number(matches) },
    causes: Object.entries(numbersIn(causes)),
  }));
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const mismatches = groups.flatMap(({ causes }) => causes.map(([, number]) => number));
  const matches = sum(groups.map((group) => group.matches));
  const rows = groups.flatMap(({ algorithm, importId, causes }) =>
    causes.map(([code, number]) => [count(number), algorithm, importId, code]),
  );
  await terminal.answer(report, (paint) =>
    [
      `Of ${count(matches + sum(mismatches))} sign-ins that were right in the old system, ${paint.bold(count(matches))} match here.`,
      ...(rows.length === 0 ? [] : ['The others, by hash, import and cause:', ...columns(rows)]),
      `${wordOf(report.unknown)} were of people who are not here, or have no hash. ${wordOf(report.dropped)} were not rehearsed.`,
      ...(Number(report.alarms) > 0
        ? [
            paint.bold(
              `ALARM: ${wordOf(report.alarms)} passwords match here that were wrong in the old system.`,
            ),
          ]
        : []),
      '',
    ].join('\n'),
  );
  return Number(report.alarms) > 0 ? EXIT.someFailed : EXIT.ok;
}

/** Ids of hand-overs are UUIDs, but an import may have a UUID, too. */
async function findHandOver(service: ServiceAddress, id: string): Promise<JsonObject | undefined> {
  if (!isUuid(id)) return undefined;
  const { handOver } = await callService(service, `/hand-over/${id}`);
  return isJsonObject(handOver) ? handOver : undefined;
}

/** A few lines for each import, which fit into a narrow terminal. */
function listText(imports: readonly JsonObject[], paint: Paint): string {
  if (imports.length === 0) return 'There are no imports.\n';
  const lines = imports.flatMap((one) => {
    const removed = numbersIn(one.missing).removed ?? 0;
    const results = COUNTS.slice(1)
      .filter((name) => Number(one[name]) > 0)
      .map((name) => `${wordOf(one[name])} ${wordFor(name, one)}`)
      .concat(removed > 0 ? `${count(removed)} missing users ${removalOf(one)}` : [])
      .join(', ');
    return [
      ...headOf(one, paint),
      `  ${timeText(one.startedAt)}, ${wordOf(one.lines)} lines${results && `: ${results}`}`,
    ];
  });
  return `${lines.join('\n')}\n`;
}

function importText(one: JsonObject, paint: Paint): string {
  const lines = COUNTS.map((name) => [wordOf(one[name]), wordFor(name, one)]);
  const missing = numbersIn(one.missing);
  const sections: [title: string, rows: string[][]][] = [
    ['Lines', lines],
    [
      'Missing users: of earlier imports, and not in the files',
      Object.entries({ found: 'found', removed: removalOf(one), kept: 'kept, because they were active here' })
        .filter(([name]) => missing[name] !== undefined)
        .map(([name, what]) => [count(missing[name] ?? 0), what]),
    ],
    ['Hashes', rowsOf(objectsIn(one.hashes), ['count', 'algorithm', 'class'])],
    [
      'Failures',
      Object.entries(numbersIn(one.failuresByCode)).map(([code, number]) => [count(number), code]),
    ],
    ['Rollback', isJsonObject(one.rollback) ? rollbackRows(numbersIn(one.rollback)) : []],
  ];
  return [
    ...headOf(one, paint),
    `  begun ${timeText(one.startedAt)} with the key ${wordOf(one.apiKeyName)}, --on-conflict ${wordOf(one.onConflict)}`,
    ...(one.finishedAt === undefined ? [] : [`  finished ${timeText(one.finishedAt)}`]),
    ...(Number(one.durationMs) > 0
      ? [`  ran ${durationText(Number(one.durationMs))}, ${wordOf(one.linesPerSecond)} lines/s`]
      : []),
    ...sections.flatMap(([title, rows]) =>
      rows.length === 0 ? [] : ['', paint.bold(title), ...columns(rows)],
    ),
    '',
  ].join('\n');
}

function headOf(one: JsonObject, paint: Paint): string[] {
  const name = wordOf(one.name);
  return [`${paint.bold(wordOf(one.importId))}: ${stateOf(one)}`, ...(name === '' ? [] : [`  ${name}`])];
}

/** Says what a count of an import counts. Imports by external id also update users to disable them. */
function wordFor(name: string, { total, lines, matchBy }: JsonObject): string {
  if (name === 'updated' && matchBy === 'externalId') return 'updated or disabled';
  // Earlier versions announced too few lines.
  const isKnown = name === 'lines' && typeof total === 'number' && total >= Number(lines);
  return isKnown ? `of ${count(total)} lines` : name;
}

const removalOf = ({ dryRun }: JsonObject) => (dryRun === true ? 'would be removed' : 'removed');

const stateOf = ({ status, running, dryRun }: JsonObject) =>
  `${running ? 'running' : wordOf(status).toLowerCase().replaceAll('_', ' ')}${dryRun ? ', dry run' : ''}`;
