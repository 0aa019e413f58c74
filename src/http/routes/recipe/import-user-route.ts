import { Type } from '@sinclair/typebox';
import { importUser } from '../../../users/import-user.ts';
import {
  AlgorithmField,
  EmailField,
  HASH_ERRORS,
  PasswordHashField,
  SecretIdField,
} from '../../protocol/fields.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { clientGone } from '../../server/client-gone.ts';
import { defineRoute } from '../define-route.ts';

export const importUserRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Imports a user with the password hash another system made',
    description:
      'The hash is checked whole: what is accepted can be verified at sign-in. A password in the clear (`{noop}`, `{PLAIN}`) is hashed. An e-mail that already has a password login keeps its user and gets this hash.',
    body: Type.Object({
      email: EmailField,
      passwordHash: PasswordHashField,
      hashingAlgorithm: Type.Optional(AlgorithmField),
      hashingSecretId: Type.Optional(SecretIdField),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        user: UserJson,
        didUserAlreadyExist: Type.Boolean(),
      }),
    },
  },
  errors: [...HASH_ERRORS, 'PASSWORD_EMPTY'],
  handler: (deps) => async (request, reply) => {
    const { user, existed, algorithm } = await importUser(deps, request.body, () => clientGone(reply));
    request.hashAlgorithm = algorithm;
    return {
      status: 'OK' as const,
      user: userJson(user, request.cdiVersion),
      didUserAlreadyExist: existed,
    };
  },
});
