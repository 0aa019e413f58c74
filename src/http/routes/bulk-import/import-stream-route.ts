import type { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { ImportBeginner } from '../../../imports/stream/import-beginner.ts';
import { runImport } from '../../../imports/stream/run-import.ts';
import { AppError, type ErrorCode } from '../../../lib/errors.ts';
import type { App, RouteDeps } from '../../context.ts';
import { clientGone } from '../../server/client-gone.ts';
import { IdleClock } from '../../server/idle-clock.ts';
import { RequestLimit } from '../../server/request-limit.ts';
import { streamedBody } from '../../server/streamed-body.ts';
import { sendReport } from '../../server/streamed-report.ts';
import { ImportQuery, readImportQuery } from '../../wire/import-query.ts';

/** What the last line of an answer may say in place of the summary. */
const STREAM_ERRORS: readonly ErrorCode[] = [
  'BODY_TOO_LARGE',
  'IMPORT_TAKEN_OVER',
  'INTERNAL',
  'OVERLOADED',
  'REQUEST_MALFORMED',
  'REQUEST_TIMEOUT',
  'SHUTTING_DOWN',
  'STORAGE_UNAVAILABLE',
];

/** A stream of lines, which no schema can check. */
const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

export async function importStreamRoute(app: App, deps: RouteDeps): Promise<void> {
  const { imports, passwords, now, bulk, pace } = deps;
  const stopping = new AbortController();
  app.addHook('preClose', async () => {
    stopping.abort(
      new AppError('SHUTTING_DOWN', 'The service is stopping: send the stream again with the same importId'),
    );
  });
  const streams = new RequestLimit(bulk.maxStreams, 'too many imports run (bulk_import_connections)');
  const { registry } = passwords;
  const beginner = new ImportBeginner(imports);
  const streamDeps = { imports, pace, passwords, now, registry, maxLineBytes: bulk.maxLineBytes };

  app.post(
    '/bulk-import/stream',
    {
      config: {
        appLevel: true,
        kind: 'bulk',
        streamsBody: true,
        errors: ['IMPORT_EXPIRED', 'IMPORT_OPTIONS_DIFFER', 'IMPORT_ROLLED_BACK'],
      },
      schema: {
        tags: ['import'],
        summary: 'Imports users, one a line, and reports on each line',
        description:
          'Body and answer are NDJSON and flow at the same time: read the answer while you send. The answer has a line for each line, in order, once it is committed, then `{"summary":{…},"importId":"…"}`; where the summary is missing, send the same lines again with the same `importId`, which the `import-id` header names too.',
        querystring: ImportQuery,
        body: lines('One user a line: the body of a single import, or a user with its login methods.'),
        response: {
          200: lines(
            `One result a line, then the summary; where that cannot be, an error: ${STREAM_ERRORS.join(', ')}.`,
          ),
        },
      },
    },
    async (request, reply) => {
      // What is left of the body when this is answered with an error is not waited for.
      void reply.header('connection', 'close');
      const options = { ...readImportQuery(request.query), keyName: request.apiKeyName ?? '' };
      const broken = new AbortController();
      request.raw.once('malformed', (problem: AppError) => broken.abort(problem));
      const signal = AbortSignal.any([stopping.signal, broken.signal, clientGone(reply)]);
      const idle = new IdleClock(bulk.idleMs);
      const body = streamedBody(request, { idle, signal });
      streams.admit(reply);
      const run = await beginner.begin(options, signal);
      const withClock = { ...streamDeps, whileProcessing: idle.whilePaused };
      const report = runImport(withClock, options, run, body, signal);
      void reply.removeHeader('connection');
      return sendReport(reply, report, { importId: run.importId, idle });
    },
  );
}
