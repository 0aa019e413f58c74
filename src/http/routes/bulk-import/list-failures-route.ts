import { Type } from '@sinclair/typebox';
import { isLineCode } from '../../../imports/input/line-error.ts';
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
    summary: 'Lists the lines of an import that failed, in order, a page at a time',
    description:
      'Of dry runs and of imports that were rolled back, too. Lines that were skipped are not among them. A page may hold fewer than `limit`: follow `nextCursor` rather than counting. While the import runs, its later lines come behind the last page: a cursor is the number of a line, so the last line seen + 1 goes on from there. `IMPORT_EXPIRED_ERROR`: some are older than `import_undo_days` and on record no more.',
    params: Type.Object({ importId: ImportIdField }),
    querystring: Type.Object({
      code: QueryField('Only lines that failed with this code.', Type.String()),
      cursor: QueryField(
        'The `nextCursor` of the page before: the line to begin with.',
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
              line: Type.Integer({ description: 'From 1, blank lines counted.' }),
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
