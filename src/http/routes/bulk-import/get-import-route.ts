import { Type } from '@sinclair/typebox';
import type { App, RouteDeps } from '../../context.ts';
import { ImportIdField } from '../../wire/import-id.ts';
import { ImportJson, importJson } from '../../wire/import-json.ts';

export async function getImportRoute(app: App, { imports }: RouteDeps): Promise<void> {
  app.get(
    '/bulk-import/imports/:importId',
    {
      config: { appLevel: true },
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
    },
    async ({ params }) => {
      const record = await imports.find(params.importId);
      if (record === undefined) return { status: 'UNKNOWN_IMPORT_ID_ERROR' };
      return { status: 'OK', import: importJson(record) };
    },
  );
}
