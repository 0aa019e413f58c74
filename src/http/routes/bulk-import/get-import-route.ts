import { Type } from '@sinclair/typebox';
import { ImportIdField, ImportJson, importJson } from '../../protocol/import-json.ts';
import { defineRoute } from '../define-route.ts';

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
