import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { MatchBy } from '../../../src/imports/import-request.ts';
import type { ChunkRecord, ImportSink, ImportStore, Run } from '../../../src/imports/import-store.ts';
import type { ParsedUser } from '../../../src/imports/input/parsed-user.ts';
import { keysOf, noKnown } from '../../../src/imports/resolve/person.ts';
import { Resolver } from '../../../src/imports/resolve/resolver.ts';
import type { Connection } from '../../../src/postgres/client/connection.ts';
import { Database } from '../../../src/postgres/client/database.ts';
import { retryContended } from '../../../src/postgres/client/pg-error.ts';
import { createImportStore } from '../../../src/postgres/imports/create-import-store.ts';
import { halves, rollBack } from '../../imports/history/rollback-under-test.ts';
import { type TestDatabase, useTestDatabase } from '../../support/database.ts';
import { testVault } from '../../support/factors.ts';
import { labelledHash } from '../../support/labelled-hashes.ts';
import { lockWaits } from '../../support/lock-waits.ts';
import { parsedUserOf } from '../../support/user-forms.ts';

/** Users of each chunk. With so many, each shard on Citus has some of two chunks. */
const USERS = 40;
const SOURCE = 'shop';

let database: TestDatabase;
beforeEach(async () => {
  database = await useTestDatabase();
});

/** Users of a chunk with both kinds of login. `label` is in all that an import may change later. */
const usersOf = (chunk: number, label: string, more: object = {}): ParsedUser[] =>
  Array.from({ length: USERS }, (_, user) => {
    const name = `known-${chunk}-${user}`;
    const common = { isPrimary: false, timeJoinedInMSSinceEpoch: 1_600_000_000_001 };
    return parsedUserOf({
      externalUserId: name,
      ...more,
      loginMethods: [
        {
          ...{ ...common, recipeId: 'emailpassword', email: `${name}@b.c`, isPrimary: true },
          ...{ passwordHash: labelledHash(label).encoded, hashingAlgorithm: 'bcrypt' },
        },
        {
          ...{ ...common, recipeId: 'thirdparty', email: `${label}-${name}@b.c`, isVerified: true },
          ...{ thirdPartyId: 'google', thirdPartyUserId: name },
        },
      ],
    });
  });

const resolver = (known: ConstructorParameters<typeof Resolver>[0], matchBy: MatchBy) =>
  new Resolver(known, {
    ...{ onConflict: 'overwrite', matchBy, dryRun: false, vault: testVault(), now: 0 },
  });

type Ids = Pick<ChunkRecord, 'firstUserId' | 'lastUserId'>;
type Request = Parameters<ImportStore['sink']>[1];

/** An import with its sink. Its chunks have a line for each user. */
class TestImport {
  readonly #matchBy: MatchBy;
  readonly sink: ImportSink;
  #progress: Run['progress'];

  private constructor(imports: ImportStore, run: Run, matchBy: MatchBy, request: Request) {
    this.#matchBy = matchBy;
    this.sink = imports.sink(run, request);
    this.#progress = run.progress;
  }

  static async begin(db: Database, importId: string, matchBy: MatchBy = 'login'): Promise<TestImport> {
    const imports = createImportStore(db, db);
    const request = {
      ...{ importId, keyName: 'tests', dryRun: false, onConflict: 'overwrite' as const },
      ...{ matchBy, source: SOURCE },
    };
    const run = await imports.begin(request);
    if (typeof run === 'string') throw new Error(run);
    return new TestImport(imports, run, matchBy, request);
  }

  get nextLine(): number {
    return this.#progress.nextLine;
  }

  async create(users: readonly ParsedUser[]): Promise<boolean> {
    const { decisions } = resolver(noKnown(), this.#matchBy).addAll(users);
    const rows = this.sink.rows();
    if (rows === undefined) throw new Error('rows can be written without knowing the stored users');
    rows.add(decisions.created);
    const { first: firstUserId, last: lastUserId } = decisions.ids;
    const record = async () => this.#record(users.length, { firstUserId, lastUserId });
    return (await this.sink.create(rows, record)) !== undefined;
  }

  /** Returns the distinct statuses of the lines, which are decided again as long as others change the users. */
  async decide(users: readonly ParsedUser[]): Promise<(string | undefined)[]> {
    let statuses: (string | undefined)[] = [];
    const attempt = () =>
      this.sink.decide(keysOf(users), async (known) => {
        const { decisions } = resolver(known, this.#matchBy).addAll(users);
        statuses = [...new Set(decisions.outcomes.map((outcome) => outcome?.status))];
        const { first: firstUserId, last: lastUserId } = decisions.ids;
        return { decisions, record: async () => this.#record(users.length, { firstUserId, lastUserId }) };
      });
    this.#progress = (await retryContended(10, attempt)).progress;
    return statuses;
  }

  #record(lines: number, ids: Ids): ChunkRecord {
    const firstLine = this.#progress.nextLine;
    return {
      ...{ firstLine, lines, sealedMarks: Buffer.alloc(8), ...ids, outcomes: [], failures: new Map() },
      progress: { ...this.#progress, nextLine: firstLine + lines },
    };
  }
}

/** Database whose transactions wait before they commit. */
class PausingDatabase extends Database {
  #resume = () => {};
  readonly #resumed = new Promise<void>((resolve) => {
    this.#resume = resolve;
  });
  isPaused = false;

  override connection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return super.connection((connection) => {
      const query = connection.query.bind(connection);
      connection.query = async (text: string, values?: readonly unknown[]) => {
        if (text === 'commit') {
          this.isPaused = true;
          await this.#resumed;
        }
        return query(text, values);
      };
      return work(connection);
    });
  }

  resume(): void {
    this.#resume();
  }
}

function pausingDatabase(): PausingDatabase {
  const { uri, db } = database;
  const pausing = new PausingDatabase({ uri, size: 2, timeoutMs: 10_000, onIdleError: () => {} });
  onTestFinished(() => pausing.close());
  pausing.engine = db.engine;
  return pausing;
}

/** Returns how many logins have a label in what imports change, and how many belong to disabled users. */
async function written(label: string): Promise<unknown> {
  const [row] = await database.db.query(
    `select (select count(*)::int from password_logins where password_hash = $1) as hashes,
       (select count(*)::int from third_party_logins where email like $2) as emails,
       (select count(*)::int from password_logins where disabled) as disabled`,
    [labelledHash(label).encoded, `${label}-%`],
  );
  return row;
}

describe.each(['login', 'externalId'] as const)('a chunk of users known by %s', (matchBy) => {
  beforeEach(async () => {
    const first = await TestImport.begin(database.db, 'before', matchBy);
    expect(await first.create([0, 1].flatMap((chunk) => usersOf(chunk, 'before')))).toBe(true);
  });

  const change = async (db: Database, importId: string, users: readonly ParsedUser[]) =>
    (await TestImport.begin(db, importId, matchBy)).decide(users);

  it('is written while another import holds other users in the same shards', async () => {
    const pausing = pausingDatabase();
    const first = change(pausing, 'a', usersOf(0, 'after', { disabled: true }));
    await expect.poll(() => pausing.isPaused).toBe(true);
    expect(await change(database.db, 'b', usersOf(1, 'after', { disabled: true }))).toEqual(['UPDATED']);
    expect(await written('after')).toEqual({ hashes: USERS, emails: USERS, disabled: USERS });
    pausing.resume();
    expect(await first).toEqual(['UPDATED']);
    expect(await written('after')).toEqual({ hashes: 2 * USERS, emails: 2 * USERS, disabled: 2 * USERS });
  });

  it('waits while another import holds its users, and is decided about them as they are then', async () => {
    const pausing = pausingDatabase();
    const first = change(pausing, 'a', usersOf(0, 'first'));
    await expect.poll(() => pausing.isPaused).toBe(true);
    const second = change(database.db, 'b', usersOf(0, 'second').toReversed());
    await expect.poll(() => lockWaits(database.db)).toBeGreaterThan(0);
    pausing.resume();
    expect([await first, await second]).toEqual([['UPDATED'], ['UPDATED']]);
    expect(await written('second')).toEqual({ hashes: USERS, emails: USERS, disabled: 0 });
    await rollBack(database.db, 'b');
    expect(await written('first')).toEqual({ hashes: USERS, emails: USERS, disabled: 0 });
  });

  it('is restored as it was before the import, which changed it twice', async () => {
    const twice = await TestImport.begin(database.db, 'twice', matchBy);
    for (const label of ['first', 'second'])
      expect(await twice.decide(usersOf(0, label, { disabled: true }))).toEqual(['UPDATED']);
    expect(await written('second')).toEqual({ hashes: USERS, emails: USERS, disabled: USERS });
    await rollBack(database.db, 'twice');
    expect(await written('before')).toEqual({ hashes: 2 * USERS, emails: 2 * USERS, disabled: 0 });
  });
});

describe('a chunk of users who seem to be new', () => {
  it('is not written at all if one of them exists', async () => {
    const { db } = database;
    const known = await TestImport.begin(db, 'known');
    expect(await known.create(usersOf(0, 'known'))).toBe(true);
    const [existing] = usersOf(0, 'new');
    if (existing === undefined) throw new Error('no user');
    const both = await TestImport.begin(db, 'both');
    expect(await both.create([...usersOf(1, 'new'), existing])).toBe(false);
    expect(await written('new')).toEqual({ hashes: 0, emails: 0, disabled: 0 });
    expect(await halves(db)).toEqual([]);
    expect((await TestImport.begin(db, 'both')).nextLine).toBe(1);
  });

  it('is not written if another import creates one of them at the same time', async () => {
    const pausing = pausingDatabase();
    const first = await TestImport.begin(pausing, 'first');
    const second = await TestImport.begin(database.db, 'second');
    const creation = first.create(usersOf(0, 'first'));
    await expect.poll(() => pausing.isPaused).toBe(true);
    const other = second.create(usersOf(0, 'second'));
    await expect.poll(() => lockWaits(database.db)).toBeGreaterThan(0);
    pausing.resume();
    expect([await creation, await other]).toEqual([true, false]);
    expect(await written('first')).toEqual({ hashes: USERS, emails: USERS, disabled: 0 });
  });
});

describe('a run that another run has taken over', () => {
  it('writes nothing', async () => {
    const { db } = database;
    const known = await TestImport.begin(db, 'known');
    expect(await known.create(usersOf(0, 'known'))).toBe(true);
    const first = await TestImport.begin(db, 'it');
    const second = await TestImport.begin(db, 'it');
    const takenOver = { code: 'IMPORT_TAKEN_OVER' };
    await expect(first.create(usersOf(1, 'first'))).rejects.toMatchObject(takenOver);
    await expect(first.decide(usersOf(0, 'first'))).rejects.toMatchObject(takenOver);
    await expect(first.decide(usersOf(1, 'first'))).rejects.toMatchObject(takenOver);
    expect(await written('first')).toEqual({ hashes: 0, emails: 0, disabled: 0 });
    expect(await db.query('select from import_changes')).toEqual([]);
    expect(await second.create(usersOf(1, 'second'))).toBe(true);
    expect(await written('second')).toEqual({ hashes: USERS, emails: USERS, disabled: 0 });
  });
});
