import { Type } from '@sinclair/typebox';
import { listSignerKeys, NONCE } from '../../../passwords/signer-keys.ts';
import { defineRoute } from '../define-route.ts';

export const signerKeysRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Tells which signer keys are configured, by their fingerprints',
    description:
      'Whoever knows the signer key of an export finds out whether the service has it, and under which hashingSecretId. A fingerprint is an HMAC-SHA-256 with the key, of the text `user-import-core: fingerprint of a signer key, 1`, a zero byte, the length of the key in decimal digits, a zero byte, and the nonce. Secrets of other families have none, and neither has one that serves several families, is shorter than 32 bytes, or is printable ASCII.',
    body: Type.Object({
      nonce: Type.String({
        maxLength: NONCE.maxCharacters,
        description: `${NONCE.expected}: random ones, other ones for each call.`,
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        signerKeys: Type.Array(
          Type.Object({
            hashingSecretId: Type.Optional(
              Type.String({ description: 'Left out: external_password_hashing_signer_key.' }),
            ),
            isDefault: Type.Boolean({ description: 'Hashes that name no secret are taken for its own.' }),
            fingerprint: Type.Optional(Type.String({ description: 'Base64 of 32 bytes.' })),
          }),
        ),
      }),
    },
  },
  handler:
    ({ passwords }) =>
    async ({ body }) => ({
      status: 'OK' as const,
      signerKeys: listSignerKeys(passwords.registry, body.nonce).map(({ id, isDefault, fingerprint }) => ({
        ...(id !== undefined && { hashingSecretId: id }),
        isDefault,
        ...(fingerprint && { fingerprint: fingerprint.toString('base64') }),
      })),
    }),
});
