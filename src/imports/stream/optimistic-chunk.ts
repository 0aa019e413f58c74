import type { RowBuffer } from '../import-store.ts';
import { externalIdsOf, type ParsedUser } from '../input/parsed-user.ts';
import type { LoginIndex } from '../resolve/existing-logins.ts';
import { Fingerprints } from '../resolve/fingerprints.ts';
import { hasPlainTextPassword } from '../resolve/hash-passwords.ts';
import { LineResolver } from '../resolve/line-resolver.ts';
import { KEY_KINDS, type KeyKind } from '../resolve/login-keys.ts';
import type { ParsedLine } from '../resolve/resolve-lines.ts';
import { type ChunkResult, ResultBuilder } from './chunk-result.ts';
import type { RawLine } from './line-splitter.ts';

export interface OptimisticChunkOptions {
  rows: RowBuffer;
  read(line: RawLine): ParsedLine;
  dryRun: boolean;
  /** ms since the epoch. */
  now: number;
}

/**
 * A chunk decided while it is read, on the assumption that all its users are new: nearly always so in a migration. What is
 * kept of a line then is bytes: its own, those of its rows and of its report, so that a million lines leave the garbage
 * collector little to do. A line that meets another spoils the draft, and the chunk is planned with all that is known.
 */
export class OptimisticChunk {
  readonly rows: RowBuffer;
  readonly #read: (line: RawLine) => ParsedLine;
  readonly #keys = new Fingerprints();
  readonly #resolver: LineResolver;
  readonly #result: ResultBuilder;
  readonly #report: Buffer[] = [];
  #isSpoiled = false;

  constructor(firstLine: number, options: OptimisticChunkOptions) {
    this.rows = options.rows;
    this.#read = options.read;
    this.#resolver = new LineResolver(loginIndexOf(this.#keys), {
      onConflict: 'fail',
      dryRun: options.dryRun,
      now: options.now,
    });
    this.#result = new ResultBuilder(firstLine);
  }

  add(raw: RawLine): void {
    if (this.#isSpoiled) return;
    const line = this.#read(raw);
    if (line !== undefined && 'methods' in line && needsMore(line)) this.#isSpoiled = true;
    else this.#resolver.add(line);
  }

  /** Turns the lines so far into bytes. */
  flush(): void {
    this.#isSpoiled ||= this.#keys.hasRepeats;
    if (this.#isSpoiled) return;
    const part = this.#resolver.take();
    this.rows.add(part);
    this.#result.addSample(part.passwordLogins);
    this.#report.push(Buffer.from(this.#result.add(part.outcomes)));
  }

  /** Whom the lines are about; undefined: the draft is spoiled. */
  get keys(): Fingerprints | undefined {
    return this.#isSpoiled ? undefined : this.#keys;
  }

  /** Once only. */
  takeResult(): ChunkResult {
    const { ids, algorithms } = this.#resolver.writeSet;
    const { counts, recordedOutcomes, sample } = this.#result;
    const report = Buffer.concat(this.#report.splice(0));
    return { ids, algorithms, counts, recordedOutcomes, sample, report };
  }
}

/** The form of the ids this service makes. */
const USER_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/;

/** A password must be hashed first. Whether an external id is some user's own id, no row that is written tells. */
const needsMore = (parsedUser: ParsedUser) =>
  parsedUser.methods.some(hasPlainTextPassword) || externalIdsOf(parsedUser).some((id) => USER_ID.test(id));

/** Knows nobody, and notes down who comes: whoever comes twice spoils the draft. */
function loginIndexOf(keys: Fingerprints): LoginIndex {
  const pageOf = (kind: KeyKind) => ({
    has: () => false,
    get: () => undefined,
    set: (key: string) => keys.add(kind, key),
  });
  return {
    passwords: pageOf(KEY_KINDS.email),
    thirdParties: pageOf(KEY_KINDS.identity),
    externalIds: pageOf(KEY_KINDS.externalId),
    // Asked only of who is known.
    externalIdOfUser: { has: () => false, get: () => undefined, set: () => {} },
  };
}
