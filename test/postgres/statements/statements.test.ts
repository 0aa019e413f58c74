import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CITUS } from '../../../src/postgres/citus/citus.ts';
import { type Engine, ONE_POSTGRES } from '../../../src/postgres/client/engine.ts';
import { readMigrations, statementsOf } from '../../../src/postgres/migrate/apply-migrations.ts';
import { CITUS_STAND_INS, IS_CITUS } from '../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { everyMigration, everyOperation } from './every-operation.ts';
import { placesIn, sendingPlaces, statementsIn, writtenStatements } from './read-source.ts';
import { RecordingDatabase, type Sent } from './recording-database.ts';
import { assertNoPartLocks, replay } from './replay.ts';
import {
  ENGINES,
  LIST,
  type Listed,
  listOf,
  listText,
  oneLine,
  readList,
  titleOf,
} from './statement-list.ts';

const MIGRATIONS = readMigrations();
const OF_MIGRATIONS = new Set(MIGRATIONS.flatMap((one) => [one.sql, ...statementsOf(one)]));
/** Cannot run again, because its snapshot is gone: test/postgres/client/copy-snapshot.test.ts */
const OF_SNAPSHOT = 'set transaction snapshot';
const isListed = (text: string) => !OF_MIGRATIONS.has(text) && !text.startsWith(OF_SNAPSHOT);

async function record(engine: Engine): Promise<Sent[]> {
  const onNew = await recordOn({ empty: true }, engine, ({ db }, plain) =>
    everyMigration(db, plain, MIGRATIONS),
  );
  const others = await recordOn({ empty: false }, engine, async (database, plain) => {
    if (engine !== plain.engine) await plain.query(CITUS_STAND_INS);
    await everyOperation(database, plain);
    expect(await plain.query(FALSELY_ALONE)).toEqual([]);
  });
  return [...onNew, ...others];
}

/**
 * Logins that are marked as all there is of their user, although the user has another login or an external
 * id.
 */
const FALSELY_ALONE = `
  select user_id from (
    select user_id, linked from password_logins
    union all select user_id, linked from third_party_logins
    union all select user_id, null from user_aliases where kind = 'external'
  ) pieces
  group by user_id having count(*) > 1 and bool_or(not linked)`;

async function recordOn(
  options: { empty: boolean },
  engine: Engine,
  work: (database: TestDatabase, plain: TestDatabase['db']) => Promise<void>,
): Promise<Sent[]> {
  const database = await createTestDatabase(options);
  const db = new RecordingDatabase({ uri: database.uri, size: 10, timeoutMs: 30_000, onIdleError: () => {} });
  db.engine = engine;
  try {
    await work({ ...database, db }, database.db);
  } finally {
    await db.close();
    await database.drop();
  }
  return db.sent;
}

describe('the list of statements', () => {
  /** A single Postgres can run the statements of either engine, Citus only its own. */
  const engines = IS_CITUS ? [CITUS] : [ONE_POSTGRES, CITUS];
  const sent: Partial<Record<Engine['name'], Sent[]>> = {};
  beforeAll(async () => {
    for (const engine of engines) sent[engine.name] = await record(engine);
  });

  it('has exactly the statements that are sent', async () => {
    const list = listOf(sent, isListed);
    if (!IS_CITUS) return expect(listText(list)).toMatchFileSnapshot(LIST);
    const ofCitus = (all: Listed[]) =>
      all
        .filter((one) => one.engines.includes('citus'))
        .map(({ place, text }) => `-- ${place}\n${text}`)
        .sort();
    expect(ofCitus(list)).toEqual(ofCitus(readList()));
  });

  it.skipIf(IS_CITUS)(
    'has the statements of every place that sends any (on one Postgres, where both engines are recorded)',
    () => {
      const met = new Set(
        Object.values(sent).flatMap((all) => all.map(({ file, line }) => `${file}:${line}`)),
      );
      const missed = sendingPlaces().filter(({ at }) => !met.has(at));
      expect(missed, 'let every-operation.ts call what sends from these places').toEqual([]);
    },
  );

  it('has every statement that is written in the source', () => {
    const listed = oneLine(listText(IS_CITUS ? readList() : listOf(sent, isListed)));
    const missed = writtenStatements().filter(({ text }) => !listed.includes(text));
    expect(missed, 'let every-operation.ts call what sends these, in the shape that has them').toEqual([]);
  });
});

describe('the reader of the source', () => {
  const text = `const a = db.query<Row>(A); // db.query('select 0')
await connection
  .copy([b]);
/* db.query() */ request.query.limit; db.query('select  "c"', x);
const d = \`
  with d as (\${'select e'})\`;`;

  it('finds calls that send statements', () => {
    expect(placesIn('postgres/a.ts', text).map(({ at }) => at)).toEqual(
      [1, 3, 4].map((n) => `postgres/a.ts:${n}`),
    );
    expect(placesIn('lib/a.ts', text).map(({ at }) => at)).toEqual(['lib/a.ts:1', 'lib/a.ts:4']);
    expect(sendingPlaces().length).toBeGreaterThan(50);
  });

  it('finds statements', () => {
    expect(statementsIn('a.ts', text)).toEqual([
      { at: 'a.ts:4', text: 'select "c"' },
      { at: 'a.ts:5', text: 'with d as (' },
      { at: 'a.ts:6', text: 'select e' },
    ]);
    expect(writtenStatements().length).toBeGreaterThan(50);
  });
});

/** Statements of the other engine are skipped, and their titles say so. */
describe('a statement of the list', () => {
  const list = readList();
  const engine = IS_CITUS ? 'citus' : 'postgres';
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  for (const one of list) {
    const isOurs = one.engines.includes(engine);
    it.skipIf(!isOurs)(titleOf(one), () => replay(database.db, one));
  }

  it.each([
    ['select from nowhere', 'relation "nowhere" does not exist'],
    ['select * from unnest($1::money[])', 'add one to SAMPLES'],
  ])('fails with the message of the database: %s', async (text, words) => {
    const one = { place: '', engines: ENGINES, text };
    await expect(replay(database.db, one)).rejects.toThrow(words);
  });

  it.skipIf(!IS_CITUS)('fails if it locks whole shards', async () => {
    const locking = database.db.transaction(async (client) => {
      await client.query('update password_logins set linked = linked');
      await assertNoPartLocks(client);
    }, 'begin; set local citus.enable_deadlock_prevention = on');
    await expect(locking).rejects.toThrow('ShareUpdateExclusiveLock of part');
  });
});
