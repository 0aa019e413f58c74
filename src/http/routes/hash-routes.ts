import { Type } from '@sinclair/typebox';
import { AppError } from '../../lib/errors.ts';
import { readNoHash } from '../../passwords/accept-hash.ts';
import { listSignerKeys, NONCE } from '../../passwords/signer-keys.ts';
import { identifyCandidates, type ReadAs, verifyPasswordHash } from '../../passwords/verify-password-hash.ts';
import { importUser, type UserToImport } from '../../users/import-user.ts';
import {
  AlgorithmField,
  EmailField,
  HASH_ERRORS,
  NO_HASH_FIELDS,
  PasswordField,
  PasswordHashField,
  SecretIdField,
} from '../protocol/fields.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

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

export const hashCensusRoute = defineRoute({
  schema: {
    tags: ['users'],
    summary: 'Counts the password hashes by algorithm, class and origin',
    description:
      'Shows the progress of a migration: how many users still have which hash of the old system. Each instance counts in the background, at most once a minute; `countedAt` is the start of the count that is shown. If the first count is not finished, `hashes` is missing and `counting` is true.',
    response: {
      200: Type.Object({
        status: Type.Literal('OK'),
        counting: Type.Boolean({ description: 'Whether a newer count is in progress.' }),
        legacySignIn: Type.Boolean({
          description: 'Whether the legacy system is asked at first sign-ins (`legacy_signin_for`).',
        }),
        countedAt: Type.Optional(Type.Integer({ description: 'ms since the epoch' })),
        durationMs: Type.Optional(Type.Integer()),
        hashes: Type.Optional(
          Type.Array(
            Type.Object({
              hashingAlgorithm: Type.String({
                description:
                  'For logins without a hash: `unset` (the password can only be reset) or `waiting` (the legacy system verifies it at the first sign-in).',
              }),
              class: Type.String({
                description:
                  '`strong`, `legacy`, `broken`; `unknown` if this instance does not know the algorithm; `none` for logins without a hash',
              }),
              setBy: Type.String({
                description:
                  '`import`; `user`: a password set here; `rehash`: the hash of an import, upgraded when its user signed in; `moved-in`: hashed here when the legacy system had verified the password',
              }),
              users: Type.Integer({ description: 'Number of password logins. Most users have one.' }),
              signedIn: Type.Integer({
                description: 'Number of these logins that have signed in with this hash.',
              }),
            }),
          ),
        ),
      }),
    },
  },
  handler:
    ({ census, legacy }) =>
    async () => {
      const { latest, isCounting } = await census.read();
      return {
        status: 'OK' as const,
        counting: isCounting,
        legacySignIn: legacy !== undefined,
        ...(latest && {
          countedAt: latest.countedAtMs,
          durationMs: latest.durationMs,
          hashes: latest.groups.map(({ algorithm, strength, setBy, logins, signedIn }) => ({
            hashingAlgorithm: algorithm,
            class: strength,
            setBy,
            users: logins,
            signedIn,
          })),
        }),
      };
    },
});

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
