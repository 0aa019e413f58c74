import { type JsonObject, objectsIn } from '../../lib/json/json-object.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { RunCommand } from '../command.ts';
import { readImportId } from '../import-id.ts';
import { readServiceAddress, type ServiceAddress } from '../options/service-options.ts';
import { callService } from '../service-client/call-service.ts';
import { unknownImport } from '../service-client/import-records.ts';
import { unintelligibleAnswer } from '../service-client/service-problem.ts';
import { wordOf } from '../terminal/text.ts';

/** Lists the lines (users) of an import that the service refused. */
export const run: RunCommand = async (context) => {
  const { flags, words, terminal } = context;
  const importId = readImportId(words, 'rejects');
  const service = readServiceAddress(context);
  const limit = flags.number('limit') ?? Number.POSITIVE_INFINITY;
  let shown = 0;
  for await (const failure of listFailures(service, { importId, code: flags.text('code'), limit })) {
    const line = terminal.isJson ? JSON.stringify(failure) : failureText(failure);
    if (!(await terminal.result(`${line}\n`))) return EXIT.ok;
    shown += 1;
    if (shown >= limit) break;
  }
  if (shown === 0)
    terminal.say(
      'The service refused no lines of this import. For rows that were never sent, see the files of --report and --rejects.',
    );
  else
    terminal.next(
      'user-import import FILE… --rejects rejects.ndjson      # the same files: writes these rows, to correct',
    );
  return EXIT.ok;
};

const failureText = ({ line, code, message }: JsonObject) => [line, code, message].map(wordOf).join('\t');

const PAGE = 500;

interface FailureQuery {
  importId: string;
  code: string | undefined;
  limit: number;
}

/**
 * Yields the lines of an import that the service refused, in order.
 * @throws {CliError} if the service has no such import, or has deleted its records of them
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
    if (answer.status !== 'OK') throw unknownImport(importId);
    yield* objectsIn(answer.failures);
    if (typeof answer.nextCursor !== 'string') return;
    // The cursor is a line number and must increase. Otherwise this loop could run for ever.
    if (!(Number(answer.nextCursor) > Number(cursor ?? 0))) throw unintelligibleAnswer();
    cursor = answer.nextCursor;
  }
}
