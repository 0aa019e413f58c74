import { hashesInPieces } from '../../hashing/pieces.ts';
import { HashRefused } from '../../hashing/refused.ts';
import type { HashRegistry } from '../../hashing/registry.ts';
import type { ParsedUser, ReadDeps, ValidationError } from '../../imports/input/parsed-user.ts';
import { readUserPayload } from '../../imports/input/read-user-payload.ts';
import type { JsonObject } from '../../lib/json/json-object.ts';
import { stripControlAndSpace } from '../../lib/text/characters.ts';
import { shellWord } from '../../lib/text/shell-word.ts';
import { normalizeEmail } from '../../users/email.ts';
import { shownProvider } from '../fields/shown-name.ts';
import type {
  HashProblem,
  SkipReason,
  SourcePassword,
  SourceUser,
  UnknownState,
  UserDecisions,
} from '../source-user.ts';
import { type ThirdPartyLogins, thirdPartyLogins } from './claims.ts';
import { countLongLine, lineOf } from './import-line.ts';
import { countIn, type Tally } from './tally.ts';
import type { UserProblem, Verdict } from './verdict.ts';

export interface JudgeDeps extends UserDecisions {
  /** Parses hashes as the service does, on the assumption that the service has every hashing secret. */
  registry: HashRegistry;
  nowMs: number;
  /** Counts addresses as verified if the export does not say. */
  verifiedByDefault: boolean;
  /** Id of the service's secret (pepper, signer key) for hashes that need one: `hashingSecretId` of the stream. */
  hashingSecretId?: string | undefined;
  /** SAML and unknown sign-in providers that the operator mapped: `thirdPartyId` by the name in the file. */
  providers: Readonly<Record<string, string>>;
  tally: Tally;
}

/** Verdict on a user alone, before rows are compared. */
export interface Judged extends Pick<Verdict, 'result' | 'reason' | 'message' | 'email' | 'line'> {
  /** The user as the service will read it from the line. Set for users to be imported. */
  parsed?: ParsedUser;
}

type Reason = SkipReason | UserProblem | HashProblem | ValidationError['code'];

/** Decides whether a user of the export is imported, and writes the user's import line. */
export function judge(user: SourceUser, deps: JudgeDeps): Judged {
  keepCompleteHash(user, deps);
  if (user.email !== undefined && stripControlAndSpace(user.email) === '') user.email = undefined;
  const email = user.email === undefined ? undefined : normalizeEmail(user.email);
  const judged = verdictOn(user, email, deps);
  judged.email = email;
  return judged;
}

const fail = (reason: Reason, message: string): Judged => ({ result: 'error', reason, message });
const skip = (reason: SkipReason, message?: string): Judged => ({ result: 'skip', reason, message });

function verdictOn(user: SourceUser, email: string | undefined, deps: JudgeDeps): Judged {
  const { state, password, loginMethods } = user;
  if (typeof state === 'object') {
    deps.tally.unknownStates.count(state.column, state.word);
    return fail('STATE_UNKNOWN', unknownStateText(state));
  }
  if (state !== undefined && !(state === 'DISABLED' && deps.disabled !== 'skip'))
    return skip(state, user.stateReason);
  if (loginMethods !== undefined) {
    if (loginMethods.length > 0) return accepted(user, loginMethods, deps);
    return skip(email === undefined && user.hasPhone ? 'PHONE_ONLY' : 'NO_LOGIN_METHOD');
  }
  const thirdParty = thirdPartyLogins(user, email, deps.providers, deps.tally);
  const without = withoutLogin(user, thirdParty);
  if (without !== undefined) {
    const isKept = canBeKept(without, user) && email !== undefined;
    const login = isKept ? passwordless(user, email, deps) : undefined;
    if (login !== undefined) return accepted(user, [login], deps);
    if (isKept) countIn(deps.tally.withoutPassword, 'skipped');
    return skip(without.reason, without.message);
  }
  const fault = user.email === undefined ? undefined : faultOfAddress(user.email);
  if (fault !== undefined) return fail('EMAIL_INVALID', fault);
  if (password !== undefined && email === undefined)
    return fail(
      'EMAIL_INVALID',
      'not an e-mail address: expected an @ with text on both sides, at most 256 characters',
    );
  if (password !== undefined && 'problem' in password) return fail(password.problem, password.message);
  const methods = methodsOf(user, email, thirdParty.logins, deps);
  const isHidden = user.hasHiddenPassword === true && password === undefined;
  const hidden = isHidden ? passwordless(user, email, deps) : undefined;
  return accepted(user, hidden ? [{ ...hidden, isPrimary: true }, ...methods] : methods, deps);
}

/** Undoes what a template of `--hash` built, if the stored text is a complete hash without it. */
function keepCompleteHash(user: SourceUser, { registry, tally }: JudgeDeps): void {
  const { password } = user;
  if (password === undefined || !('stored' in password) || password.stored === undefined) return;
  const { stored, ...built } = password;
  user.password = built;
  const verifier = registry.recognise(stored);
  try {
    verifier?.parse(stored);
  } catch (error) {
    if (!(error instanceof HashRefused)) throw error;
    if (error.reason === 'format') return;
  }
  if (verifier === undefined) return;
  user.password = { encoded: stored };
  countIn(tally.completeHashes, verifier.algorithm);
}

/** Characters that cannot be seen or told apart: spaces other than U+0020, control and unassigned characters, …. */
const UNSEEN = /[\p{Zl}\p{Zp}\p{C}\p{Default_Ignorable_Code_Point}\ufffc\ufffd]|(?! )\p{Zs}/u;
const DISPLAY_NAME = /<[^<>]*@[^<>]*>/;
const QUOTED = /"(?:[^"\\]|\\.)*"/gs;
/** Signs of a list of addresses or a link. Mail to it would reach other people, too. */
const LIST_OR_LINK = /[,;]|mailto:/i;

/** A space, or a domain with an empty part. No mail arrives (RFC 5321), and SuperTokens' SDKs refuse it at sign-in. */
const BROKEN = / |@\.|\.\.[^@]*$/;

/** Returns why an address is misleading, not a single address, or unreachable. Undefined if it is none of these. */
function faultOfAddress(address: string): string | undefined {
  const unseen = UNSEEN.exec(stripControlAndSpace(address))?.[0].codePointAt(0);
  if (unseen !== undefined)
    return `the address has a character that cannot be seen (U+${unseen.toString(16).toUpperCase().padStart(4, '0')})`;
  if (DISPLAY_NAME.test(address)) return 'the address has a display name: expected ada@example.com alone';
  const unquoted = stripControlAndSpace(address).replace(QUOTED, '');
  if (LIST_OR_LINK.test(unquoted)) return 'the address is a list or a link: expected ada@example.com alone';
  return BROKEN.test(unquoted)
    ? 'the address has a space, or a domain with nothing between two dots'
    : undefined;
}

/** Whether a user may be imported without a login. With enterprise SSO not: a later password would bypass it. */
const canBeKept = ({ reason }: WithoutLogin, { state }: SourceUser): boolean =>
  reason === 'NO_LOGIN_METHOD' && state !== 'NO_LOGIN_METHOD';

/** Returns a password login without a hash, if the operator imports such users and the address is valid. */
function passwordless(user: SourceUser, email: string | undefined, deps: JudgeDeps): JsonObject | undefined {
  if (deps.withoutPassword === 'skip' || email === undefined) return undefined;
  return {
    recipeId: 'emailpassword',
    email,
    isVerified: user.isVerified ?? deps.verifiedByDefault,
    ...(deps.withoutPassword === 'keep' ? { password: 'unset' } : { legacySignIn: true }),
    timeJoinedInMSSinceEpoch: joinedAt(user, deps),
  };
}

interface WithoutLogin {
  reason: SkipReason;
  message?: string;
}

/** Returns why a user has no way to sign in. Undefined if the user has a login, even an invalid one. */
function withoutLogin(
  user: SourceUser,
  { logins, unmapped, lacksEmail }: ThirdPartyLogins,
): WithoutLogin | undefined {
  if (logins.length > 0) return undefined;
  const hasAddress = user.email !== undefined;
  if (user.password !== undefined) {
    if (hasAddress) return undefined;
    return { reason: user.hasPhone ? 'PHONE_ONLY' : 'NO_EMAIL' };
  }
  if (unmapped !== undefined) {
    const { isSso } = unmapped;
    const provider = shownProvider(unmapped.provider);
    const message = `the provider ${provider} has no id here: --set provider.${shellWord(provider)}=…`;
    return { reason: isSso ? 'SSO_USER' : 'NO_LOGIN_METHOD', message };
  }
  if (hasAddress && !lacksEmail) return { reason: 'NO_LOGIN_METHOD' };
  return { reason: !hasAddress && user.hasPhone ? 'PHONE_ONLY' : 'NO_EMAIL' };
}

function accepted(user: SourceUser, loginMethods: readonly unknown[], deps: JudgeDeps): Judged {
  if (user.hasSecondFactor && deps.mfa === 'skip') return skip('SECOND_FACTOR');
  const { externalUserId } = user;
  // With `--disabled keep`, lines of enabled users say so, too. A later import then enables users again.
  const disabled = deps.disabled === 'keep' ? user.state === 'DISABLED' : undefined;
  const more = { disabled, ...(deps.mfa === 'keep' && factorsOf(user)) };
  const payload = { externalUserId, userMetadata: metadataOf(user), ...more, loginMethods };
  const parsed = readUserPayload(readDepsOf(deps), payload);
  if (Array.isArray(parsed)) {
    const code = parsed[0]?.code ?? 'FIELD_INVALID';
    const message = parsed.map((error) => error.message).join(' ');
    return fail(REASONS[code] ?? code, withFlag(message, user.password));
  }
  const { lacksRecordIn, repeatsRecordIn } = user;
  if (lacksRecordIn !== undefined)
    return fail('DETAIL_MISSING', `has no record in ${lacksRecordIn}, which has one of every user`);
  if (repeatsRecordIn !== undefined)
    return fail(
      'DETAIL_REPEATED',
      `has several records in ${repeatsRecordIn} that differ, so that nobody knows which one holds`,
    );
  const line = lineOf({ externalUserId }, parsed, more, loginMethods);
  countLongLine(line, deps.tally.longLines);
  return { result: 'import', line, parsed };
}

function factorsOf({ factors = {} }: SourceUser): JsonObject {
  const { totpDevices = [], roles = [], phoneNumbers = [] } = factors;
  return {
    ...(totpDevices.length > 0 && { totpDevices }),
    ...(roles.length > 0 && { userRoles: roles.map((role) => ({ role, tenantIds: ['public'] })) }),
    ...(phoneNumbers.length > 0 && { phoneNumbers }),
  };
}

/** The service's error message for a hash that fits several algorithms. */
const SEVERAL_FIT = /name the hashingAlgorithm, one of ([a-z0-9_, -]+)/;

const PROVE_FIRST =
  'The hash does not show which is right: try the password of one person first, with user-import prove';

const PIECES_FIRST =
  'It may be a salt and a hash in one column: try the password of one person with user-import prove, which prints the --hash that fits';

/** Adds the flags that decide to the message of the service about a hash that fits several algorithms, or none. */
function withFlag(message: string, password: SourcePassword | undefined): string {
  const names = SEVERAL_FIT.exec(message)?.[1]?.split(', ') ?? [];
  // The flag names the plain digest (`hex-…`), which is more likely than a system whose hashes look like one.
  const algorithm = names.find((name) => name.startsWith('hex-')) ?? names[0];
  const [bySalt] = password !== undefined && 'encoded' in password ? hashesInPieces(password.encoded) : [];
  if (algorithm === undefined) return bySalt === undefined ? message : `${message}. ${PIECES_FIRST}`;
  const digest = /^hex-(md5|sha(?:1|256|512))$/.exec(algorithm)?.[1];
  const salted =
    digest === undefined
      ? ''
      : ` if it is the digest of the password alone, or with its salt: --hash '$salted-${digest}$o=sp\${SALT|utf8}\${HASH|hex}'`;
  const pieces =
    bySalt === undefined
      ? ''
      : ` if it is of that system. A table of one's own mostly has the digest of salt and password: ${bySalt.change} (o=ps: of password and salt)`;
  return `${message}. Name it with --algorithm ${algorithm}${salted}${pieces}. ${PROVE_FIRST}`;
}

/** Returns what the reader of the line needs. It accepts second factors: only the service knows if it stores them. */
function readDepsOf({ registry, nowMs, hashingSecretId }: JudgeDeps): ReadDeps {
  const now = () => nowMs;
  return hashingSecretId === undefined
    ? { registry, now, keepsFactors: true }
    : { registry, now, keepsFactors: true, defaultSecretId: hashingSecretId };
}

/** Reasons for error codes of the service that have another name in docs/imports.md. */
const REASONS: { readonly [code in ValidationError['code']]?: Reason } = {
  HASHING_ALGORITHM_UNSUPPORTED: 'HASH_ALGORITHM_UNSUPPORTED',
  PASSWORD_HASH_EMPTY: 'PASSWORD_HASH_INVALID',
};

function methodsOf(
  user: SourceUser,
  email: string | undefined,
  logins: ThirdPartyLogins['logins'],
  deps: JudgeDeps,
): JsonObject[] {
  const timeJoinedInMSSinceEpoch = joinedAt(user, deps);
  const methods: JsonObject[] = logins.map((login) => ({
    recipeId: 'thirdparty',
    ...login,
    timeJoinedInMSSinceEpoch,
  }));
  if (user.password !== undefined && email !== undefined) {
    const { password } = user;
    // An object literal, because it is created for every user and is faster than copying.
    methods.unshift({
      recipeId: 'emailpassword',
      email,
      isVerified: user.isVerified ?? deps.verifiedByDefault,
      passwordHash: 'encoded' in password ? password.encoded : undefined,
      hashingAlgorithm: 'encoded' in password ? algorithmOf(password, deps.registry) : undefined,
      plainTextPassword: 'plainText' in password ? password.plainText : undefined,
      timeJoinedInMSSinceEpoch,
      isPrimary: methods.length > 0 ? true : undefined,
    });
  }
  return methods;
}

/**
 * Returns the algorithm of a user's hash. The operator's algorithm applies to hashes that resemble it, and to
 * hashes that no algorithm recognises.
 */
function algorithmOf(
  { encoded, algorithm, families, algorithmIfUntold }: Extract<SourcePassword, { encoded: string }>,
  registry: HashRegistry,
): string | undefined {
  if (families !== undefined) return families.find((name) => registry.named(name)?.resembles(encoded));
  if (algorithm !== undefined || algorithmIfUntold === undefined) return algorithm;
  const isFit = registry.named(algorithmIfUntold)?.resembles(encoded) ?? true;
  return isFit || registry.recognise(encoded) === undefined ? algorithmIfUntold : undefined;
}

function joinedAt({ timeJoinedMs }: SourceUser, { nowMs, tally }: JudgeDeps): number | undefined {
  if (timeJoinedMs === undefined || timeJoinedMs <= nowMs) return timeJoinedMs;
  countIn(tally.dropped, 'times in the future');
  return undefined;
}

const metadataOf = ({ metadata, emails }: SourceUser): JsonObject | undefined =>
  emails === undefined || emails.length < 2 ? metadata : { ...metadata, emails };

const unknownStateText = ({ column, word, isOfRule }: UnknownState): string =>
  isOfRule
    ? `${column} is ${word}, which the rule of --active cannot read`
    : `${column} is ${word}, and the meaning of this state is unknown: --active ${shellWord(`${column}=WORD,…`)}`;
