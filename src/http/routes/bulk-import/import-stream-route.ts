import { ImportBeginner } from '../../../imports/stream/import-beginner.ts';
import { assertResumable } from '../../../imports/stream/replay.ts';
import { runImport } from '../../../imports/stream/run-import.ts';
import type { AppError, ErrorCode } from '../../../lib/errors.ts';
import { ImportQuery, readImportQuery } from '../../protocol/import-query.ts';
import { clientGone } from '../../server/client-gone.ts';
import { requireRight } from '../../server/route-checks.ts';
import { SenderClock } from '../../server/sender-clock.ts';
import { sendReport, streamedBody } from '../../server/streamed.ts';
import { defineRoute, lines } from '../define-route.ts';

/** Errors that can end an answer which has begun, in place of the summary. */
const STREAM_ERRORS: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'IMPORT_EXPIRED',
  'IMPORT_TAKEN_OVER',
  'INTERNAL',
  'OVERLOADED',
  'REQUEST_MALFORMED',
  'REQUEST_TIMEOUT',
  'SHUTTING_DOWN',
  'STORAGE_UNAVAILABLE',
];

export const importStreamRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Imports users, one per line, and reports the result of each line',
    description:
      'Body and answer are NDJSON, and are sent at the same time: read the answer while you send. The answer has a line for each line, in order, after it was committed, and ends with `{"summary":{…},"importId":"…"}`. If the summary is missing, send the same lines again with the same `importId`, which the header `import-id` also has.',
    querystring: ImportQuery,
    body: lines('One user per line: the body of a single import, or a user with its login methods.'),
    response: {
      200: lines(
        `One result per line, then the summary. If the import cannot be finished, an error in place of the summary: ${STREAM_ERRORS.join(', ')}.`,
      ),
    },
  },
  errors: ['HASHING_SECRET_MISSING', 'IMPORT_EXPIRED', 'IMPORT_OPTIONS_DIFFER', 'IMPORT_ROLLED_BACK'],
  handler: (
    { imports, passwords, fingerprints, seal, vault, now, bulk, pace, streamMeter },
    { stopSignal, admit },
  ) => {
    const stopping = stopSignal('The service is stopping: send the stream again with the same importId');
    const beginner = new ImportBeginner(imports);
    const streamDeps = {
      imports,
      pace,
      passwords,
      fingerprints,
      seal,
      vault,
      now,
      maxLineBytes: bulk.maxLineBytes,
      meter: streamMeter,
    };
    return async (request, reply) => {
      // The connection is closed if the import is refused, so that the service need not wait for a long body.
      void reply.header('connection', 'close');
      const query = readImportQuery(request.query, passwords.registry);
      // A dry run requires the right, too. It would otherwise promise what the import then refuses.
      if (query.deleteMissing !== undefined) requireRight(request, 'manage');
      const options = { ...query, keyName: request.apiKeyName ?? '' };
      const broken = new AbortController();
      request.raw.once('malformed', (problem: AppError) => broken.abort(problem));
      const signal = AbortSignal.any([stopping, broken.signal, clientGone(reply)]);
      const clock = new SenderClock(bulk.idleMs);
      const body = streamedBody(request, { clock, signal });
      // The limit comes last, so that a client with an invalid request learns of the mistake first.
      admit(reply);
      await assertResumable(options.importId, { imports, seal });
      const run = await beginner.begin(options, signal);
      const withClock = { ...streamDeps, whileProcessing: clock.whilePaused };
      const report = runImport(withClock, options, run, body, signal);
      void reply.removeHeader('connection');
      return sendReport(reply, report, { importId: run.importId, clock });
    };
  },
});
