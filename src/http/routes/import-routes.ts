import { Type } from '@sinclair/typebox';
import { IMPORT_STATUS, rollBackImport } from '../../imports/import-history.ts';
import { IMPORT_ID } from '../../imports/import-request.ts';
import { isLineCode } from '../../imports/input/parsed-user.ts';
import { ImportIdField, ImportJson, importJson, RollbackJson } from '../protocol/import-json.ts';
import {
  invalidToken,
  LimitField,
  NextToken,
  QueryField,
  queryInvalid,
  readCount,
  readLimit,
  readName,
  readOneOf,
  TokenField,
} from '../protocol/query.ts';
import { integer, ok, okOr, oneOf, optional, string } from '../protocol/schema.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

const ImportParams = Type.Object({ importId: ImportIdField });

const UNKNOWN = { status: 'UNKNOWN_IMPORT_ID_ERROR' } as const;
const EXPIRED = { status: 'IMPORT_EXPIRED_ERROR' } as const;

/** Returns the token of a page, which only encodes the id of its first import. Ids of imports never change. */
const writeToken = (importId: string) => Buffer.from(importId).toString('base64url');

function readToken(token: string): string {
  const importId = Buffer.from(token, 'base64url').toString('latin1');
  if (IMPORT_ID.test(importId) && writeToken(importId) === token) return importId;
  throw invalidToken();
}

export const listImportsRoute = defineRoute({
  tags: ['import'],
  summary: 'Lists imports, newest first, page by page',
  query: Type.Object({
    limit: LimitField('Imports'),
    paginationToken: TokenField,
    search: QueryField(
      'Part of the name, the id or the source of an import, in upper or lower case.',
      Type.String({ minLength: 1, maxLength: 256 }),
    ),
    status: QueryField('Status of imports.', Type.String({ enum: [...IMPORT_STATUS] })),
  }),
  answer: ok({ imports: Type.Array(ImportJson), nextPaginationToken: NextToken }),
}).handle(async ({ query }, { imports }) => {
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
    status: 'OK',
    imports: records.slice(0, limit).map(importJson),
    nextPaginationToken: next && writeToken(next.importId),
  };
});

export const getImportRoute = defineRoute({
  tags: ['import'],
  summary: 'Tells what an import did',
  params: ImportParams,
  answer: okOr([UNKNOWN.status], { import: ImportJson }),
}).handle(async ({ params }, { imports }) => {
  const record = await imports.find(params.importId);
  return record ? { status: 'OK', import: importJson(record) } : UNKNOWN;
});

/** @throws {AppError} QUERY_INVALID for an unknown code: otherwise it would look as if no line had failed with it */
function readCode(code: string): string {
  if (isLineCode(code)) return code;
  throw queryInvalid('code', 'expected a code of a line, as in docs/errors.md');
}

export const listFailuresRoute = defineRoute({
  tags: ['import'],
  summary: 'Lists the failed lines of an import in order, page by page',
  description:
    'Also lists failures of dry runs and of imports that were rolled back, but not skipped lines. A page may have fewer lines than `limit`: follow `nextCursor` and do not count. A cursor is a line number, so while the import runs, the last line seen + 1 is the cursor for later failures. `IMPORT_EXPIRED_ERROR`: some failures are older than `import_undo_days` and were deleted.',
  params: ImportParams,
  query: Type.Object({
    code: QueryField('Only lines that failed with this code.', Type.String()),
    cursor: QueryField(
      '`nextCursor` of the previous page: the line with which the page begins.',
      Type.Integer({ minimum: 0, default: 1 }),
    ),
    limit: LimitField('Lines'),
  }),
  answer: okOr([UNKNOWN.status, EXPIRED.status], {
    failures: Type.Array(
      Type.Object({
        line: integer('Line number from 1, including blank lines.'),
        code: Type.String(),
        message: Type.String(),
      }),
    ),
    nextCursor: string('Absent on the last page.'),
  }),
}).handle(async ({ params: { importId }, query: { code, cursor, limit } }, { imports }) => {
  const page = await imports.listFailures(importId, {
    start: cursor === undefined ? 1 : readCount('cursor', cursor),
    limit: readLimit(limit),
    ...(code !== undefined && { code: readCode(code) }),
  });
  if (page === 'unknown-import') return UNKNOWN;
  if (page === 'expired') return EXPIRED;
  return { status: 'OK', failures: page.failures, nextCursor: page.next?.toString() };
});

const STATUS = { 'rolled-back': 'OK', 'unknown-import': UNKNOWN.status, expired: EXPIRED.status } as const;

export const rollBackImportRoute = defineRoute({
  tags: ['import'],
  summary: 'Undoes an import, except for users who have signed in or were changed since',
  description:
    'Removes the users it created and restores the hashes and addresses it replaced, and ends the import if it still runs. Answers when the rollback is complete. If no answer arrives, send the request again: the rollback continues, and the answer has its total counts. `IMPORT_EXPIRED_ERROR`: some records are older than `import_undo_days` and were deleted, so nothing (further) is undone.',
  params: ImportParams,
  // Fastify's value for a missing body is `null`.
  body: Type.Union([Type.Object({}), Type.Null()]),
  answer: Type.Object({
    status: oneOf(Object.values(STATUS)),
    importId: Type.String(),
    rollback: optional(RollbackJson),
  }),
  errors: ['SHUTTING_DOWN'],
  stopMessage: 'The service is stopping: roll back again to continue',
}).handle(async ({ params: { importId } }, deps, reply) => {
  const signal = AbortSignal.any([clientGone(reply), deps.stopping]);
  const { outcome, ...report } = await rollBackImport(deps, importId, signal);
  return { ...report, status: STATUS[outcome], importId };
});
