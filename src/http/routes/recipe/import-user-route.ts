import { Type } from '@sinclair/typebox';
import { AppError } from '../../../lib/errors.ts';
import { readNoHash } from '../../../passwords/accept-hash.ts';
import { importUser, type UserToImport } from '../../../users/import-user.ts';
import {
  AlgorithmField,
  EmailField,
  HASH_ERRORS,
  NO_HASH_FIELDS,
  PasswordHashField,
  SecretIdField,
} from '../../protocol/fields.ts';
import { UserJson, userJson } from '../../protocol/user-json.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

export const importUserRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Imports a user with a password hash of another system',
    description:
      'The whole hash is checked: an accepted hash can be verified at sign-in. A plain-text password (`{noop}`, `{PLAIN}`) is hashed. If the e-mail already has a password login, its user is kept and gets this hash. `password` or `legacySignIn` replace a hash in the request, but never a stored one.',
    body: Type.Object({
      email: EmailField,
      passwordHash: Type.Optional(PasswordHashField),
      hashingAlgorithm: Type.Optional(AlgorithmField),
      hashingSecretId: Type.Optional(SecretIdField),
      ...NO_HASH_FIELDS,
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        user: UserJson,
        didUserAlreadyExist: Type.Boolean(),
      }),
    },
  },
  errors: [...HASH_ERRORS, 'PASSWORD_EMPTY', 'EMAIL_CHANGED_SINCE', 'HANDED_OVER', 'MOVED'],
  handler: (deps) => async (request, reply) => {
    const { user, existed, algorithm } = await importUser(deps, userToImport(request.body), {
      importer: request.apiKeyName ?? '',
      callerGone: () => clientGone(reply),
    });
    request.hashAlgorithm = algorithm;
    return {
      status: 'OK' as const,
      user: userJson(user, request.cdiVersion),
      didUserAlreadyExist: existed,
    };
  },
});

function userToImport(body: {
  email: string;
  passwordHash?: string;
  hashingAlgorithm?: string;
  hashingSecretId?: string;
  password?: unknown;
  legacySignIn?: unknown;
}): UserToImport {
  const { email, passwordHash, password, ...others } = body;
  // A plain-text password beside the hash is ignored, as in SuperTokens core, because scripts may send both.
  const isIgnored = passwordHash !== undefined && password !== 'unset';
  const noHash = readNoHash(isIgnored ? { email, passwordHash, ...others } : { ...body });
  if (typeof noHash === 'string') return { email, noHash };
  if (noHash !== undefined) throw new AppError('FIELD_INVALID', noHash.problem);
  if (passwordHash !== undefined) return { ...body, passwordHash };
  throw new AppError(
    'FIELD_INVALID',
    "Field name 'passwordHash' is invalid in JSON input: passwordHash is required",
  );
}
