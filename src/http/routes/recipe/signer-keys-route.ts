import { Type } from '@sinclair/typebox';
import { listSignerKeys, NONCE } from '../../../passwords/signer-keys.ts';
import { defineRoute } from '../define-route.ts';

export const signerKeysRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary: 'Returns the fingerprints of the configured signer keys',
    description:
      'A caller who knows the signer key of an export finds out whether the service has it, and under which hashingSecretId. A fingerprint is an HMAC-SHA-256 with the key, of the text `user-import-core: fingerprint of a signer key, 1`, a zero byte, the length of the key in decimal digits, a zero byte, and the nonce. Secrets of other families have no fingerprint. Neither have secrets that serve several families, are shorter than 32 bytes, or are printable ASCII.',
    body: Type.Object({
      nonce: Type.String({
        maxLength: NONCE.maxCharacters,
        description: `${NONCE.expected}: random, and different for each call.`,
      }),
    }),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        signerKeys: Type.Array(
          Type.Object({
            hashingSecretId: Type.Optional(
              Type.String({ description: 'Missing for the key in external_password_hashing_signer_key.' }),
            ),
            isDefault: Type.Boolean({
              description: 'Whether this secret is used for hashes that name none.',
            }),
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
