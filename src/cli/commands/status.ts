import { isJsonObject, type JsonObject } from '../../lib/json/json-object.ts';
import { isUuid } from '../../lib/text/uuid.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService, SHORT_TIMEOUT_MS } from '../service-client/call-service.ts';
import { findImportWithParts, type ImportWithParts } from '../service-client/import-records.ts';
import type { Paint } from '../terminal/terminal.ts';
import { columns, count, durationText, printable, wordOf } from '../terminal/text.ts';
import { handOverText } from './hand-over.ts';

const DEFAULT_LIMIT = '20';
const MAX_TIME_MS = 8.64e15;
const COUNTS = ['lines', 'created', 'updated', 'skipped', 'failed'];

export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const service = readServiceAddress(context);
  const [importId, more] = words;
  if (more !== undefined) throw new CliError('Name one import, or none to list them.');
  const timeout = { timeoutMs: SHORT_TIMEOUT_MS };
  if (importId !== undefined) {
    const handOver = await findHandOver(service, importId);
    if (handOver !== undefined) {
      await terminal.result(
        terminal.isJson ? `${JSON.stringify(handOver)}\n` : handOverText(handOver, terminal.paintResult),
      );
      return EXIT.ok;
    }
    const whole = await findImportWithParts(service, checkImportId(importId), timeout);
    if (whole === undefined)
      throw new CliError(`There is no import ${importId}: user-import status lists them.`);
    const text = terminal.isJson
      ? `${JSON.stringify(whole.record)}\n`
      : importText(whole, terminal.paintResult);
    await terminal.result(text);
    return EXIT.ok;
  }
  const limit = encodeURIComponent(flags.text('limit') ?? DEFAULT_LIMIT);
  const answer = await callService(service, `/bulk-import/imports?limit=${limit}`, timeout);
  const { status: _, ...known } = answer;
  const handOvers = await listHandOvers(service);
  await terminal.result(
    terminal.isJson
      ? `${JSON.stringify({ ...known, ...(handOvers.length > 0 && { handOvers }) })}\n`
      : [
          listText(answer.imports),
          ...handOvers.map((one) => handOverText(one, terminal.paintResult, true)),
        ].join('\n'),
  );
  return EXIT.ok;
};

/** Ids of hand-overs are UUIDs, but an import may have a UUID, too. */
async function findHandOver(service: ServiceAddress, id: string): Promise<JsonObject | undefined> {
  if (!isUuid(id)) return undefined;
  const { handOver } = await callService(service, `/hand-over/${id}`, { timeoutMs: SHORT_TIMEOUT_MS });
  return isJsonObject(handOver) ? handOver : undefined;
}

async function listHandOvers(service: ServiceAddress): Promise<JsonObject[]> {
  const { handOvers } = await callService(service, '/hand-over', { timeoutMs: SHORT_TIMEOUT_MS });
  return (Array.isArray(handOvers) ? handOvers : []).filter(isJsonObject);
}

function listText(imports: unknown): string {
  const rows = (Array.isArray(imports) ? imports : [])
    .filter(isJsonObject)
    .map((one) => [
      wordOf(one.importId),
      timeText(one.startedAt),
      stateOf(one),
      ...COUNTS.map((name) => numberText(one[name])),
    ]);
  if (rows.length === 0) return 'There are no imports.\n';
  return `${columns([['import', 'begun', '', ...COUNTS], ...rows], '').join('\n')}\n`;
}

function importText({ record: one, parts }: ImportWithParts, paint: Paint): string {
  const hashes = (Array.isArray(one.hashes) ? one.hashes : []).filter(isJsonObject);
  const failures = isJsonObject(one.failuresByCode) ? Object.entries(one.failuresByCode) : [];
  const section = (title: string, rows: string[][]) =>
    rows.length === 0 ? [] : ['', paint.bold(title), ...columns(rows)];
  return [
    `${paint.bold(wordOf(one.importId))}: ${stateOf(one)}`,
    `  begun ${timeText(one.startedAt)} with the key ${wordOf(one.apiKeyName)}, --on-conflict ${wordOf(one.onConflict)}`,
    ...(one.finishedAt === undefined ? [] : [`  finished ${timeText(one.finishedAt)}`]),
    ...(Number(one.durationMs) > 0
      ? [`  ran ${durationText(Number(one.durationMs))}, ${numberText(one.linesPerSecond)} lines/s`]
      : []),
    ...section(
      'Parts',
      parts.length === 1
        ? []
        : parts.map(({ record }) => [
            wordOf(record.importId),
            stateOf(record),
            ...COUNTS.map((name) => `${numberText(record[name])} ${name}`),
          ]),
    ),
    ...section(
      'Lines',
      COUNTS.map((name) => [
        numberText(one[name]),
        name === 'lines' && typeof one.total === 'number' ? `of ${count(one.total)} lines` : name,
      ]),
    ),
    ...section(
      'Hashes',
      hashes.map((hash) => [numberText(hash.count), wordOf(hash.algorithm), wordOf(hash.class)]),
    ),
    ...section(
      'Failures',
      failures.map(([code, number]) => [numberText(number), printable(code)]),
    ),
    ...section(
      'Rollback',
      Object.entries(isJsonObject(one.rollback) ? one.rollback : {}).map(([name, number]) => [
        numberText(number),
        printable(name),
      ]),
    ),
    '',
  ].join('\n');
}

const stateOf = ({ status, running, dryRun }: JsonObject) =>
  `${running ? 'running' : wordOf(status).toLowerCase().replaceAll('_', ' ')}${dryRun ? ', dry run' : ''}`;
const numberText = (value: unknown) => (typeof value === 'number' ? count(value) : '');
const timeText = (ms: unknown) =>
  typeof ms === 'number' && Math.abs(ms) <= MAX_TIME_MS
    ? `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`
    : '';
