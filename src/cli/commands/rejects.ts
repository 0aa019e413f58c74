import { isJsonObject, type JsonObject } from '../../imports/input/json-object.ts';
import type { RunCommand } from '../command.ts';
import { checkImportId } from '../import-id.ts';
import { readServiceAddress } from '../options/service-options.ts';
import { callService } from '../service/call-service.ts';
import { SHORT_TIMEOUT_MS } from '../service/open-request.ts';
import { garbled } from '../service/service-problem.ts';
import { EXIT, Stopped } from '../stopped.ts';
import { wordOf } from '../terminal/text.ts';

/** Asked for at a time. */
const PAGE = 500;

/** Lists the lines of an import that the service refused. */
export const run: RunCommand = async ({ flags, words, io, terminal }) => {
  const [importId, more] = words;
  if (importId === undefined || more !== undefined)
    throw new Stopped('Name one import: user-import rejects ID. user-import status lists them.');
  const path = `/bulk-import/imports/${checkImportId(importId)}/failures`;
  const service = readServiceAddress(flags, io.env);
  const limit = readLimit(flags.text('limit'));
  const code = flags.text('code');
  let shown = 0;
  for (let cursor: string | undefined; shown < limit; ) {
    const query = new URLSearchParams({
      limit: String(Math.min(PAGE, limit - shown)),
      ...(code !== undefined && { code }),
      ...(cursor !== undefined && { cursor }),
    });
    const answer = await callService(service, `${path}?${query}`, { timeoutMs: SHORT_TIMEOUT_MS });
    if (answer.status === 'IMPORT_EXPIRED_ERROR')
      throw new Stopped('It is too old: its failures are on record no more (import_undo_days).');
    if (answer.status !== 'OK') throw new Stopped(`There is no import ${importId}.`);
    const failures = (Array.isArray(answer.failures) ? answer.failures : []).filter(isJsonObject);
    for (const failure of failures) {
      const line = terminal.isJson ? JSON.stringify(failure) : failureText(failure);
      if (!(await terminal.result(`${line}\n`))) return EXIT.ok;
    }
    shown += failures.length;
    if (typeof answer.nextCursor !== 'string') break;
    // It is the number of a line. One that does not come behind the last would be asked for again and again.
    if (!(Number(answer.nextCursor) > Number(cursor ?? 0))) throw garbled();
    cursor = answer.nextCursor;
  }
  if (shown === 0)
    terminal.say(
      'The service refused none of its lines. Rows that never were sent are told by --report and --rejects of the import.',
    );
  return EXIT.ok;
};

const failureText = ({ line, code, message }: JsonObject) => [line, code, message].map(wordOf).join('\t');

function readLimit(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Stopped(`--limit: expected a whole number, got ${text}`);
  return Number(text);
}
