import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CITUS } from '../../../../src/postgres/citus/citus.ts';
import { Database } from '../../../../src/postgres/client/database.ts';
import { createUserStore } from '../../../../src/postgres/users/create-user-store.ts';
import type { UserStore } from '../../../../src/users/user-store.ts';
import { TESTED_ENGINES } from '../../../support/citus.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';

const [SOLE, LINKED] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002'];
const METHOD = '01890000-0000-7000-8000-000000000003';

/** Number of changes during reads, for the rates of the last test. */
const CHANGES = 60;

/** Runs `between` before the statements that it matches. */
class SteppedDatabase extends Database {
  statements: string[] = [];
  between: ((text: string) => Promise<unknown>) | undefined;
  override async query<Row extends Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    this.statements.push(text);
    await this.between?.(text);
    return super.query<Row>(text, values);
  }
}

let database: TestDatabase;
let db: SteppedDatabase;
/** The tested store, and the store of clients that change users meanwhile. */
let store: UserStore;
let others: UserStore;

beforeEach(async () => {
  database = await createTestDatabase();
  db = new SteppedDatabase({ uri: database.uri, size: 4, timeoutMs: 10_000, onIdleError: () => {} });
  [store, others] = [createUserStore(db), createUserStore(database.db)];
  const columns = '(email, user_id, recipe_user_id, time_joined_ms, linked, password_hash, hash_algorithm)';
  const run = (text: string) => database.db.query(text);
  await run(`insert into users (user_id, time_joined_ms) values ('${SOLE}', 1), ('${LINKED}', 2)`);
  await run(
    `insert into password_logins ${columns} values
       ('sole@b.c', '${SOLE}', '${SOLE}', 1, false, 'x', 'bcrypt'),
       ('linked@b.c', '${LINKED}', '${LINKED}', 2, true, 'x', 'bcrypt')`,
  );
  await run(
    `insert into third_party_logins
       (third_party_id, third_party_user_id, email, user_id, recipe_user_id, time_joined_ms, linked)
     values ('google', 'g', 'g@b.c', '${LINKED}', '${METHOD}', 2, true)`,
  );
  await run(`insert into user_aliases values ('${METHOD}', 'recipe_user', '${LINKED}', '${METHOD}')`);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await db.close();
  await database.drop();
});

const emailsOf = async (id: string) => (await store.findUser(id))?.loginMethods.map(({ email }) => email);
const move = (id: string, email: string) => others.updatePasswordLogin(id, { email });

describe('a user with rows on several nodes', () => {
  beforeEach(() => {
    db.engine = CITUS;
    database.db.engine = CITUS;
  });

  it('is read again if it was changed between two of the statements', async () => {
    let reads = 0;
    db.between = async (text) => {
      if (!/from third_party_logins/.test(text)) return;
      reads += 1;
      // The first read comes before anything was compared.
      if (reads === 2) await move(LINKED, 'new@b.c');
    };
    expect(await emailsOf(LINKED)).toEqual(['new@b.c', 'g@b.c']);
    expect(reads).toBe(3);
  });

  it('is waited for while it is being changed, together with other users', async () => {
    let found: Promise<unknown> | undefined;
    await database.db.transaction(async (client) => {
      await CITUS.lockChange(client, LINKED);
      found = emailsOf(LINKED);
      const isFree = () =>
        Promise.race([found, new Promise((resolve) => setTimeout(resolve, 200, 'not yet'))]);
      expect(await isFree()).toBe('not yet');
      expect(await emailsOf(SOLE)).toEqual(['sole@b.c']);
    });
    expect(await found).toEqual(['linked@b.c', 'g@b.c']);
  });

  it('is answered as overloaded if that takes too long', async () => {
    await database.db.transaction(async (client) => {
      await CITUS.lockChange(client, LINKED);
      const later = performance.now() + 60_000;
      db.between = async (text) => {
        if (/advisory/.test(text)) vi.spyOn(performance, 'now').mockReturnValue(later);
      };
      await expect(store.findUser(LINKED)).rejects.toMatchObject({ code: 'OVERLOADED' });
    });
  });

  it('needs no further statement if one row has all of it', async () => {
    expect(await emailsOf(SOLE)).toEqual(['sole@b.c']);
    expect(db.statements.filter((text) => /advisory|xmax/.test(text))).toEqual([]);
  });
});

it.each(TESTED_ENGINES)(
  'a user is consistent in every answer while it is changed, on $name',
  async (engine) => {
    db.engine = engine;
    database.db.engine = engine;
    let isOver = false;
    const change = async () => {
      for (let n = 0; n < CHANGES; n += 1)
        for (const id of [SOLE, LINKED])
          expect(await move(id, `${id === SOLE ? 'sole' : 'linked'}-${n}@b.c`)).toBe('updated');
      isOver = true;
    };
    const seen = new Map<string, number>();
    const read = async (what: string, ask: () => Promise<(string | undefined)[] | undefined>) => {
      while (!isOver) {
        const shape = (await ask())?.map((email) => email?.replace(/-\d+@/, '@')).join(' ');
        seen.set(`${what}: ${shape}`, (seen.get(`${what}: ${shape}`) ?? 0) + 1);
      }
    };
    await Promise.all([
      change(),
      read('sole', () => emailsOf(SOLE)),
      read('linked', () => emailsOf(LINKED)),
      read('page', async () => {
        const { users } = await store.listUsers({ order: 'asc', limit: 10 });
        return users.flatMap(({ loginMethods }) => loginMethods.map(({ email }) => email));
      }),
    ]);
    const whole = ['sole: sole@b.c', 'linked: linked@b.c g@b.c', 'page: sole@b.c linked@b.c g@b.c'];
    expect([...seen.keys()].filter((shape) => !whole.includes(shape))).toEqual([]);
  },
);
