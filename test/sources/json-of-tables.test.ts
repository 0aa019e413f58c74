import { expect, it } from 'vitest';
import type { SourceFile } from '../../src/sources/containers/table.ts';
import { surveyFile } from '../../src/sources/pipeline/survey-file.ts';
import type { Verdict } from '../../src/sources/pipeline/verdict.ts';
import { fileOf } from './containers/read-whole.ts';
import { planOf, readSamples, verdictsOf } from './samples.ts';

/** Samples of dumps, each of which can also be written as one JSON object with a list for each table. */
const DUMPS = readSamples().filter(({ files }) => files.length === 1 && files[0]?.name.endsWith('.sql'));

type Tables = Record<string, readonly unknown[]>;

async function tablesOf(file: SourceFile): Promise<Tables> {
  const tables: Record<string, unknown[]> = {};
  const { read } = await surveyFile(file, {});
  for await (const { table, records } of read(() => true)) {
    tables[table.name] = [...(tables[table.name] ?? []), ...records];
  }
  return tables;
}

/** A list for each table, on many lines. */
const written = (tables: Tables) => JSON.stringify({ none: null, ...tables, empty: [] }, null, 2);

const jsonFile = (text: string): SourceFile => ({ ...fileOf(text), name: 'tables.json' });

/** What becomes of a row, whatever the kind of its file. */
const seen = ({ row, result, reason, line, email }: Verdict) => ({ row, result, reason, line, email });

it.each(DUMPS.map((sample) => [`${sample.system}: ${sample.files[0]?.name}`, sample] as const))(
  '%s holds the same users as JSON',
  async (_, { files, from, options }) => {
    const [file] = files;
    if (file === undefined) throw new TypeError('a sample without a file');
    const ofDump = (await verdictsOf(await planOf({ files, from, options }))).map(seen);
    const json = jsonFile(written(await tablesOf(file)));
    const plan = await planOf({ files: [json], from, options });
    expect(plan.advice.filter(({ level }) => level === 'stop')).toEqual([]);
    expect((await verdictsOf(plan)).map(seen)).toEqual(ofDump);
  },
);

const HASH = '$2b$12$C9wmJjmBpASJS8/.gFb8dO3f2dVk5WSgQy1mbwHvpXUqk8mSTS7/e';
const users = (...addresses: string[]) =>
  addresses.map((email, index) => ({ id: index + 1, email, password_hash: HASH }));

const planOfJson = (json: unknown, settings: Record<string, string> = {}) =>
  planOf({ files: [jsonFile(JSON.stringify(json))], options: settings });

const tablesAsked = async (json: unknown, settings?: Record<string, string>) =>
  (await planOfJson(json, settings)).advice.flatMap(({ question }) => question?.tables ?? []);

const addressesIn = async (json: unknown, settings?: Record<string, string>) => {
  const plan = await planOfJson(json, settings);
  const stop = plan.advice.find(({ level }) => level === 'stop');
  if (stop !== undefined) throw new Error(stop.text);
  return (await verdictsOf(plan)).map(({ email }) => email);
};

const ofLaravel = (email: string) => [{ id: 1, email, password: HASH, remember_token: null }];

it('lists of people who must not become users are asked about, and left out, as tables of a database are', async () => {
  for (const aside of ['deleted_users', 'users_backup', 'pending_users']) {
    const lists = { [aside]: ofLaravel('old@x.org'), users: ofLaravel('a@x.org') };
    await expect(addressesIn(lists)).rejects.toThrow('These tables refer to users and are not read');
    expect(await addressesIn(lists, { ignoreTable: aside })).toEqual(['a@x.org']);
    await expect(addressesIn({ [aside]: users('old@x.org'), users: users('a@x.org') })).rejects.toThrow(
      'Name the table: --table users.',
    );
  }
});

it('several lists of users are only imported if the operator names one', async () => {
  const shop = { customers: users('a@x.org'), members: users('b@x.org') };
  await expect(addressesIn(shop)).rejects.toThrow(/Several tables .* Name the table: --table customers\./);
  expect(await addressesIn(shop, { table: 'members' })).toEqual(['b@x.org']);
  await expect(addressesIn(shop, { table: 'users' })).rejects.toThrow(/has no such table/);
});

it('lists that may belong to a user need a next step', async () => {
  const redmine = { made_by: 'psql', users: [{ id: 1, login: 'a' }], email_addresses: [{ user_id: 1 }] };
  await expect(addressesIn(redmine)).rejects.toThrow(
    /If each list is a table, leave out the other members: jq .*--json-path users\.$/,
  );
});

it('several lists of users of one system stop the import', async () => {
  const lists = { users: ofLaravel('a@x.org'), customers: ofLaravel('b@x.org') };
  await expect(addressesIn(lists)).rejects.toThrow(
    'Several tables or files fit as users: users, customers. Their ids may be the same',
  );
});

it('the collection of Payload that the operator names is imported, and not another one', async () => {
  const of = (email: string) => [
    { id: 1, email, salt: 'ab', hash: 'ab'.repeat(512), login_attempts: 0, reset_password_expiration: null },
  ];
  const collections = { users: of('staff@x.org'), customers: of('a@x.org') };
  expect(await addressesIn(collections, { collection: 'customers' })).toEqual(['a@x.org']);
  await expect(addressesIn(collections, { collection: 'people' })).rejects.toThrow(
    'There is no collection people whose documents sign in. Name one of these: users, customers.',
  );
});

const of = (email: string) => ({ id: 1, email, password_hash: HASH });
const ADA = of('ada@example.org');

it('objects beside the lists may be users by their ids, so that no list of a user is a table', async () => {
  const forged = [of('victim@example.org')];
  for (const file of [
    { u1: ADA, u2: forged },
    { u1: ADA, u2: { mallory_users: forged } },
    { users: { u1: ADA }, admins: forged },
    { contact: 'mal@example.org', id: 7, favorites: forged },
    { users: { mallory: forged, bob: [{ t: 1 }] } },
  ])
    for (const space of [undefined, 1]) {
      const files = [jsonFile(JSON.stringify(file, null, space))];
      const taken = async () => verdictsOf(await planOf({ files, options: {} }));
      expect([file, await taken().catch(() => [])]).toEqual([file, []]);
    }
});

it('a large object that may be a user is not taken for lists', async () => {
  const forged = Array.from({ length: 50_000 }, (_, id) => of(`${id}@example.org`));
  for (const user of [
    { contact: 'mal@example.org', users: forged },
    { users: forged, user_id: 7 },
  ])
    for (const space of [undefined, 1]) {
      const file = jsonFile(JSON.stringify(user, null, space));
      await expect(surveyFile(file, {})).rejects.toThrow(
        /a user may have chosen the lists.*--json-path users/,
      );
    }
});

it('details of users are not taken from an object beside the tables', async () => {
  const plan = await planOfJson({
    users: [{ id: 11, email: 'ada@example.org', password_hash: HASH }],
    notes: { 22: [{ provider: 'google', provider_id: 'EVIL', user_id: 11, identity_data: {} }] },
  });
  expect(plan.surveys.flatMap(({ tables }) => tables.map(({ name }) => name))).toEqual(['users']);
});

it('a list that looks like users is not left out in silence', async () => {
  for (const file of [
    { users: [ADA], customers: [of('a@x.org')], meta: {} },
    { users: [ADA], auth: { users: [of('a@x.org')] } },
    { auth: { version: '1', users: [ADA] }, users: [{ id: 1, email: 'a@x.org' }] },
    { data: { users: [ADA], customers: [of('a@x.org')] } },
    { backup: [{ at: 1, tables: { users: [of('a@x.org')] } }], v: {}, users: [ADA] },
    { auth: { users: [{ id: 1 }, of('a@x.org')] }, users: [ADA] },
    { auth: { log: 'x'.repeat(100_000), users: [of('a@x.org')] }, users: [ADA] },
    { auth: { users: Array.from({ length: 2000 }, (_, id) => of(`${id}@x.org`)) }, users: [ADA] },
  ])
    await expect(addressesIn(file)).rejects.toThrow(/looks like users, .*--json-path/);
});

it('tables of the staff are not imported because those of the users are empty', async () => {
  for (const file of [
    { users: [], admins: [ADA] },
    { customers: null, admins: [ADA] },
    { users: null, editors: [ADA] },
    { users: [], deleted_users: [ADA] },
  ])
    await expect(addressesIn(file)).rejects.toThrow();
  await expect(addressesIn({ admins: [ADA], customers: null }, { table: 'customers' })).rejects.toThrow();
});

it('a backup is not joined in place of the table', async () => {
  const users = [
    { id: 'u1', email: 'ada@example.org', emailVerified: true, name: 'Ada', createdAt: '2024-01-01' },
  ];
  const account = (password: string) => [
    { id: 'a', userId: 'u1', accountId: 'u1', providerId: 'credential', password },
  ];
  const plan = await planOfJson({ user: users, account_backup: account('old'), account: account('new') });
  expect([...plan.uses.keys()].map(({ name }) => name)).toEqual(['user', 'account']);
});

it('many lists take no more than a moment', async () => {
  const lists = Object.fromEntries(
    Array.from({ length: 900 }, (_, at) => [`t${at}`, [{ id: 1, email: 'a@x.org', [`c${at}`]: 1 }]]),
  );
  expect((await planOfJson({ ...lists, users: [ADA] })).source.name).toBe('generic');
}, 20_000);

it('asks about a model of a fixture that may have the keys of users as its own', async () => {
  const user = { username: 'ada', email: 'ada@x.org', password: 'md5$x$y', is_active: true };
  const fields = { ...user, date_joined: '2020-01-01' };
  const modelsWith = (model: string) => [
    { model: 'auth.user', pk: 1, fields },
    { model, pk: 1, fields: { approved: false } },
  ];
  expect(await tablesAsked(modelsWith('club.userprofile'))).toEqual(['club.userprofile']);
  expect(await tablesAsked(modelsWith('club.place'))).toEqual([]);
});

it.each<[unknown, string[]]>([
  [['2'], ['banned']],
  [[['2', 'spam']], ['banned']],
  [{ 2: 'spam' }, ['banned']],
  [{ page: 1, next: null }, []],
  [[], []],
  ['none', []],
])('asks about %j beside a list of users', async (banned, expected) => {
  const json = { users: users('ada@example.com', 'bob@example.com'), banned };
  expect(await tablesAsked(json, { active: 'everybody' })).toEqual(expected);
});
