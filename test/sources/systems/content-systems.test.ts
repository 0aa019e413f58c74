import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseOnlyRegistry } from '../../../src/hashing/parse-only-registry.ts';
import { buildRegistry } from '../../../src/hashing/registry.ts';
import { judge, newTally } from '../../../src/sources/pipeline/judge.ts';
import type { Source } from '../../../src/sources/source.ts';
import { discourse } from '../../../src/sources/systems/discourse.ts';
import { drupal } from '../../../src/sources/systems/drupal.ts';
import { generic } from '../../../src/sources/systems/generic.ts';
import { ghost } from '../../../src/sources/systems/ghost.ts';
import { ldif } from '../../../src/sources/systems/ldif.ts';
import { magento } from '../../../src/sources/systems/magento.ts';
import { meteor } from '../../../src/sources/systems/meteor.ts';
import { nhost } from '../../../src/sources/systems/nhost.ts';
import { parse } from '../../../src/sources/systems/parse.ts';
import { passportLocalMongoose } from '../../../src/sources/systems/passport-local-mongoose.ts';
import { shadow } from '../../../src/sources/systems/shadow.ts';
import { strapi } from '../../../src/sources/systems/strapi.ts';
import { acceptHash } from '../../../src/users/accept-hash.ts';
import { DEFAULT_LIMITS, isAvailable } from '../../hashing/vectors.ts';
import { type ExpectedUser, readSamples } from '../samples.ts';
import { formFor, NOW_MS, readAll } from './small-pipeline.ts';
import { smallTablesOf } from './small-tables.ts';

const SPECIAL: readonly Source[] = [
  nhost,
  strapi,
  parse,
  meteor,
  passportLocalMongoose,
  discourse,
  drupal,
  magento,
  ghost,
  ldif,
  shadow,
];
const SYSTEMS = [...SPECIAL, generic];

/** The container tells it. */
const OF_CONTAINERS = new Set(['COLUMNS_MISSING', 'JSON_INVALID']);

const samples = readSamples();
const tablesOf = ({ system, files }: { system: string; files: readonly { name: string }[] }) =>
  files.flatMap(({ name }) => smallTablesOf(`${system}/${name}`));
const parsing = parseOnlyRegistry();
const verifying = buildRegistry(DEFAULT_LIMITS);

interface Line {
  externalUserId: string | null;
  userMetadata?: object;
  loginMethods: {
    recipeId: string;
    email: string;
    isVerified: boolean;
    passwordHash?: string;
    hashingAlgorithm?: string;
    plainTextPassword?: string;
    timeJoinedInMSSinceEpoch?: number;
  }[];
}

const CASES = SYSTEMS.flatMap((source) =>
  samples
    .filter(({ system }) => system === source.name)
    .flatMap((sample) => {
      const { form, users } = readAll(source, tablesOf(sample), sample.options);
      const rows = sample.users.filter(({ reason }) => reason === undefined || !OF_CONTAINERS.has(reason));
      return rows.map((expected, index) => ({
        title: `${sample.detect}, row ${expected.row}`,
        names: [form.name, sample.detect],
        counts: [users.length, rows.length],
        user: users[index] ?? {},
        expected,
      }));
    }),
);

function expectedResult({ result, reason }: ExpectedUser) {
  if (result === 'conflict') return { result: 'import', reason: undefined };
  return { result, reason };
}

describe('the samples', () => {
  it.each(CASES)('$title', async ({ names, counts, user, expected }) => {
    expect(names[0]).toBe(names[1]);
    expect(counts[0]).toBe(counts[1]);
    const tally = newTally();
    const judged = judge(user, {
      registry: parsing,
      nowMs: NOW_MS,
      includeDisabled: false,
      verifiedByDefault: false,
      providers: {},
      tally,
    });
    const { result, reason } = expectedResult(expected);
    expect([judged.result, 'reason' in judged ? judged.reason : undefined]).toEqual([result, reason]);
    expect(user.externalUserId ?? null).toBe(expected.externalUserId);
    expect(judged.email ?? null).toBe(expected.email);
    expect(user.metadata ?? {}).toMatchObject(expected.metadataHas ?? {});
    if (expected.email !== null) expect(user.isVerified ?? null).toBe(expected.emailVerified);
    if (judged.result !== 'import') return;
    await checkLine(JSON.parse(judged.line), expected);
  });
});

async function checkLine(line: Line, expected: ExpectedUser): Promise<void> {
  const methods = line.loginMethods;
  // Of these, the time of an ObjectId is right as well.
  if (expected.alsoRight?.includes('timeJoined from the ObjectId') !== true)
    for (const method of methods) expect(method.timeJoinedInMSSinceEpoch ?? null).toBe(expected.timeJoined);
  expect(methods.filter(({ recipeId }) => recipeId === 'thirdparty')).toMatchObject(expected.thirdParty);
  const method = methods.find(({ recipeId }) => recipeId === 'emailpassword');
  if (expected.password === null) {
    expect(method).toBeUndefined();
    return;
  }
  expect(method?.email).toBe(expected.email);
  expect(method?.isVerified).toBe(expected.emailVerified ?? false);
  if (expected.plainTextPassword !== undefined) {
    expect(method?.plainTextPassword).toBe(expected.plainTextPassword);
    return;
  }
  const { passwordHash = '', hashingAlgorithm } = method ?? {};
  if (!isAvailable(parsing.named(hashingAlgorithm ?? '')?.algorithm ?? '')) return;
  const hash = acceptHash(verifying, passwordHash, hashingAlgorithm);
  expect(await hash.verify(Buffer.from(expected.password))).toBe(true);
  expect(await hash.verify(Buffer.from(`${expected.password}?`))).toBe(false);
}

describe('tables of other systems', () => {
  const foreign = samples.map((sample) => ({ ...sample, tables: tablesOf(sample) }));

  it('are many', () => {
    expect(readdirSync(new URL('../samples', import.meta.url)).length).toBe(35);
    expect(foreign.filter(({ tables }) => tables.length > 0).length).toBeGreaterThan(40);
  });

  it.each(SPECIAL)('are left alone by $name', (source) => {
    const taken = foreign.filter(({ system, tables }) => system !== source.name && formFor(source, tables));
    expect(taken.map(({ system, detect }) => [system, detect])).toEqual([]);
  });
});
