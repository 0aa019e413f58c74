import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { AppError } from '../../errors.ts';
import { ON_CONFLICT, type OnConflict } from '../../imports/plan-chunk.ts';
import { beginImport, runImport } from '../../imports/run-import.ts';
import { clientGone } from '../client-gone.ts';
import type { App, RouteDeps } from '../context.ts';
import { toAppError } from '../error-handler.ts';
import { QueryField } from '../query.ts';
import { streamedBody } from '../streamed-body.ts';

const IMPORT_ID = /^[A-Za-z0-9._-]{1,64}$/;

function readBoolean(name: string, value = 'false'): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new AppError('QUERY_INVALID', `Field name '${name}' is invalid in query: expected true or false`);
}

function readOnConflict(value = 'update-unchanged'): OnConflict {
  const found = ON_CONFLICT.find((one) => one === value);
  if (found !== undefined) return found;
  throw new AppError(
    'QUERY_INVALID',
    `Field name 'onConflict' is invalid in query: expected one of ${ON_CONFLICT.join(', ')}`,
  );
}

function readImportId(value: string = uuidv7()): string {
  if (IMPORT_ID.test(value)) return value;
  throw new AppError(
    'QUERY_INVALID',
    "Field name 'importId' is invalid in query: expected 1 to 64 of A-Z a-z 0-9 . _ -",
  );
}

/** A stream of lines, which no schema can check. */
const lines = (description: string) => ({
  description,
  content: { 'application/x-ndjson': { schema: Type.Unsafe<Readable>({ description }) } },
});

export async function importStreamRoute(app: App, deps: RouteDeps): Promise<void> {
  const { imports, passwords, now, bulk } = deps;
  const stopping = new AbortController();
  app.addHook('preClose', async () => {
    stopping.abort(
      new AppError('SHUTTING_DOWN', 'The service is stopping: send the stream again with the same importId'),
    );
  });
  let streams = 0;

  app.post(
    '/bulk-import/stream',
    {
      config: { appLevel: true, streamsBody: true },
      schema: {
        tags: ['import'],
        summary: 'Imports users, one a line, and reports on each line',
        description:
          'Body and answer are NDJSON and flow at the same time: read the answer while you send. The answer has a line for each line, in order, once it is committed, then `{"summary":{…},"importId":"…"}`; where the summary is missing, send the same lines again with the same `importId`, which the `import-id` header names too.',
        querystring: Type.Object({
          dryRun: QueryField('`true`: checks everything and reports the same, but writes nothing.'),
          onConflict: QueryField(
            'What becomes of a login that exists: `update-unchanged` (default; replaces a hash that an import wrote), `overwrite`, `skip`, `fail`.',
          ),
          importId: QueryField('Resumes this import, or begins one of this name.'),
        }),
        body: lines('One user a line: the body of a single import, or a user with its login methods.'),
        response: { 200: lines('One result a line, then the summary.') },
      },
    },
    async (request, reply) => {
      // What is left of the body when this is answered with an error is not waited for.
      void reply.header('connection', 'close');
      const { query } = request;
      const options = {
        importId: readImportId(query.importId),
        keyName: request.apiKeyName ?? '',
        dryRun: readBoolean('dryRun', query.dryRun),
        onConflict: readOnConflict(query.onConflict),
      };
      const signal = AbortSignal.any([stopping.signal, clientGone(reply)]);
      const body = streamedBody(request, { idleMs: bulk.idleMs, signal });
      if (streams >= bulk.maxStreams) {
        throw new AppError(
          'OVERLOADED',
          'Service is overloaded: too many imports run (bulk_import_connections)',
        );
      }
      streams += 1;
      reply.raw.once('close', () => {
        streams -= 1;
      });
      const streamDeps = {
        imports,
        passwords,
        now,
        registry: passwords.registry,
        maxLineBytes: bulk.maxLineBytes,
      };
      const run = await beginImport(streamDeps, options);
      const report = withLastWord(
        runImport(streamDeps, options, run, body, signal),
        { request, reply },
        run.importId,
      );
      void reply.removeHeader('connection').header('import-id', run.importId);
      return reply
        .type('application/x-ndjson; charset=utf-8')
        .send(Readable.from(report, { objectMode: false }));
    },
  );
}

/** Where an answer that has begun cannot be finished, its last line says why. */
async function* withLastWord(
  report: AsyncGenerator<string | Buffer>,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  importId: string,
): AsyncGenerator<string | Buffer> {
  try {
    yield* report;
  } catch (error) {
    // Not of the request, which is destroyed once all of it is read.
    if (reply.raw.destroyed) return;
    const { code, message, status } = toAppError(error as Error, request);
    if (status >= 500 && code !== 'SHUTTING_DOWN') request.log.error({ err: error }, message);
    yield `${JSON.stringify({ error: { code, message }, importId })}\n`;
  }
}
