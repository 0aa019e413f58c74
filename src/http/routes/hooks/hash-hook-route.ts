import { Type } from '@sinclair/typebox';
import {
  AlgorithmField,
  HASH_ERRORS,
  PasswordField,
  PasswordHashField,
  SecretIdField,
} from '../../protocol/fields.ts';
import { clientGone } from '../../server/connections.ts';
import { defineHook } from './define-hook.ts';
import { HOOK_ERRORS, Verdict } from './hook-json.ts';

export const hashHookRoute = defineHook({
  hook: 'hash',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Checks a password with a hash that an identity provider holds',
    description:
      'For a provider with a function or SPI of its own. Without hashingAlgorithm the format decides; a hash that several families claim is refused. Nothing is recorded.',
    body: Type.Object({
      passwordHash: PasswordHashField,
      hashingAlgorithm: Type.Optional(AlgorithmField),
      hashingSecretId: Type.Optional(SecretIdField),
      password: PasswordField,
    }),
    response: { 200: Verdict },
  },
  errors: [...HASH_ERRORS, ...HOOK_ERRORS],
  handler:
    ({ hooks }) =>
    async (request, reply) => {
      const { algorithm, matches } = await hooks.verifyHash(request.body, clientGone(reply));
      request.hashAlgorithm = algorithm;
      return { status: matches ? 'MATCH' : 'NO_MATCH' };
    },
});
