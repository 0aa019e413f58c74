import { Type } from '@sinclair/typebox';
import { askerOf, defineHook } from './define-hook.ts';
import { ExternalIdField, HOOK_ERRORS, IdentifierField } from './hook-json.ts';

export const changedHookRoute = defineHook({
  hook: 'verify',
  fault: 'json',
  schema: {
    tags: ['hooks'],
    summary: 'Voids the old password of a user who has a new one at the provider',
    description: 'The hash is deleted. The answer is the same for an unknown user.',
    body: Type.Object(
      { identifier: Type.Optional(IdentifierField), externalUserId: Type.Optional(ExternalIdField) },
      { anyOf: [{ required: ['identifier'] }, { required: ['externalUserId'] }] },
    ),
    response: { 200: Type.Object({ status: Type.Literal('OK') }) },
  },
  errors: HOOK_ERRORS,
  handler:
    ({ hooks }) =>
    async (request) => {
      await hooks.changed(request.body, askerOf(request, 'verify'));
      return { status: 'OK' as const };
    },
});
