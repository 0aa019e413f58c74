import { randomInt } from 'node:crypto';
import { DEFAULT_MATCH_BY, type ImportRequest } from '../../imports/import-request.ts';
import type {
  ChunkRecord,
  EarlierUser,
  ImportSink,
  Progress,
  RowSink,
  Run,
} from '../../imports/import-store.ts';
import {
  emailKey,
  type Known,
  type LineKeys,
  type LoginIds,
  type Owner,
  type Person,
} from '../../imports/resolve/person.ts';
import type { Decisions } from '../../imports/resolve/resolver.ts';
import { markHandled } from '../../lib/async/map-ahead.ts';
import { ByteBuilder } from '../../lib/buffers.ts';
import { AppError } from '../../lib/errors.ts';
import type { ThirdPartyIdentity } from '../../users/user.ts';
import type { Connection, Queryable } from '../client/connection.ts';
import { copyBigint, copyStatement, copyText, rowHead } from '../client/copy-in.ts';
import type { Database } from '../client/database.ts';
import { recordDryRun } from './import-records.ts';
import { readKnown } from './read-known.ts';
import { BEGIN_BULK, readTaken } from './stored-rows.ts';

/**
 * Milliseconds without a chunk after which a dry run counts as lost. A silent client is disconnected earlier, so the
 * instance that ran it must be gone.
 */
const LOST_AFTER_MS = 60 * 60 * 1000;

/** Rows that one statement removes. */
const BATCH = 10_000;

/** Milliseconds between two updates of the record. Many failed lines cause an update earlier. */
const RECORD_EVERY_MS = 1000;

/** Maximum number of buffered failed lines: about those of one chunk. */
const MAX_PENDING = 2000;

/**
 * Begins a transaction that reads tables by index. The table has no statistics about a new dry run, so PostgreSQL might
 * read all of it for each chunk.
 */
const BEGIN = `${BEGIN_BULK}; set local enable_seqscan = off`;

const BEGIN_SESSION = 'insert into dry_run_sessions (session) values ($1)';
const USE_SESSION = 'update dry_run_sessions set used_at = now() where session = $1 returning session';

type Failures = Map<string, (readonly [line: number, message: string])[]>;

/**
 * Sink of a dry run. The users that the lines would create or change are kept in a table, so a dry run may have any
 * length. Rows of real users are neither written nor locked. Each chunk has its own transaction, so a slow client
 * occupies neither a transaction nor a connection.
 */
export class DryRunSink implements ImportSink {
  /** A chunk must read what the chunk before it has written. */
  readonly canWriteTwo = false;
  readonly #db: Database;
  readonly #bulkDb: Database;
  readonly #run: Run;
  readonly #request: ImportRequest;
  /** Random, because a sequence would need a statement before the first chunk. */
  readonly #session = String(randomInt(2 ** 48 - 1));
  #isBegun = false;
  #progress: Progress;
  #failures: Failures = new Map();
  #pending = 0;
  #recordedAt = performance.now();

  /** @param db for the record of the import. `bulkDb` lends connections for long work */
  constructor(db: Database, bulkDb: Database, run: Run, request: ImportRequest) {
    this.#db = db;
    this.#bulkDb = bulkDb;
    this.#run = run;
    this.#request = request;
    this.#progress = run.progress;
  }

  /**
   * Returns undefined with `matchBy=externalId`: later lines then also compare hashes, which `DryRunRows`
   * does not keep.
   */
  rows(): DryRunRows | undefined {
    return this.#request.matchBy === 'externalId' ? undefined : new DryRunRows(this.#session);
  }

  async create(rows: RowSink, record: () => Promise<ChunkRecord>): Promise<ChunkRecord | undefined> {
    if (!(rows instanceof DryRunRows)) throw new Error('these rows belong to another sink');
    if (!(await this.#transaction((connection) => rows.writeIfNew(connection)))) return undefined;
    const chunk = await record();
    await this.#record(chunk);
    return chunk;
  }

  async decide(
    keys: LineKeys,
    decide: (known: Known) => Promise<{ decisions: Decisions; record(): Promise<ChunkRecord> }>,
  ): Promise<ChunkRecord> {
    const { matchBy = DEFAULT_MATCH_BY, source } = this.#request;
    const chunk = await this.#transaction(async (connection) => {
      const known = await readKnown(connection, keys, { matchBy, source, lock: false });
      await this.#addEarlier(connection, keys, known);
      const { decisions, record } = await decide(known);
      await this.#keep(connection, [...entriesOf(known, decisions, matchBy === 'externalId')]);
      return record();
    });
    await this.#record(chunk);
    return chunk;
  }

  async forget(users: readonly EarlierUser[]): Promise<void> {
    const keys = users.flatMap(({ keys }) => keys);
    await this.#transaction((connection) =>
      this.#keep(
        connection,
        keys.map((key) => ['login', key, null]),
      ),
    );
  }

  async flush(): Promise<void> {
    if (this.#pending > 0) await this.#writeRecord();
  }

  async close(): Promise<void> {
    // Nobody waits for the removal. If it fails, a clean-up removes the rows within hours.
    if (this.#isBegun) markHandled(forgetSession(this.#bulkDb, this.#session));
  }

  async #transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const result = await this.#bulkDb.connection((connection) =>
      connection.transaction(async () => {
        await (this.#isBegun
          ? this.#assertKept(connection)
          : connection.query(BEGIN_SESSION, [this.#session]));
        return work(connection);
      }, BEGIN),
    );
    this.#isBegun = true;
    return result;
  }

  /**
   * Throws if the rows of this dry run are lost. Its tables are unlogged: PostgreSQL empties them after a crash, and a
   * standby has no rows.
   */
  async #assertKept(connection: Connection): Promise<void> {
    const rows = await connection.query(USE_SESSION, [this.#session]);
    if (rows.length > 0) return;
    throw new AppError(
      'STORAGE_UNAVAILABLE',
      'Storage is unavailable: the database has lost the rows of this dry run, probably in a crash: begin the dry run again',
    );
  }

  /** Adds to `known` what earlier lines of this dry run would have changed. */
  async #addEarlier(db: Queryable, keys: LineKeys, known: Known): Promise<void> {
    const wanted = [...[...keys.emails].map(emailKey), ...keys.identities.keys(), ...keys.externalIds];
    for (const [kind, key, state] of await this.#read(db, ['login', 'owner'], wanted)) {
      if (kind === 'owner') known.owners.set(key, state as Owner);
      // Null: after the earlier lines, no login would have the key.
      else if (state === null) known.logins.delete(key);
      else known.logins.set(key, state as LoginIds);
    }
    const ids = [...known.logins.values(), ...known.owners.values()].map(({ userId }) => userId);
    for (const [, userId, state] of await this.#read(db, ['person'], ids)) {
      const person = state as Person;
      const kept = new Set(person.logins.map(({ recipeUserId }) => recipeUserId));
      // If users are found by a login, an earlier chunk has kept only the logins in its own lines. The user's other
      // logins are added here.
      const others = known.persons.get(userId)?.logins.filter(({ recipeUserId }) => !kept.has(recipeUserId));
      person.logins.push(...(others ?? []));
      person.stored = { ...person, timeJoinedMs: Number.NaN };
      known.persons.set(userId, person);
    }
  }

  async #read(db: Queryable, kinds: readonly Kind[], keys: readonly string[]): Promise<Entry[]> {
    const rows = await db.query<{ kind: Kind; key: string; state: string }>(
      'select kind, key, state from dry_run_logins where session = $1 and key = any ($2) and kind = any ($3)',
      [this.#session, [...new Set(keys)], kinds],
    );
    return rows.map(({ kind, key, state }) => [kind, key, JSON.parse(state)]);
  }

  async #keep(db: Queryable, entries: readonly Entry[]): Promise<void> {
    await db.query(
      `insert into dry_run_logins (session, kind, key, state)
       select $1::bigint, kind, key, state from unnest($2::text[], $3::text[], $4::text[]) as t (kind, key, state)
       on conflict (session, key, kind) do update set state = excluded.state`,
      [
        this.#session,
        entries.map(([kind]) => kind),
        entries.map(([, key]) => key),
        entries.map(([, , state]) => JSON.stringify(state)),
      ],
    );
  }

  async #record({ failures, progress, settles }: ChunkRecord): Promise<void> {
    if (settles) {
      await this.flush();
      this.#progress = progress;
      await recordDryRun(this.#db, this.#run, progress, failures, settles);
      return;
    }
    this.#progress = progress;
    for (const [code, lines] of failures) {
      const others = this.#failures.get(code);
      if (others === undefined) this.#failures.set(code, [...lines]);
      else others.push(...lines);
      this.#pending += lines.length;
    }
    if (this.#pending >= MAX_PENDING || performance.now() - this.#recordedAt >= RECORD_EVERY_MS)
      await this.#writeRecord();
  }

  async #writeRecord(): Promise<void> {
    const failures = this.#failures;
    this.#failures = new Map();
    this.#pending = 0;
    this.#recordedAt = performance.now();
    await recordDryRun(this.#db, this.#run, this.#progress, failures);
  }
}

const REMOVE = `
  delete from dry_run_logins where ctid = any (array(
    select ctid from dry_run_logins where session = $1 limit ${BATCH})) returning session`;

/** The session is removed last, so that an interrupted removal can be repeated. */
async function forgetSession(db: Database, session: string): Promise<number> {
  for (let removed = 0; ; ) {
    const rows = await db.transaction((client) => client.query(REMOVE, [session]), BEGIN);
    removed += rows.length;
    if (rows.length > 0) continue;
    await db.query('delete from dry_run_sessions where session = $1', [session]);
    return removed + 1;
  }
}

/** Removes the rows of dry runs whose instance of the service is gone. Returns the number of removed rows. */
export async function forgetLostSessions(db: Database): Promise<number> {
  const lost = await db.query<{ session: string }>(
    "select session from dry_run_sessions where used_at < now() - $1 * interval '1 ms' order by session",
    [LOST_AFTER_MS],
  );
  let removed = 0;
  for (const { session } of lost) removed += await forgetSession(db, session);
  return removed;
}

/** Kinds of rows that later lines find: ids by login key, owners by external id, and persons by user id. */
type Kind = 'login' | 'owner' | 'person';

type Entry = [kind: Kind, key: string, state: LoginIds | Owner | Person | null];

function* entriesOf(
  known: Known,
  { created, changed, movedKeys }: Decisions,
  needsHash: boolean,
): Generator<Entry> {
  const people = new Map([...created, ...changed].map((person) => [person.userId, person]));
  for (const key of movedKeys) if (!known.logins.has(key)) yield ['login', key, null];
  for (const person of people.values()) yield* entriesOfPerson(person, needsHash);
  for (const [id, owner] of known.owners) if (people.has(owner.userId)) yield ['owner', id, owner];
}

function* entriesOfPerson(person: Person, needsHash: boolean): Generator<Entry> {
  const { userId } = person;
  for (const { key, recipeUserId } of person.logins) yield ['login', key, { userId, recipeUserId }];
  // Only an import that matches by external id compares hashes.
  const logins = person.logins.map(({ stored: _, hash, ...login }) => ({
    ...{ ...login, stored: undefined, hash: needsHash ? hash : undefined },
  }));
  yield ['person', userId, { ...person, logins, newFactors: undefined, stored: undefined }];
}

const ENTRY_COLUMNS = ['session', 'kind', 'key', 'state'];

/** Rows of a chunk in which all users seem to be new. */
class DryRunRows implements RowSink {
  readonly #session: string;
  /** Beginning of each row. */
  readonly #head: string;
  readonly #rows = new ByteBuilder();
  #count = 0;
  readonly #emails: string[] = [];
  readonly #identities: ThirdPartyIdentity[] = [];
  readonly #externalIds: string[] = [];
  readonly #keys: string[] = [];

  constructor(session: string) {
    this.#session = session;
    this.#head = rowHead(ENTRY_COLUMNS.length) + copyBigint(Number(session));
  }

  add(people: readonly Person[]): void {
    let text = '';
    for (const person of people) {
      const { userId } = person;
      const entries = [...entriesOfPerson(person, false)];
      for (const { key, email, identity, recipeUserId, externalId } of person.logins) {
        this.#keys.push(key);
        if (identity === undefined) this.#emails.push(email);
        else this.#identities.push(identity);
        if (externalId === undefined) continue;
        this.#externalIds.push(externalId);
        entries.push(['owner', externalId, { userId, recipeUserId, isPerson: recipeUserId === userId }]);
      }
      for (const [kind, key, state] of entries)
        text += this.#head + copyText(kind) + copyText(key) + copyText(JSON.stringify(state));
      this.#count += entries.length;
    }
    this.#rows.addText(text, 'latin1');
  }

  /**
   * Returns false, and writes nothing, if a key is in use already. External ids need not be compared with ids of
   * users, because a line with an external id in the form of a user id is never decided as if its user were new.
   */
  async writeIfNew(connection: Connection): Promise<boolean> {
    const taken = await readTaken(connection, {
      ...{ emails: this.#emails, identities: this.#identities, aliases: this.#externalIds },
    });
    const [row] = await connection.query<{ met: boolean }>(
      'select exists (select from dry_run_logins where session = $1 and key = any ($2)) as met',
      [this.#session, [...this.#keys, ...this.#externalIds]],
    );
    if (taken.length > 0 || row?.met !== false) return false;
    const statement = copyStatement('dry_run_logins', ENTRY_COLUMNS);
    if (this.#count > 0) await connection.copy([{ statement, rows: this.#rows.bytes(), count: this.#count }]);
    return true;
  }

  release(): void {}
}
