import type { JsonObject } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { readPartId, rowOf } from '../parts.ts';
import { findImportWithParts } from '../service-client/find-import-with-parts.ts';
import { type FailureQuery, listFailures, UnknownImport } from '../service-client/list-failures.ts';
import { SHORT_TIMEOUT_MS } from '../service-client/open-request.ts';
import { wordOf } from '../terminal/text.ts';

/** Lists the lines (users) of an import that the service refused. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const [importId, more] = words;
  if (importId === undefined || more !== undefined)
    throw new CliError('Name one import: user-import rejects ID. user-import status lists them.');
  checkImportId(importId);
  const service = readServiceAddress(context);
  const limit = readLimit(flags.text('limit'));
  let shown = 0;
  for await (const failure of failuresOf(service, { importId, code: flags.text('code'), limit })) {
    const line = terminal.isJson ? JSON.stringify(failure) : failureText(failure);
    if (!(await terminal.result(`${line}\n`))) return EXIT.ok;
    shown += 1;
    if (shown >= limit) break;
  }
  if (shown === 0)
    terminal.say(
      'The service refused no lines of this import. For rows that were never sent, see the files of --report and --rejects.',
    );
  return EXIT.ok;
};

/** Yields the failures of an import or of one of its parts. `line` is the row number over all files. */
async function* failuresOf(service: ServiceAddress, query: FailureQuery): AsyncGenerator<JsonObject> {
  try {
    const { part = 0, parallel = 1 } = readPartId(query.importId) ?? {};
    yield* withRows(listFailures(service, query), part, parallel);
    return;
  } catch (error) {
    if (!(error instanceof UnknownImport)) throw error;
  }
  const whole = await findImportWithParts(service, query.importId, { timeoutMs: SHORT_TIMEOUT_MS });
  if (whole === undefined) throw new CliError(`There is no import ${query.importId}.`);
  const { parts, parallel } = whole;
  yield* byRow(
    parts.map(({ importId, part }) =>
      withRows(listFailures(service, { ...query, importId }), part, parallel),
    ),
  );
}

async function* withRows(failures: AsyncIterable<JsonObject>, part: number, parallel: number) {
  for await (const failure of failures)
    yield parallel === 1 ? failure : { ...failure, line: rowOf(Number(failure.line), part, parallel) };
}

/** Merges the failed rows of several parts, each sorted by `line`, into one sorted list. */
async function* byRow(lists: readonly AsyncGenerator<JsonObject>[]): AsyncGenerator<JsonObject> {
  const heads = await Promise.all(lists.map((list) => list.next()));
  for (;;) {
    const lines = heads.map(({ done, value }) => (done ? Number.POSITIVE_INFINITY : Number(value.line)));
    const index = lines.indexOf(Math.min(...lines));
    const [head, list] = [heads[index], lists[index]];
    if (head === undefined || list === undefined || head.done) return;
    yield head.value;
    heads[index] = await list.next();
  }
}

const failureText = ({ line, code, message }: JsonObject) => [line, code, message].map(wordOf).join('\t');

function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new CliError(`--limit: expected a whole number, got ${text}`);
  return Number(text);
}
