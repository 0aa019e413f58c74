import { Type } from '@sinclair/typebox';
import { IMPORT_STATUS, type RollbackOutcome, rollBackImport } from '../../imports/import-history.ts';
import { IMPORT_ID } from '../../imports/import-request.ts';
import { isLineCode } from '../../imports/input/parsed-user.ts';
import { AppError } from '../../lib/errors.ts';
import { ImportIdField, ImportJson, importJson, RollbackJson } from '../protocol/import-json.ts';
import {
  LimitField,
  QueryField,
  readCount,
  readLimit,
  readName,
  readOneOf,
  TokenField,
} from '../protocol/query.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

/** The token only encodes the id of the next page's first import; such ids never change. */
const writeToken = (importId: string) => Buffer.from(importId).toString('base64url');

function readToken(token: string): string {
  const importId = Buffer.from(token, 'base64url').toString('latin1');
  if (IMPORT_ID.test(importId) && writeToken(importId) === token) return importId;
  throw new AppError('QUERY_INVALID', 'invalid pagination token');
}

export const listImportsRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Lists imports, newest first, page by page',
    querystring: Type.Object({
      limit: LimitField('Imports'),
      paginationToken: TokenField,
      search: QueryField(
        'Part of the name, the id or the source of an import, in upper or lower case.',
        Type.String({ minLength: 1, maxLength: 256 }),
      ),
      status: QueryField('Status of imports.', Type.String({ enum: [...IMPORT_STATUS] })),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        imports: Type.Array(ImportJson),
        nextPaginationToken: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      }),
    },
  },
  handler:
    ({ imports }) =>
    async ({ query }) => {
      const { search, status } = query;
      const limit = readLimit(query.limit);
      // The next page starts with the import that is read beyond the limit.
      const records = await imports.list({
        limit: limit + 1,
        ...(query.paginationToken !== undefined && { start: readToken(query.paginationToken) }),
        ...(search !== undefined && { search: readName('search', search) }),
        ...(status !== undefined && { status: readOneOf('status', IMPORT_STATUS, status) }),
      });
      const next = records[limit];
      return {
        status: 'OK' as const,
        imports: records.slice(0, limit).map(importJson),
        ...(next && { nextPaginationToken: writeToken(next.importId) }),
      };
    },
});

export const getImportRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Tells what an import did',
    params: Type.Object({ importId: ImportIdField }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_IMPORT_ID_ERROR'] }),
        import: Type.Optional(ImportJson),
      }),
    },
  },
  handler:
    ({ imports }) =>
    async ({ params }) => {
      const record = await imports.find(params.importId);
      if (record === undefined) return { status: 'UNKNOWN_IMPORT_ID_ERROR' };
      return { status: 'OK', import: importJson(record) };
    },
});

/** @throws {AppError} QUERY_INVALID, because a mistyped code would look as if no line had failed */
function readCode(code: string): string {
  if (isLineCode(code)) return code;
  throw new AppError(
    'QUERY_INVALID',
    "Field name 'code' is invalid in query: expected a code of a line, as in docs/errors.md",
  );
}

export const listFailuresRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Lists the failed lines of an import in order, page by page',
    description:
      'Also lists failures of dry runs and of imports that were rolled back, but not skipped lines. A page may have fewer lines than `limit`: follow `nextCursor` and do not count. A cursor is a line number, so while the import runs, the last line seen + 1 is the cursor for later failures. `IMPORT_EXPIRED_ERROR`: some failures are older than `import_undo_days` and were deleted.',
    params: Type.Object({ importId: ImportIdField }),
    querystring: Type.Object({
      code: QueryField('Only lines that failed with this code.', Type.String()),
      cursor: QueryField(
        '`nextCursor` of the previous page: the line with which the page begins.',
        Type.Integer({ minimum: 0, default: 1 }),
      ),
      limit: LimitField('Lines'),
    }),
    response: {
      200: Type.Object({
        status: Type.String({ enum: ['OK', 'UNKNOWN_IMPORT_ID_ERROR', 'IMPORT_EXPIRED_ERROR'] }),
        failures: Type.Optional(
          Type.Array(
            Type.Object({
              line: Type.Integer({ description: 'Line number from 1, including blank lines.' }),
              code: Type.String(),
              message: Type.String(),
            }),
          ),
        ),
        nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      }),
    },
  },
  handler:
    ({ imports }) =>
    async ({ params: { importId }, query: { code, cursor, limit } }) => {
      const page = await imports.listFailures(importId, {
        start: cursor === undefined ? 1 : readCount('cursor', cursor),
        limit: readLimit(limit),
        ...(code !== undefined && { code: readCode(code) }),
      });
      if (page === 'unknown-import') return { status: 'UNKNOWN_IMPORT_ID_ERROR' };
      if (page === 'expired') return { status: 'IMPORT_EXPIRED_ERROR' };
      const { failures, next } = page;
      return { status: 'OK', failures, ...(next !== undefined && { nextCursor: String(next) }) };
    },
});

const STATUS: Record<RollbackOutcome['outcome'], string> = {
  'rolled-back': 'OK',
  'unknown-import': 'UNKNOWN_IMPORT_ID_ERROR',
  expired: 'IMPORT_EXPIRED_ERROR',
};

export const rollBackImportRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Undoes an import, except for users who have signed in or were changed since',
    description:
      'Removes the users it created and restores the hashes and addresses it replaced, and ends the import if it still runs. Answers when the rollback is complete. If no answer arrives, send the request again: the rollback continues, and the answer has its total counts. `IMPORT_EXPIRED_ERROR`: some records are older than `import_undo_days` and were deleted, so nothing (further) is undone.',
    params: Type.Object({ importId: ImportIdField }),
    // Fastify's value for a missing body is `null`.
    body: Type.Union([Type.Object({}), Type.Null()]),
    response: {
      200: Type.Object({
        status: Type.String({ enum: Object.values(STATUS) }),
        importId: Type.String(),
        rollback: Type.Optional(RollbackJson),
      }),
    },
  },
  errors: ['SHUTTING_DOWN'],
  handler: (deps, { stopSignal }) => {
    const stopping = stopSignal('The service is stopping: roll back again to continue');
    return async ({ params: { importId } }, reply) => {
      const signal = AbortSignal.any([clientGone(reply), stopping]);
      const { outcome, ...report } = await rollBackImport(deps, importId, signal);
      return { status: STATUS[outcome], importId, ...report };
    };
  },
});
