import { Type } from '@sinclair/typebox';
import {
  identifyCandidates,
  type ReadAs,
  verifyPasswordHash,
} from '../../../passwords/verify-password-hash.ts';
import {
  AlgorithmField,
  HASH_ERRORS,
  PasswordField,
  PasswordHashField,
  SecretIdField,
} from '../../protocol/fields.ts';
import { clientGone } from '../../server/connections.ts';
import { defineRoute } from '../define-route.ts';

const Parameters = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]));
const Cost = Type.Object({ ms: Type.Number(), memoryBytes: Type.Integer() });
const MustBeNamed = Type.Boolean({
  description: 'An import reads the hash as this family only with this hashingAlgorithm.',
});

const Candidate = Type.Object({
  hashingAlgorithm: Type.String(),
  aliases: Type.Optional(Type.Array(Type.String())),
  strength: Type.String({ enum: ['strong', 'legacy', 'broken'] }),
  needsSecret: Type.Boolean(),
  mustBeNamed: MustBeNamed,
  parses: Type.Boolean(),
  reason: Type.Optional(Type.String({ description: 'Why it does not parse.' })),
});

export const verifyPasswordHashRoute = defineRoute({
  schema: {
    tags: ['import'],
    summary:
      'Checks a password against a hash, and identifies the family of the hash, before anything is imported',
    description:
      'Parses the hash as an import does, and stores nothing. Without hashingAlgorithm it tries every family whose format fits. If no family matches, or if the hash is refused, it tries the common mistakes listed in docs/hash-reference.md, and names the mistake without which the password matches.',
    body: Type.Object(
      {
        passwordHash: PasswordHashField,
        hashingAlgorithm: Type.Optional(AlgorithmField),
        hashingSecretId: Type.Optional(SecretIdField),
        password: Type.Optional(PasswordField),
        candidates: Type.Optional(
          Type.Boolean({
            description: 'Also lists the possible families of the hash. No password is needed then.',
          }),
        ),
      },
      {
        anyOf: [
          { required: ['password'] },
          { required: ['candidates'], properties: { candidates: { const: true } } },
        ],
      },
    ),
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        match: Type.Optional(
          Type.Boolean({
            description: 'This member and the following ones are present only if a password was sent.',
          }),
        ),
        hashingAlgorithm: Type.Optional(Type.String()),
        parameters: Type.Optional(Parameters),
        cost: Type.Optional(Cost),
        matches: Type.Optional(
          Type.Array(
            Type.Object({
              hashingAlgorithm: Type.String(),
              parameters: Parameters,
              cost: Cost,
              mustBeNamed: MustBeNamed,
            }),
            {
              description:
                'All families that match, the most plausible first. Missing if the named family matches.',
            },
          ),
        ),
        likelyMistakes: Type.Optional(
          Type.Array(Type.Object({ code: Type.String(), message: Type.String() })),
        ),
        candidates: Type.Optional(
          Type.Array(Candidate, {
            description:
              'Possible families, the most plausible first. Also present if several families fit and none matches.',
          }),
        ),
      }),
    },
  },
  errors: [...HASH_ERRORS, 'OVERLOADED'],
  handler: (deps) => async (request, reply) => {
    const { password, candidates: listed, ...hash } = request.body;
    const candidates = listed ? { candidates: identifyCandidates(deps, hash) } : {};
    if (password === undefined) return { status: 'OK' as const, ...candidates };
    const verified = await verifyPasswordHash(
      deps,
      { ...hash, password, caller: request.apiKeyName ?? '' },
      clientGone(reply),
    );
    request.hashAlgorithm = verified.algorithm;
    const { match, matches, mistake } = verified;
    return {
      status: 'OK' as const,
      match,
      ...readAs(verified),
      ...(matches && {
        matches: matches.map((one) => ({ ...readAs(one), mustBeNamed: one.mustBeNamed })),
      }),
      ...(mistake && { likelyMistakes: [mistake] }),
      ...(verified.candidates && { candidates: verified.candidates }),
      ...candidates,
    };
  },
});

const readAs = ({ algorithm, parameters, cost }: ReadAs) => ({
  hashingAlgorithm: algorithm,
  parameters: { ...parameters },
  cost,
});
