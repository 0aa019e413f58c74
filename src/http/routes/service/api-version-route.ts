import { Type } from '@sinclair/typebox';
import type { App } from '../../context.ts';
import { CDI_VERSIONS } from '../../server/cdi-version.ts';

export async function apiVersionRoute(app: App): Promise<void> {
  app.get(
    '/apiversion',
    {
      config: { appLevel: true, storeless: true },
      schema: {
        tags: ['service'],
        summary: 'The CDI versions this service speaks',
        response: { 200: Type.Object({ versions: Type.Array(Type.String()) }) },
      },
    },
    async () => ({ versions: [...CDI_VERSIONS] }),
  );
}
