import {
  type DialectTraits,
  defineAlgorithm,
  type HashAlgorithm,
  hasShapeOf,
  type ParserContext,
  type ReferenceTime,
} from '../algorithm.ts';
import { checkAvailable, missingSecret } from '../build-verifier.ts';
import type { Groups } from '../formats/hash-pattern.ts';
import type { SecondReading } from '../kdf/password-reading.ts';
import { type HashParameters, HashRefused, type Strength } from '../verifier.ts';

/** Parts of an envelope (a hash that contains a hash of another algorithm). */
export interface Opened {
  groups: Groups;
  encoded: string;
}

type Key = Promise<Buffer | undefined> | Buffer | undefined;

export interface EnvelopeKey {
  /** Returns the key of the inner hash, or undefined if no password of these bytes can match. */
  of(password: Buffer, secret: Buffer, opened: Opened): Key;
  /**
   * Returns what else the key is derived from, such as a salt, to distinguish hashes with the same inner
   * hash.
   */
  identity?(opened: Opened): string;
  /**
   * @param context `isOnlyInner` returns whether these bytes are the only password that matches the inner
   * hash
   */
  isOnly(
    password: Buffer,
    context: { isOnlyInner(bytes: Buffer): boolean; secret: Buffer; opened: Opened },
  ): boolean;
}

/**
 * Key of an envelope that digests the password. The digest's text must be so short that the inner hash reads
 * enough of it to distinguish passwords.
 */
export const digestKey = (of: EnvelopeKey['of'], identity?: EnvelopeKey['identity']): EnvelopeKey => ({
  of,
  isOnly: () => true,
  ...(identity && { identity }),
});

export interface EnvelopeForm {
  /** Matches the text before the inner hash, without an anchor. Look-aheads may distinguish forms. */
  before: RegExp;
  /**
   * Algorithms of the inner hash, of which the first whose shape matches is used, even if requests must name
   * it.
   */
  inner: readonly HashAlgorithm[];
  /**
   * Returns the inner hash, given the text after `before`. Defaults to all of this text.
   * @throws {HashRefused} `format`
   */
  unwrap?(rest: string): string;
  /** Reverses `unwrap`. Used to put another inner hash, such as a decoy, into the envelope. */
  wrap?(inner: string): string;
  /** Text before the inner hash in decoys. Defaults to the text that `before` has matched. */
  decoyBefore?: string | ((groups: Groups) => string);
  describe?(groups: Groups): HashParameters;
  /** @throws {HashRefused} `format` if a group that `before` has matched has an invalid value */
  check?(groups: Groups): void;
  needsSecret?: true;
  /** Derives the key from which the inner hash is computed. By default, the key is the password. */
  key?: EnvelopeKey;
  /** Returns the data that identify the inner hash. Defaults to the identity that its algorithm defines. */
  identity?(inner: object): string;
  times?: number;
}

export interface Envelope<Form extends EnvelopeForm> extends DialectTraits {
  strength?: Strength;
  rank?: number;
  reference?: ReferenceTime;
  /** Reading of the password. Defaults to that of the inner hash, if the inner hash is of the password itself. */
  secondReading?: SecondReading;
  forms: readonly Form[];
}

type LimitOf<Algorithm> =
  Algorithm extends HashAlgorithm<infer Limit extends string, infer _Own extends string> ? Limit : never;

interface EnvelopedHash extends Opened {
  form: EnvelopeForm;
  algorithm: HashAlgorithm;
  parsed: unknown;
}

/** Defines a hash algorithm whose hashes contain a hash of another algorithm. Envelopes cannot be nested. */
export function defineEnvelope<const Form extends EnvelopeForm>(
  envelope: Envelope<Form>,
): HashAlgorithm<LimitOf<Form['inner'][number]>, never> {
  const { forms, reference, secondReading, ...traits } = envelope;
  const algorithms = [...new Set(forms.flatMap(({ inner }) => inner))];
  const [first] = algorithms;
  if (first === undefined) throw new Error(`${envelope.name} has nothing inside`);
  const needsSecret = ({ needsSecret, inner }: EnvelopeForm) =>
    needsSecret === true || inner.every(({ secret }) => secret === 'required');
  const secret = forms.every(needsSecret) ? 'required' : 'optional';
  const takesSecret = forms.some(needsSecret) || algorithms.some((one) => one.secret !== undefined);
  const digests = algorithms.every(({ compute }) => compute !== undefined);
  const defined = defineAlgorithm<EnvelopedHash, string>({
    displayName: envelope.name,
    strength: first.strength,
    ...traits,
    reference: reference ?? (algorithms.length === 1 ? first.reference : asInside(algorithms)),
    limits: Object.assign({}, ...algorithms.map(({ limits }) => limits)),
    ...(takesSecret && { secret }),
    parser: (context) => opener(envelope, context),
    cost({ form, algorithm, parsed }) {
      const cost = algorithm.cost(parsed);
      return { ...cost, ms: cost.ms * (form.times ?? 1) };
    },
    strengthOf: ({ algorithm, parsed }) => algorithm.strengthOf(parsed),
    password: (opened, secret) => ({
      // The key of the inner hash is not derived here but in `verify` and `compute`, because it may take a while.
      of: (password) => password,
      isOnly(password) {
        const { form, algorithm, parsed } = opened;
        const isOnlyInner = (bytes: Buffer) => algorithm.isOnlyPassword(parsed, bytes, secret);
        return form.key?.isOnly(password, { isOnlyInner, secret, opened }) ?? isOnlyInner(password);
      },
    }),
    secondReading: ({ form, algorithm, parsed }) =>
      secondReading ?? (form.key === undefined ? algorithm.secondReading?.(parsed) : undefined),
    decoy({ form, algorithm, parsed, groups, encoded }, whole) {
      const inner = algorithm.decoy(parsed, encoded);
      const { wrap = (text) => text, decoyBefore = beforeOf(form).exec(whole)?.[0] ?? '' } = form;
      return (typeof decoyBefore === 'string' ? decoyBefore : decoyBefore(groups)) + wrap(inner);
    },
    withoutDigest({ form, algorithm, parsed, encoded }, whole) {
      const inner = algorithm.withoutDigest(parsed, encoded);
      const { wrap = (text) => text, decoyBefore } = form;
      // A fixed text before the inner hash fits every hash of the form and contains nothing of this hash.
      const before = typeof decoyBefore === 'string' ? decoyBefore : beforeOf(form).exec(whole)?.[0];
      return inner === undefined || before === undefined ? undefined : before + wrap(inner);
    },
    clearText: ({ algorithm, parsed }) => algorithm.clearText?.(parsed),
    portable: ({ form, algorithm, parsed, encoded }) =>
      form.key === undefined && !needsSecret(form) && algorithm.secret === undefined
        ? algorithm.portable?.(parsed, encoded)
        : undefined,
    describe: ({ form, algorithm, parsed, groups }) => ({
      ...(algorithms.length > 1 && { inner: algorithm.name }),
      ...algorithm.describe(parsed),
      ...form.describe?.(groups),
    }),
    async verify(opened, password, secret) {
      const key = await keyOf(opened, password, secret);
      const matches = await opened.algorithm.verify(opened.parsed, key ?? NO_KEY, secret);
      return key !== undefined && matches;
    },
    ...(digests && {
      compute: {
        digest: ({ algorithm, parsed }) => algorithm.compute?.digest(parsed) ?? Buffer.alloc(0),
        async of(opened, password, secret) {
          const key = await keyOf(opened, password, secret);
          const digest = await opened.algorithm.compute?.of(opened.parsed, key ?? NO_KEY, secret);
          return key && digest;
        },
      },
    }),
  });
  return {
    ...defined,
    identity(opened: EnvelopedHash) {
      const { form, algorithm, parsed } = opened;
      const inner = form.identity?.(parsed as object) ?? algorithm.identity(parsed);
      // Without a key derivation, the envelope only spells the inner hash in another way, so both have the
      // same identity.
      if (form.key === undefined) return inner;
      return [envelope.name, forms.indexOf(form as Form), form.key.identity?.(opened) ?? '', inner].join(' ');
    },
  } as HashAlgorithm<LimitOf<Form['inner'][number]>, never>;
}

/** Without a key that can match, the inner hash is tested only to make the answer take as long as usual. */
const NO_KEY = Buffer.alloc(0);

const keyOf = (opened: EnvelopedHash, password: Buffer, secret: Buffer): Key =>
  opened.form.key === undefined ? password : opened.form.key.of(password, secret, opened);

function asInside(algorithms: readonly HashAlgorithm[]): ReferenceTime {
  const names = algorithms.map(({ displayName }) => displayName).join(', ');
  return { formula: `that of the hash inside: ${names}`, examples: '', measured: '' };
}

const beforeOf = ({ before }: EnvelopeForm) => new RegExp(`^(?:${before.source})`, before.flags);

export function algorithmOf<Algorithm extends HashAlgorithm>(
  table: readonly Algorithm[],
  name: string,
): Algorithm {
  const found = table.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no algorithm ${name}`);
  return found;
}

function opener(
  { name, forms }: Envelope<EnvelopeForm>,
  context: ParserContext<string>,
): (encoded: string) => EnvelopedHash {
  const parsers = new Map<HashAlgorithm, (encoded: string) => unknown>();
  const openers = forms.map((form) => ({ form, before: beforeOf(form) }));
  return (whole) => {
    for (const { form, before } of openers) {
      const match = before.exec(whole);
      if (match === null) continue;
      const rest = whole.slice(match[0].length);
      const encoded = form.unwrap?.(rest) ?? rest;
      const algorithm = form.inner.find((one) => hasShapeOf(one, encoded));
      if (algorithm === undefined) continue;
      const groups = match.groups ?? {};
      form.check?.(groups);
      const parse = parsers.get(algorithm) ?? algorithm.parser(context);
      parsers.set(algorithm, parse);
      const parsed = parse(encoded);
      checkAvailable(algorithm);
      const needsSecret = form.needsSecret === true || algorithm.secret === 'required';
      if (needsSecret && context.secret === undefined) throw missingSecret(name);
      if (needsSecret) checkDigest(algorithm.compute?.digest(parsed));
      return { form, algorithm, parsed, groups, encoded };
    }
    throw new HashRefused(
      'format',
      `does not have the form of ${name}, or contains a hash that ${name} never contains`,
    );
  };
}

const MIN_DIGEST_BYTES = 16;

/**
 * A made-up hash with a short digest would match now and then, and so reveal what a password and the secret
 * result in.
 */
function checkDigest(digest: Buffer | undefined): void {
  if (digest !== undefined && digest.length >= MIN_DIGEST_BYTES) return;
  throw new HashRefused(
    'format',
    `digest must be at least ${MIN_DIGEST_BYTES} bytes long in a hash that was made with a secret`,
  );
}
