import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FileProblem } from '../../../../src/sources/containers/table.ts';
import { readAll } from './read-all.ts';

/** A record that a user would like to smuggle in as a user of the export. */
const FORGED = { id: 666, email: 'victim@example.org', password_hash: '$2y$10$forged' };

const NAMES = ['users', 'data', 'items', 'identities', 'results', 'auth', 'public', 'email', 'id', 'db', '0'];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 4 }));

/** JSON of a user's choice: lists of forged users, at any depth and under any names. */
const { chosen } = fc.letrec((tie) => ({
  chosen: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, 1, 'a', [], [FORGED], { users: [FORGED] }, { auth: { users: [FORGED] } }),
    fc.array(tie('chosen'), { maxLength: 3 }),
    fc.dictionary(name, tie('chosen'), { maxKeys: 3 }),
  ),
}));

const userWith = (address: string) =>
  fc.record({ id: fc.nat(), [address]: fc.constant('mal@example.org'), profile: chosen, data: chosen });
const user = fc.oneof(...['email', 'contact', 'E-Mail Adresse'].map(userWith));

const each = (users: readonly unknown[], space?: number) =>
  users.map((one) => JSON.stringify(one, null, space)).join('\n');

const SHAPES: Record<string, (users: readonly unknown[]) => string> = {
  lines: (users) => each(users),
  'documents of several lines': (users) => each(users, 1),
  'a single user': ([first]) => each([first]),
  'a single user on several lines': ([first]) => each([first], 1),
  'an array': (users) => JSON.stringify(users),
  'a page': (users) => JSON.stringify({ total: users.length, users, meta: { next: null } }),
  pages: (users) => each(users.map((one) => ({ users: [one], start: 0 }))),
  'a list for each table': (users) => JSON.stringify({ users, other: [{ a: 1 }] }),
  'an object for each schema': (users) =>
    JSON.stringify({ auth: { users }, shop: { customers: users } }, null, 1),
};

it.each(Object.keys(SHAPES))('no user can add a record to the export: %s', async (shape) => {
  await fc.assert(
    fc.asyncProperty(fc.array(user, { minLength: 2, maxLength: 4 }), async (users) => {
      const { tables, problem } = await readAll(SHAPES[shape]?.(users) ?? '');
      expect(problem === undefined || problem instanceof FileProblem).toBe(true);
      const records = Object.values(tables).flatMap(({ rows }) => rows);
      if (shape !== 'an object for each schema') expect(records.length).toBeGreaterThan(0);
      expect(records).not.toContainEqual(FORGED);
    }),
  );
});
