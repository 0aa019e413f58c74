import { Type } from '@sinclair/typebox';
import { verifyPasswordHash } from '../../../users/verify-password-hash.ts';
import { clientGone } from '../../server/client-gone.ts';
import {
  AlgorithmField,
  HASH_ERRORS,
  PasswordField,
  PasswordHashField,
  SecretIdField,
} from '../../wire/fields.ts';
import { defineRoute } from '../define-route.ts';

export const verifyPasswordHashRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Tells whether a password belongs to a hash, before anything is imported',
    description:
      'Reads the hash as the import does and keeps nothing. Where they do not match, or the hash is refused, it tries the mistakes listed in docs/hash-formats.md and names the one without which they would match.',
    body: Type.Object({
      passwordHash: PasswordHashField,
      hashingAlgorithm: Type.Optional(AlgorithmField),
      hashingSecretId: Type.Optional(SecretIdField),
      password: PasswordField,
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        match: Type.Boolean(),
        hashingAlgorithm: Type.String(),
        parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
        cost: Type.Object({ ms: Type.Number(), memoryBytes: Type.Integer() }),
        likelyMistakes: Type.Optional(
          Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
        ),
      }),
    },
  },
  errors: [...HASH_ERRORS, 'OVERLOADED'],
  handler: (deps) => async (request, reply) => {
    const verified = await verifyPasswordHash(deps, request.body, clientGone(reply));
    const { match, algorithm, parameters, cost, mistake } = verified;
    request.hashAlgorithm = algorithm;
    return {
      status: 'OK' as const,
      match,
      hashingAlgorithm: algorithm,
      parameters: { ...parameters },
      cost,
      ...(mistake && { likelyMistakes: [mistake] }),
    };
  },
});
