import { Type } from '@sinclair/typebox';
import { isLineCode } from '../../../imports/input/parsed-user.ts';
import { AppError } from '../../../lib/errors.ts';
import { ImportIdField } from '../../protocol/import-json.ts';
import { LimitField, QueryField, readCount, readLimit } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';

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
