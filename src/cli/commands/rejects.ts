import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readImportId, readPartId, rowOf } from '../import-id.ts';
import { readServiceAddresses, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { requireImport } from '../service-client/import-records.ts';
import { unintelligibleAnswer } from '../service-client/service-problem.ts';
import { wordOf } from '../terminal/text.ts';

/** Lists the lines (users) of an import that the service refused. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const importId = readImportId(words, 'rejects');
  const [service] = readServiceAddresses(context);
  const limit = flags.number('limit') ?? Number.POSITIVE_INFINITY;
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
  const { parts, parallel } = await requireImport(service, query.importId);
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

const PAGE = 500;

class UnknownImport extends Error {}

interface FailureQuery {
  importId: string;
  code: string | undefined;
  limit: number;
}

/**
 * Yields the lines of an import that the service refused, in order.
 * @throws {CliError} if the service has deleted its records of them
 * @throws {UnknownImport}
 */
async function* listFailures(
  service: ServiceAddress,
  { importId, code, limit }: FailureQuery,
): AsyncGenerator<JsonObject> {
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE, limit)),
      ...(code !== undefined && { code }),
      ...(cursor !== undefined && { cursor }),
    });
    const path = `/bulk-import/imports/${importId}/failures?${query}`;
    const answer = await callService(service, path);
    if (answer.status === 'IMPORT_EXPIRED_ERROR')
      throw new CliError(
        `Import ${importId} finished more than import_undo_days ago; the service has deleted its failures.`,
      );
    if (answer.status !== 'OK') throw new UnknownImport();
    yield* objectsIn(answer.failures);
    if (typeof answer.nextCursor !== 'string') return;
    // The cursor is a line number and must increase. Otherwise this loop could run for ever.
    if (!(Number(answer.nextCursor) > Number(cursor ?? 0))) throw unintelligibleAnswer();
    cursor = answer.nextCursor;
  }
}
