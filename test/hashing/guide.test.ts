import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildRegistry } from '../../src/hashing/registry.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  CREATE_FUNCTIONS,
  DROP_FUNCTIONS,
  GUIDE,
  type GuideRow,
  namesIn,
  SQL_BY_SYSTEM,
} from '../support/docs/hash-guide.ts';
import {
  DEFAULT_LIMITS,
  passwordOf,
  secretOf,
  type Vector,
  vectorsOf,
  verifierOf,
} from '../support/vectors.ts';

const registry = buildRegistry(DEFAULT_LIMITS);

describe('the guide by system', () => {
  it('has a row for each, in the order of the alphabet', () => {
    const systems = GUIDE.map(({ system }) => system);
    expect(systems.length).toBeGreaterThan(80);
    expect(new Set(systems).size).toBe(systems.length);
    const named = systems.filter((system) => !system.startsWith('any application'));
    const words = named.map((system) => /^\w+/.exec(system.toLowerCase())?.[0]);
    expect([...words].sort()).toEqual(words);
  });

  it.each(GUIDE)('names what to send: $system', (row) => {
    expect(namesIn(row).length).toBeGreaterThan(0);
  });

  it('links to the SQL from each system that has some, and from no other', () => {
    const linked = GUIDE.filter(({ send }) => send.includes('](#sql)')).map(({ system }) => system);
    expect(linked).toEqual([...SQL_BY_SYSTEM.keys()]);
  });

  it('names algorithms of this service only', () => {
    const unknown = GUIDE.flatMap((row) => namesIn(row).filter((name) => registry.named(name) === undefined));
    expect(unknown).toEqual([]);
  });
});

/** What the columns of a user hold whose hash is this, in the canonical form. */
type Columns = Record<string, string>;

const decoded = (text: string) => Buffer.from(text, 'base64');

function keycloakPbkdf2([, name = '', params = '', salt = '', value = '']: string[]): Columns {
  return {
    credential_data: JSON.stringify({
      hashIterations: Number(/i=(\d+)/.exec(params)?.[1]),
      algorithm: name.replace(/^pbkdf2-sha1$/, 'pbkdf2'),
      additionalParameters: {},
    }),
    secret_data: JSON.stringify({ value, salt, additionalParameters: {} }),
  };
}

function keycloakArgon2([, name = '', version = '', params = '', salt = '', value = '']: string[]): Columns {
  const [, memory, passes, lanes] = /m=(\d+),t=(\d+),p=(\d+)/.exec(params) ?? [];
  return {
    credential_data: JSON.stringify({
      hashIterations: Number(passes),
      algorithm: 'argon2',
      additionalParameters: {
        type: [name.slice(6)],
        version: [version === 'v=16' ? '1.0' : '1.3'],
        memory: [memory],
        parallelism: [lanes],
      },
    }),
    secret_data: JSON.stringify({
      value: decoded(value).toString('base64'),
      salt: decoded(salt).toString('base64'),
    }),
  };
}

/** Columns that are not just the salt as text and the hash in hexadecimal digits. */
const SPECIAL: Record<string, (canonical: string[]) => Columns> = {
  Keycloak: (parts) => (parts[1]?.startsWith('argon2') ? keycloakArgon2(parts) : keycloakPbkdf2(parts)),
  Discourse: ([, name, params, salt = '', hash = '']) => ({
    password_algorithm: `$${name}$${params}$`,
    password_salt: decoded(salt).toString(),
    password_hash: decoded(hash).toString('hex'),
  }),
  'FusionAuth, PBKDF2': ([, , params = '', salt = '', password = '']) => ({
    factor: params.replace(/i=(\d+).*/, '$1'),
    salt,
    password,
  }),
  'FusionAuth, bcrypt': ([, , cost = '', rest = '']) => ({
    factor: String(Number(cost)),
    salt: rest.slice(0, 22),
    password: rest.slice(22),
  }),
  SonarQube: ([, , params = '', salt = '', hash = '']) => ({
    crypted_password: `${/i=(\d+)/.exec(params)?.[1]}$${hash}`,
    salt,
  }),
  'Symfony, FOSUserBundle, Sylius': ([, , , salt = '', password = '']) => ({
    salt: decoded(salt).toString(),
    password,
  }),
  RedwoodJS: ([, , , salt = '', hash = '']) => ({
    salt: decoded(salt).toString(),
    hashedPassword: `${decoded(hash).toString('hex')}|16384|8|1`,
  }),
  'SMF 2.1': ([, , user = '', ...passwd]) => ({
    member_name: decoded(user.slice(2)).toString(),
    passwd: `$${passwd.join('$')}`,
  }),
  Metabase: ([, , salt = '', ...password]) => ({
    password_salt: decoded(salt.slice(2)).toString(),
    password: `$${password.join('$')}`,
  }),
  'Tiny Tiny RSS': ([, , , salt = '', hash = '']) => ({
    salt: decoded(salt).toString(),
    pwd_hash: `SSHA-512:${decoded(hash).toString('hex')}`,
  }),
  'SMF 1.1, 2.0': ([, , user = '', , hash = '']) => ({
    member_name: decoded(user.slice(2)).toString(),
    passwd: decoded(hash).toString('hex'),
  }),
  'PostgreSQL logins, md5': ([, , user = '', , hash = '']) => ({
    rolname: decoded(user.slice(2)).toString(),
    rolpassword: `md5${decoded(hash).toString('hex')}`,
  }),
  'ASP.NET Membership, DNN, Episerver, Umbraco to 7': ([, , , PasswordSalt = '', Password = '']) => ({
    PasswordSalt,
    Password,
  }),
};

/** Of a salt as text (or none) and a hash in hexadecimal digits: the columns by the functions that read them. */
function plainColumns(sql: string, [, , , salt = '', hash = '']: string[]): Columns {
  const readBy = (name: string) => new RegExp(`\\b${name}\\((\\w+)\\)`).exec(sql)?.[1];
  const [text, digits] = [readBy('bytes'), [...sql.matchAll(/unhex\((\w+)\)/g)].map(([, name = '']) => name)];
  return {
    ...(text !== undefined && { [text]: decoded(salt).toString() }),
    ...(digits.length > 1 && { [digits[0] ?? '']: decoded(salt).toString('hex') }),
    [digits.at(-1) ?? '']: decoded(hash).toString('hex'),
  };
}

const columnsOf = ({ system, sql }: GuideRow, hash: string): Columns =>
  SPECIAL[system]?.(hash.split('$')) ?? plainColumns(sql, hash.split('$'));

/** What the hashes begin with that the SQL makes, as far as it is written there. */
const prefixOf = ({ sql }: GuideRow) => /^concat\('([^']*?)(?:i=)?'/.exec(sql)?.[1] ?? '$';

/** A hash and the algorithm that verifies it. */
interface Sample extends Vector {
  algorithm: string;
}

/** Hashes that match their password and could have come from such columns: of an algorithm of the row, Keycloak has two. */
function samplesOf(row: GuideRow): Sample[] {
  const names = row.system === 'Keycloak' ? ['argon2', 'pbkdf2'] : namesIn(row).slice(0, 1);
  return names.flatMap((name) => samplesNamed(row, registry.named(name)?.algorithm ?? name));
}

function samplesNamed(row: GuideRow, algorithm: string): Sample[] {
  if (!existsSync(new URL(`vectors/${algorithm}.json`, import.meta.url))) return [];
  // Keycloak always writes the version.
  const isWhole = (hash: string) => algorithm !== 'argon2' || hash.includes('$v=');
  const isText = ([, , , salt = '']: string[]) =>
    SPECIAL[row.system] !== undefined ||
    !row.sql.includes('bytes(') ||
    decoded(salt).equals(Buffer.from(decoded(salt).toString()));
  return vectorsOf(algorithm)
    .filter(
      ({ hash, expect, acceptable }) =>
        expect === true && !acceptable && hash.startsWith(prefixOf(row)) && isWhole(hash),
    )
    .filter(({ hash }) => isText(hash.split('$')))
    .slice(0, 3)
    .map((vector) => ({ ...vector, algorithm }));
}

/** Of SQL Server and MySQL alone. */
const OTHER_DATABASES = ['SQL Server logins', 'MySQL 8 logins'];
const WITH_SQL = GUIDE.filter(({ system, sql }) => sql !== '' && !OTHER_DATABASES.includes(system));

describe('SQL of the guide, on PostgreSQL', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    client = new pg.Client(database.uri);
    await client.connect();
    await client.query(CREATE_FUNCTIONS);
  });
  afterAll(async () => {
    await client.query(DROP_FUNCTIONS);
    await client.end();
    await database.drop();
  });

  async function run({ sql }: GuideRow, columns: Columns): Promise<string> {
    const names = Object.keys(columns).map((name) => (sql.includes(`"${name}"`) ? `"${name}"` : name));
    const values = Object.keys(columns).map((_name, index) => `$${index + 1}::text`);
    const query = `select ${sql} as hash from (values (${values})) as users (${names})`;
    return (await client.query(query, Object.values(columns))).rows[0].hash;
  }

  it.each(WITH_SQL)('makes one line: $system', async (row) => {
    const long = Buffer.alloc(64, 0xab).toString('base64');
    const hash = await run(
      row,
      columnsOf(row, `$x$i=1,m=1,t=1,p=1$${Buffer.from('salt').toString('base64')}$${long}$${long}`),
    );
    expect(hash).toMatch(/^\$[^\s]+$/);
  });

  it.each(WITH_SQL.flatMap((row) => samplesOf(row).map((sample) => ({ ...row, sample }))))(
    'makes a hash of its columns that verifies: $system, $sample.id',
    async ({ sample, ...row }) => {
      const hash = await run(row, columnsOf(row, sample.hash));
      const verifier = verifierOf(sample.algorithm, DEFAULT_LIMITS, secretOf(sample));
      expect(await verifier.parse(hash).verify(passwordOf(sample))).toBe(true);
    },
  );

  it('drops the functions that it creates', () => {
    const names = (sql: string, start: RegExp) => [...sql.matchAll(start)].map(([, name]) => name);
    const created = names(CREATE_FUNCTIONS, /^create function (\w+)/gm);
    expect(created).toHaveLength(3);
    expect(names(DROP_FUNCTIONS, /(\w+)\(/g)).toEqual(created);
  });

  it('has samples of most', () => {
    expect(WITH_SQL.filter((row) => samplesOf(row).length > 0).length).toBeGreaterThan(WITH_SQL.length / 2);
  });
});
