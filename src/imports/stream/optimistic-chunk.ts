import type { RowSink } from '../import-store.ts';
import type { RawLine } from '../input/line-splitter.ts';
import { isDisabling, isParsedUser, type ParsedLine, type ParsedUser } from '../input/parsed-user.ts';
import { Fingerprints, randomSeed } from '../resolve/fingerprints.ts';
import { hasPlainTextPassword } from '../resolve/hash-passwords.ts';
import { externalIdsOf, type KnownIndex } from '../resolve/person.ts';
import { type ResolveOptions, Resolver } from '../resolve/resolver.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';

export interface OptimisticChunkOptions extends ResolveOptions {
  rows: RowSink;
  read(line: RawLine): ParsedLine;
}

/**
 * Decides lines while they are received, as if all users were new. In a migration, nearly all are. Only bytes
 * are kept of each line, so that the garbage collector has little to do. If a user is not new or occurs
 * twice, the lines are decided again with the stored users.
 */
export class OptimisticChunk {
  readonly rows: RowSink;
  readonly #read: (line: RawLine) => ParsedLine;
  readonly #keys = new Fingerprints(randomSeed());
  readonly #resolver: Resolver;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isBroken = false;

  constructor(firstLine: number, { rows, read, ...options }: OptimisticChunkOptions) {
    this.rows = rows;
    this.#read = read;
    this.#resolver = new Resolver(emptyIndex(this.#keys), options);
    this.#result = new ResultBuilder(firstLine);
  }

  add(lines: readonly RawLine[]): void {
    for (const raw of lines) {
      if (this.#isBroken) return;
      const line = this.#read(raw);
      if (isParsedUser(line) ? needsMore(line) : isDisabling(line)) this.#isBroken = true;
      else this.#resolver.add(line);
    }
    this.#isBroken ||= this.#keys.hasRepeats;
    if (this.#isBroken) return;
    const { created, outcomes } = this.#resolver.take();
    this.rows.add(created);
    this.#result.addSample(created);
    this.#report.push(Buffer.from(this.#result.add(outcomes)));
  }

  /** Whether all users of the lines may be new. */
  get isWhole(): boolean {
    return !this.#isBroken;
  }

  /** Returns undefined if some users cannot be new, or need more than their lines. */
  result(): ChunkResult | undefined {
    if (this.#isBroken) return undefined;
    const { ids, algorithms, hashes } = this.#resolver.decisions;
    const { counts, recordedOutcomes, failures, sample } = this.#result;
    const report = Buffer.concat(this.#report);
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

/** Namespaces of keys: a login may have the same key as an external id. */
const LOGIN = 0;
const OWNER = 1;

/** Returns an index that finds nobody, and collects the keys of the users that are added. */
function emptyIndex(keys: Fingerprints): KnownIndex {
  const collect = (set: (key: string) => unknown) => ({
    has: () => false,
    get: () => undefined,
    set,
    delete: () => {},
  });
  return {
    logins: collect((key) => keys.add(LOGIN, key)),
    owners: collect((key) => keys.add(OWNER, key)),
    persons: collect(() => {}),
  };
}
