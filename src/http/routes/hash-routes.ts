import { Type } from '@sinclair/typebox';
import { AppError } from '../../lib/errors.ts';
import { readNoHash } from '../../passwords/accept-hash.ts';
import { listSignerKeys, NONCE } from '../../passwords/signer-keys.ts';
import { identifyCandidates, verifyPasswordHash } from '../../passwords/verify-password-hash.ts';
import { importUser, type UserToImport } from '../../users/import-user.ts';
import { EmailField, HASH_ERRORS, HASH_FIELDS, NO_HASH_FIELDS, PasswordField } from '../protocol/fields.ts';
import { flag, integer, ok, oneOf, optional, string, Time } from '../protocol/schema.ts';
import { UserJson, userJson } from '../protocol/user-json.ts';
import { clientGone } from '../server/connections.ts';
import { defineRoute } from './define-route.ts';

export const importUserRoute = defineRoute({
  tags: ['import'],
  summary: 'Imports a user with a password hash of another system',
  description:
    'The whole hash is checked: an accepted hash can be verified at sign-in. A plain-text password (`{noop}`, `{PLAIN}`) is hashed. If the e-mail already has a password login, its user is kept and gets this hash. `password` or `legacySignIn` replace a hash in the request, but never a stored one.',
  body: Type.Object({
    email: EmailField,
    ...HASH_FIELDS,
    passwordHash: optional(HASH_FIELDS.passwordHash),
    ...NO_HASH_FIELDS,
  }),
  answer: ok({ user: UserJson, didUserAlreadyExist: Type.Boolean() }),
  errors: [...HASH_ERRORS, 'PASSWORD_EMPTY', 'EMAIL_CHANGED_SINCE', 'HANDED_OVER', 'MOVED'],
}).handle(async (request, deps, reply) => {
  const { user, existed, algorithm } = await importUser(deps, userToImport(request.body), {
    importer: request.apiKeyName ?? '',
    callerGone: () => clientGone(reply),
  });
  request.hashAlgorithm = algorithm;
  return { status: 'OK', user: userJson(user, request.cdiVersion), didUserAlreadyExist: existed };
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

const ReadAs = {
  hashingAlgorithm: Type.String(),
  parameters: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
  cost: Type.Object({ ms: Type.Number(), memoryBytes: Type.Integer() }),
};

const MustBeNamed = flag('An import reads the hash as this family only with this hashingAlgorithm.');

const Candidate = Type.Object({
  hashingAlgorithm: Type.String(),
  aliases: optional(Type.Array(Type.String())),
  strength: oneOf(['strong', 'legacy', 'broken']),
  needsSecret: Type.Boolean(),
  mustBeNamed: MustBeNamed,
  parses: Type.Boolean(),
  reason: optional(string('Why it does not parse.')),
});

export const verifyPasswordHashRoute = defineRoute({
  tags: ['import'],
  summary:
    'Checks a password against a hash, and identifies the family of the hash, before anything is imported',
  description:
    'Parses the hash as an import does, and stores nothing. Without hashingAlgorithm it tries every family whose format fits. If no family matches, or if the hash is refused, it tries the common mistakes listed in docs/hash-reference.md, and names the mistake without which the password matches.',
  body: Type.Object(
    {
      ...HASH_FIELDS,
      password: optional(PasswordField),
      candidates: optional(flag('Also lists the possible families of the hash. No password is needed then.')),
    },
    {
      anyOf: [
        { required: ['password'] },
        { required: ['candidates'], properties: { candidates: { const: true } } },
      ],
    },
  ),
  answer: ok({
    match: optional(flag('This member and the following ones are present only if a password was sent.')),
    ...Type.Partial(Type.Object(ReadAs)).properties,
    matches: optional(
      Type.Array(Type.Object({ ...ReadAs, mustBeNamed: MustBeNamed }), {
        description:
          'All families that match, the most plausible first. Missing if the named family matches.',
      }),
    ),
    likelyMistakes: optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
    candidates: optional(
      Type.Array(Candidate, {
        description:
          'Possible families, the most plausible first. Also present if several families fit and none matches.',
      }),
    ),
  }),
  errors: [...HASH_ERRORS, 'OVERLOADED'],
}).handle(async (request, deps, reply) => {
  const { password, candidates: isListed, ...hash } = request.body;
  const listed = isListed ? identifyCandidates(deps, hash) : undefined;
  if (password === undefined) return { status: 'OK', candidates: listed };
  const asked = { ...hash, password, caller: request.apiKeyName ?? '' };
  const verified = await verifyPasswordHash(deps, asked, clientGone(reply));
  const { algorithm, matches, mistake, candidates } = verified;
  request.hashAlgorithm = algorithm;
  return {
    ...verified,
    status: 'OK',
    hashingAlgorithm: algorithm,
    matches: matches?.map((one) => ({ ...one, hashingAlgorithm: one.algorithm })),
    likelyMistakes: mistake && [mistake],
    candidates: listed ?? candidates,
  };
});

export const hashCensusRoute = defineRoute({
  tags: ['users'],
  summary: 'Counts the password hashes by algorithm, class and origin',
  description:
    'Shows the progress of a migration: how many users still have which hash of the old system. Each instance counts in the background, at most once a minute; `countedAt` is the start of the count that is shown. If the first count is not finished, `hashes` is missing and `counting` is true.',
  answer: ok({
    counting: flag('Whether a newer count is in progress.'),
    legacySignIn: flag('Whether the legacy system is asked at first sign-ins (`legacy_signin_for`).'),
    countedAt: optional(Time),
    ageMs: optional(integer('Milliseconds since `countedAt`, by the clock of the service.')),
    durationMs: optional(Type.Integer()),
    hashes: optional(
      Type.Array(
        Type.Object({
          hashingAlgorithm: string(
            'For logins without a hash: `unset` (the password can only be reset) or `waiting` (the legacy system verifies it at the first sign-in).',
          ),
          class: string(
            '`strong`, `legacy`, `broken`; `unknown` if this instance does not know the algorithm; `none` for logins without a hash',
          ),
          setBy: string(
            '`import`; `user`: a password set here; `rehash`: the hash of an import, upgraded when its user signed in; `moved-in`: hashed here when the legacy system had verified the password',
          ),
          users: integer('Number of password logins. Most users have one.'),
          signedIn: integer('Number of these logins that have signed in with this hash.'),
        }),
      ),
    ),
  }),
}).handle(async (_request, { census, legacy, now }) => {
  const { latest, isCounting } = await census.read();
  return {
    status: 'OK',
    counting: isCounting,
    legacySignIn: legacy !== undefined,
    countedAt: latest?.countedAtMs,
    ageMs: latest && Math.max(0, now() - latest.countedAtMs),
    durationMs: latest?.durationMs,
    hashes: latest?.groups.map(({ algorithm, strength, logins, ...group }) => ({
      ...group,
      hashingAlgorithm: algorithm,
      class: strength,
      users: logins,
    })),
  };
});

export const signerKeysRoute = defineRoute({
  tags: ['import'],
  summary: 'Returns the fingerprints of the configured signer keys',
  description:
    'A caller who knows the signer key of an export finds out whether the service has it, and under which hashingSecretId. A fingerprint is an HMAC-SHA-256 with the key, of the text `user-import-core: fingerprint of a signer key, 1`, a zero byte, the length of the key in decimal digits, a zero byte, and the nonce. Secrets of other families have no fingerprint. Neither have secrets that serve several families, are shorter than 32 bytes, or are printable ASCII.',
  body: Type.Object({
    nonce: string(`${NONCE.expected}: random, and different for each call.`, {
      maxLength: NONCE.maxCharacters,
    }),
  }),
  answer: ok({
    signerKeys: Type.Array(
      Type.Object({
        hashingSecretId: optional(string('Missing for the key in external_password_hashing_signer_key.')),
        isDefault: flag('Whether this secret is used for hashes that name none.'),
        fingerprint: optional(string('Base64 of 32 bytes.')),
      }),
    ),
  }),
}).handle(async ({ body }, { passwords }) => ({
  status: 'OK',
  signerKeys: listSignerKeys(passwords.registry, body.nonce).map(({ id, isDefault, fingerprint }) => ({
    hashingSecretId: id,
    isDefault,
    fingerprint: fingerprint?.toString('base64'),
  })),
}));
