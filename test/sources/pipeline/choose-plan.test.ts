import { expect, it } from 'vitest';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { adviceOnGaps } from '../../../src/sources/pipeline/table-questions.ts';
import { filesOf } from '../containers/read-whole.ts';

const CSV = 'Kundennr;E-Mail Adresse;PW\n7;ada@example.com;$2b$10$x\n';
const FIREBASE = '{"users":[{"localId":"x","email":"ada@example.com"}]}';
const AUTH0 = '{"user_id":"auth0|1","email":"ada@example.com","identities":[]}\n';
const PARAMETERS = 'hash_config { algorithm: SCRYPT, base64_signer_key: QUJD, rounds: 8, mem_cost: 14 }';

async function planOf(texts: Readonly<Record<string, string>>, ask: { from?: string; map?: string } = {}) {
  const surveys = await Promise.all(filesOf(texts).map((file) => surveyFile(file, {})));
  const settings = ask.map === undefined ? {} : { map: ask.map };
  return choosePlan(surveys, { from: ask.from, settings });
}

/** Returns why these texts give no plan. */
async function refusal(...given: Parameters<typeof planOf>) {
  const plan = await planOf(...given);
  return 'noPlan' in plan ? plan.noPlan : `taken for ${plan.source.name}`;
}

it.each([
  [[0, 1, 2, 4, 5], ['3']],
  [[0, 1, 2], []],
  [[2019, 2024], []],
])('warns of a gap in numbered files: %j', (numbers, missing) => {
  const texts = adviceOnGaps(numbers.map((number) => `dir/users-${number}.json`)).map(({ text }) => text);
  expect(texts).toEqual(missing.map((one) => expect.stringContaining(`these are not here: ${one}.`)));
});

it.each([
  [['a', 'b'], true],
  [['a', ''], false],
  [['a', undefined], false],
])('warns if each page of the users says that another one follows: %j', async (tokens, isWarned) => {
  const page = (token: string | undefined, index: number) => {
    const Attributes = [{ Name: 'sub', Value: `s-${index}` }];
    const user = { Username: `u${index}`, Attributes, UserStatus: 'CONFIRMED', Enabled: true };
    return [`${index}.json`, JSON.stringify({ Users: [user], PaginationToken: token })];
  };
  const plan = await planOf(Object.fromEntries(tokens.map(page)));
  const texts = 'advice' in plan ? plan.advice.map(({ text }) => text) : [];
  expect(texts.some((text) => text.startsWith('The last page of the users is not here'))).toBe(isWarned);
});

it('shows how to name the columns of an unknown table', async () => {
  expect(await refusal({ 'odd.csv': CSV })).toMatch(
    /^No known system .*odd\.csv \(csv: Kundennr, E-Mail Adresse, PW\).*: --map 'email=E-Mail Adresse,hash=PW'\..* id=Kundennr\./,
  );
  expect(await refusal({ 'odd.csv': CSV }, { from: 'generic' })).toMatch(
    /^The columns of addresses and hashes were not found.*: --map 'email=E-Mail Adresse,hash=PW'\. Found: odd/,
  );
});

it('says how to join tables of which none has addresses and hashes', async () => {
  const texts = { 'people.csv': 'id,mail\n7,ada@example.com\n', 'keys.csv': 'person,code\n7,$2b$10$x\n' };
  expect(await refusal(texts)).toMatch(
    /^keys\.csv: not read, .* join them: --query 'select .* leave it out\.$/,
  );
  const unlike = { ...texts, 'people.csv': 'nr,wer\n7,ada@example.com\n' };
  expect(await refusal(unlike)).toMatch(/different tables or files, join them: --query 'select /);
  expect(await refusal(texts, { map: 'email=mail,hash=code' })).toMatch(/join them: --query .select /);
  expect(await refusal({ 'odd.csv': CSV })).not.toContain('--query');
});

it('names the path of a list within JSON that is not itself a user', async () => {
  const people = [{ id: 1, kontakt: 'ada@example.com', lists: [{ name: 'news' }] }];
  const dump = { exported_by: 'x', data: { people } };
  expect(await refusal({ 'dump.json': JSON.stringify(dump) })).toMatch(
    /If the users are in the list data\.people, name it: --json-path data\.people\.$/,
  );
  for (const tables of [[...people, ...people], { v: 1, people }])
    expect(await refusal({ 'users.json': JSON.stringify(tables) })).toMatch(/name the columns: --map/);
});

it('names the missing columns of a mapping', async () => {
  for (const from of ['generic', undefined])
    expect(
      await refusal({ 'odd.csv': CSV }, { ...(from && { from }), map: 'email=E-Mail,hash=PW,id=Nr' }),
    ).toMatch(/^--map names columns that do not exist: E-Mail, Nr\. Found: odd\.csv \(csv: Kundennr, /);
  expect(await refusal({ 'odd.csv': CSV }, { map: 'email=E-Mail Adresse,hash=PW' })).toBe(
    'taken for generic',
  );
});

it('separates files of different systems', async () => {
  expect(await refusal({ 'a.json': FIREBASE, 'b.json': AUTH0 })).toBe(
    'These files are from several systems: a.json of Firebase Auth; b.json of Auth0. Import the files of each system separately.',
  );
});

it('names files that are no part of an export, and those without rows', async () => {
  const orders = 'order;total\n7;12\n';
  expect(await refusal({ 'a.json': FIREBASE, 'orders.csv': orders, 'none.json': '[]' })).toMatch(
    /^orders\.csv: not part of an export of Firebase Auth.* none\.json: there are no rows\. Leave the file out\.$/,
  );
  expect(await refusal({ 'a.json': FIREBASE, 'none.json': '[]' })).toMatch(/^none\.json: there are no rows/);
});

it('reports a wrong --from, and files that only have parameters', async () => {
  expect(await refusal({ 'a.json': FIREBASE }, { from: 'okta' })).toMatch(
    /^These files are not an export of okta: a\.json .*Without --from, the system is detected/,
  );
  expect(await refusal({ 'hash_config.txt': PARAMETERS })).toMatch(
    /hold hash parameters, but no users.*Name the export as well\.$/,
  );
});

it('says how to export a dump whose statements name no columns', async () => {
  const insert =
    "SET client_encoding = 'UTF8';\nINSERT INTO auth.users VALUES ('1', 'ada@example.com', 'x');\n";
  for (const from of [undefined, 'supabase', 'generic'])
    expect(await refusal({ 'dump.sql': insert }, { ...(from && { from }) })).toMatch(
      /^dump\.sql: the INSERT statements name no columns.* --column-inserts.* --complete-insert.* --map id=0,/,
    );
  expect(await refusal({ 'dump.sql': insert }, { map: 'id=0,email=1,hash=2' })).toBe('taken for generic');
});

it('says how to write lists within the records of a list one a line', async () => {
  const orgs = [{ orgId: 1, people: [{ kontakt: 'ada@example.com' }] }];
  expect(await refusal({ 'dump.json': JSON.stringify({ orgs }) })).toMatch(
    /one a line: jq -c '\.orgs\[\]\.people\[\]' dump\.json > users\.ndjson\.$/,
  );
});
