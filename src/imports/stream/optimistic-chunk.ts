import type { RowSink } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import { isParsedUser, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import type { LoginIndex } from '../resolve/existing-logins.ts';
import { type FingerprintSeed, Fingerprints } from '../resolve/fingerprints.ts';
import { hasPlainTextPassword } from '../resolve/hash-passwords.ts';
import { LineResolver } from '../resolve/line-resolver.ts';
import { externalIdsOf, KEY_KINDS, type KeyKind } from '../resolve/login-keys.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';

export interface OptimisticChunkOptions<Rows extends RowSink> {
  rows: Rows;
  /** Seed of the run, which all its chunks share because they are compared. */
  seed: FingerprintSeed;
  read(line: RawLine): ParsedLine;
  dryRun: boolean;
  /** ms since the epoch. */
  now: number;
}

/**
 * A chunk that is resolved while it is read, as if all its users were new, which in a migration nearly all are. Only bytes
 * are kept of a line (its own, its rows, its report), so that a million lines leave the garbage collector little to do.
 * A line that meets another one breaks the assumption; the chunk is then resolved again, with the existing logins at hand.
 */
export class OptimisticChunk<Rows extends RowSink = RowSink> {
  readonly rows: Rows;
  readonly #read: (line: RawLine) => ParsedLine;
  readonly #keys: Fingerprints;
  readonly #resolver: LineResolver;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isBroken = false;

  constructor(firstLine: number, options: OptimisticChunkOptions<Rows>) {
    this.rows = options.rows;
    this.#keys = new Fingerprints(options.seed);
    this.#read = options.read;
    this.#resolver = new LineResolver(emptyIndex(this.#keys), {
      onConflict: 'fail',
      dryRun: options.dryRun,
      now: options.now,
    });
    this.#result = new ResultBuilder(firstLine);
  }

  /** Resolves the lines that follow, and turns what they come to into bytes. */
  add(lines: readonly RawLine[]): void {
    for (const raw of lines) {
      if (this.#isBroken) return;
      const line = this.#read(raw);
      if (isParsedUser(line) && needsMore(line)) this.#isBroken = true;
      else this.#resolver.add(line);
    }
    this.#isBroken ||= this.#keys.hasRepeats;
    if (this.#isBroken) return;
    const part = this.#resolver.take();
    this.rows.add(part);
    this.#result.addSample(part.passwordLogins);
    this.#report.push(Buffer.from(this.#result.add(part.outcomes)));
  }

  /** Keys of the users in the lines, or undefined if the assumption is known to be wrong. */
  get keys(): Fingerprints | undefined {
    return this.#isBroken ? undefined : this.#keys;
  }

  /** Hands over what the chunk comes to. Once only. */
  takeResult(): ChunkResult {
    const { ids, algorithms, hashes } = this.#resolver.writeSet;
    const { counts, recordedOutcomes, failures, sample } = this.#result;
    const report = Buffer.concat(this.#report.splice(0));
    return { ids, algorithms, hashes, counts, recordedOutcomes, failures, sample, report };
  }
}

/** The form of the ids that this service makes. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/**
 * Does the line need more than to be new? A password must be hashed first. An external id may be some user's own id, and
 * no key that rows are written under shows that.
 */
const needsMore = (parsedUser: ParsedUser) =>
  parsedUser.methods.some(hasPlainTextPassword) || externalIdsOf(parsedUser).some((id) => USER_ID.test(id));

/** An index without logins, which collects the keys of those that are added: a key that comes twice breaks the assumption. */
function emptyIndex(keys: Fingerprints): LoginIndex {
  const collect = (kind: KeyKind) => ({
    has: () => false,
    get: () => undefined,
    set: (key: string) => keys.add(kind, key),
  });
  return {
    passwords: collect(KEY_KINDS.email),
    thirdParties: collect(KEY_KINDS.identity),
    externalIds: collect(KEY_KINDS.externalId),
    // Looked up for existing logins only.
    externalIdOfUser: { has: () => false, get: () => undefined, set: () => {} },
  };
}
