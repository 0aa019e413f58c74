import { Type } from '@sinclair/typebox';
import { importAtOnce } from '../../../imports/staged/import-new-users.ts';
import { AppError } from '../../../lib/errors.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { UserPayloadBody } from '../../protocol/user-payload.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

export const importAtOnceRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Imports one new user with all its login methods',
    description:
      'Nothing is changed if one of the login methods or external ids exists already. `errors` of the error answer lists all problems of the user, in the words of SuperTokens core.',
    body: UserPayloadBody,
    response: { 200: Type.Object({ status: Type.Literal('OK'), user: UserJson }) },
  },
  errors: ['IMPORT_REFUSED'],
  handler: (deps) => async (request, reply) => {
    const imported = await importAtOnce(deps, request.body, {
      signal: clientGone(reply),
      importer: request.apiKeyName ?? '',
    });
    if ('errors' in imported) {
      throw new AppError('IMPORT_REFUSED', 'The user cannot be imported: errors says why', {
        details: { errors: imported.errors },
      });
    }
    return { status: 'OK' as const, user: userJson(imported.user, request.cdiVersion) };
  },
});
