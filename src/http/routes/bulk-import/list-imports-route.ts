import { Type } from '@sinclair/typebox';
import { IMPORT_ID } from '../../../imports/import-request.ts';
import { AppError } from '../../../lib/errors.ts';
import { ImportJson, importJson } from '../../protocol/import-json.ts';
import { LimitField, readLimit, TokenField } from '../../protocol/query.ts';
import { defineRoute } from '../define-route.ts';

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
      const limit = readLimit(query.limit);
      // The next page starts with the import that is read beyond the limit.
      const records = await imports.list({
        limit: limit + 1,
        ...(query.paginationToken !== undefined && { start: readToken(query.paginationToken) }),
      });
      const next = records[limit];
      return {
        status: 'OK' as const,
        imports: records.slice(0, limit).map(importJson),
        ...(next && { nextPaginationToken: writeToken(next.importId) }),
      };
    },
});
