import { Type } from '@sinclair/typebox';
import { AppError } from '../../errors.ts';
import { importAtOnce } from '../../imports/staged/import-at-once.ts';
import { clientGone } from '../client-gone.ts';
import type { App, RouteDeps } from '../context.ts';
import { UserFormBody } from '../user-form-field.ts';
import { UserJson, userJson } from '../user-json.ts';

export async function importAtOnceRoute(app: App, deps: RouteDeps): Promise<void> {
  app.post(
    '/bulk-import/import',
    {
      config: { appLevel: true, takesUserForms: true, errors: ['IMPORT_REFUSED'] },
      schema: {
        tags: ['import'],
        summary: 'Imports one new user with all its login methods',
        description:
          'Nothing is changed where one of its login methods, or an external id, is there already. The error then has `errors`: all that is wrong with the user, as SuperTokens core says it.',
        body: UserFormBody,
        response: { 200: Type.Object({ status: Type.Literal('OK'), user: UserJson }) },
      },
    },
    async (request, reply) => {
      const imported = await importAtOnce(deps, request.body, clientGone(reply));
      if ('errors' in imported) {
        throw new AppError('IMPORT_REFUSED', 'The user cannot be imported: errors says why', {
          details: { errors: imported.errors },
        });
      }
      return { status: 'OK' as const, user: userJson(imported.user, request.cdiVersion) };
    },
  );
}
