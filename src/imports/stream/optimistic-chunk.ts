import type { FactorVault } from '../../users/factor-vault.ts';
import type { RowSink } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import { isDisabling, isParsedUser, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import type { LoginIndex } from '../resolve/existing-logins.ts';
import { type FingerprintSeed, Fingerprints } from '../resolve/fingerprints.ts';
import { hasPlainTextPassword } from '../resolve/hash-passwords.ts';
import { LineResolver } from '../resolve/line-resolver.ts';
import { externalIdsOf, KEY_KINDS, type KeyKind } from '../resolve/login-keys.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';

export interface OptimisticChunkOptions<Rows extends RowSink> {
  rows: Rows;
  /** All chunks of a run have the same seed, so that their fingerprints can be compared. */
  seed: FingerprintSeed;
  read(line: RawLine): ParsedLine;
  dryRun: boolean;
  vault: FactorVault;
  /** A line without an external id must then fail, which ends the optimistic decisions. */
  needsExternalId?: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Decides lines while they are received, as if all users were new. In a migration, nearly all are. Only bytes
 * are kept of each line, so that the garbage collector has little to do. If a user is not new or occurs
 * twice, the lines are decided again with the existing logins.
 */
export class OptimisticChunk<Rows extends RowSink = RowSink> {
  readonly rows: Rows;
  readonly #read: (line: RawLine) => ParsedLine;
  readonly #keys: Fingerprints;
  readonly #resolver: LineResolver;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  readonly #needsExternalId: boolean;
  #isBroken = false;

  constructor(firstLine: number, options: OptimisticChunkOptions<Rows>) {
    this.rows = options.rows;
    this.#keys = new Fingerprints(options.seed);
    this.#read = options.read;
    this.#needsExternalId = options.needsExternalId === true;
    this.#resolver = new LineResolver(emptyIndex(this.#keys), {
      onConflict: 'fail',
      dryRun: options.dryRun,
      vault: options.vault,
      now: options.now,
    });
    this.#result = new ResultBuilder(firstLine);
  }

  add(lines: readonly RawLine[]): void {
    for (const raw of lines) {
      if (this.#isBroken) return;
      const line = this.#read(raw);
      const isUndecided = isParsedUser(line)
        ? needsMore(line) || (this.#needsExternalId && line.externalId === undefined)
        : isDisabling(line);
      if (isUndecided) this.#isBroken = true;
      else this.#resolver.add(line);
    }
    this.#isBroken ||= this.#keys.hasRepeats;
    if (this.#isBroken) return;
    const part = this.#resolver.take();
    this.rows.add(part);
    this.#result.addSample(part.passwordLogins);
    this.#report.push(Buffer.from(this.#result.add(part.outcomes)));
  }

  get keys(): Fingerprints | undefined {
    return this.#isBroken ? undefined : this.#keys;
  }

  /** May be called once. */
  takeResult(): ChunkResult {
    const { ids, algorithms, hashes } = this.#resolver.writeSet;
    const { counts, recordedOutcomes, failures, sample } = this.#result;
    const report = Buffer.concat(this.#report.splice(0));
    return { ids, algorithms, hashes, counts, recordedOutcomes, failures, sample, report };
  }
}

const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/**
 * A plain-text password must be hashed first. An external id in the form of a user id may equal the id of a
 * stored user, which no unique key of the written rows would detect.
 */
const needsMore = (parsedUser: ParsedUser) =>
  parsedUser.methods.some(hasPlainTextPassword) || externalIdsOf(parsedUser).some((id) => USER_ID.test(id));

/** Returns an index that finds no login, and collects the keys of the logins that are added. */
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
    // External ids are looked up by user for existing logins only, and here all logins are new.
    externalIdOfUser: { has: () => false, get: () => undefined, set: () => {} },
  };
}
