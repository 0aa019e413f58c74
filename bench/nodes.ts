import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSample } from '../examples/sample.ts';
import { workersOf } from '../test/support/citus.ts';
import { createNodeDatabase } from '../test/support/create-node-database.ts';
import { dropDatabase, onNodes } from '../test/support/nodes.ts';
import { passwordLines, rollBack } from './bulk-changes.ts';
import { send, startCompiled } from './bulk-support.ts';
import { HASHES } from './fixtures.ts';
import { load, postScript } from './load.ts';
import { median, perSecond, type Row } from './report.ts';

const DATABASE = 'uic_bench_nodes';
const USERS = Number(process.env.BENCH_USERS ?? 300_000);
/** Number of shards, if not the default. */
const SHARDS = process.env.BENCH_SHARDS === undefined ? undefined : Number(process.env.BENCH_SHARDS);
/** Number of known users. They have a password only. */
const KNOWN = Number(process.env.BENCH_KNOWN ?? 100_000);
/** One in this many users is known in the import with few known users. */
const FEW = 100;
/** Number of users that the single imports send repeatedly. The load before a measurement sends each at least once. */
const AGAIN = 2000;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CONNECTIONS = 64;

const SINGLE = {
  import: postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"' .. run .. '-' .. n .. '@example.com","passwordHash":"${HASHES.bcrypt}"}'`,
  ),
  'third-party sign-up': postScript(
    '/recipe/signinup',
    `'{"thirdPartyId":"google","thirdPartyUserId":"' .. run .. '-' .. n .. '","email":{"id":"a@example.com","isVerified":true}}'`,
  ),
};
/** Returns a script that imports users of `passwordLines`. @param hash a Lua expression */
const againScript = (hash: string) =>
  postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"user-' .. (n % ${AGAIN}) .. '@example.com","passwordHash":"' .. ${hash} .. '"}'`,
  );
/** A hash that no other run or request has. */
const NEW_HASH = `string.format('${HASHES.bcrypt.slice(0, 29)}%010d%07d${HASHES.bcrypt.slice(-14)}', os.time(), n)`;
const AGAIN_SCRIPTS = { again: againScript(`'${HASHES.bcrypt}'`), 'other hash': againScript(NEW_HASH) };

interface Job {
  name: string;
  aim: number;
}

const bulkJob = (what: string) => `${what}, ${KNOWN.toLocaleString('en')} users`;

/** Jobs by the part that measures them. `BENCH_PARTS` selects parts; the default is all. */
const PARTS: Record<string, Record<string, Job>> = {
  single: {
    import: { name: `import, ${CONNECTIONS} connections`, aim: 0.7 },
    'third-party sign-up': { name: `third-party sign-up, ${CONNECTIONS} connections`, aim: 0.7 },
  },
  bulk: {
    bulk: { name: `bulk import, ${USERS.toLocaleString('en')} users, empty database`, aim: 0.85 },
  },
  known: {
    'few known': { name: `${bulkJob('bulk import')}, one of ${FEW} known`, aim: 0.7 },
    update: { name: `${bulkJob('bulk import')}, all known`, aim: 0.7 },
    rollback: { name: `${bulkJob('rollback of an import of known users')}`, aim: 0.7 },
    again: { name: `import of known users with the same hash, ${CONNECTIONS} connections`, aim: 0.6 },
    'other hash': { name: `import of known users with another hash, ${CONNECTIONS} connections`, aim: 0.6 },
  },
};

const parts = Object.entries(PARTS).filter(
  ([part]) => process.env.BENCH_PARTS?.split(',').includes(part) ?? true,
);
const JOBS: Record<string, Job> = Object.assign({}, ...parts.map(([, jobs]) => jobs));
const isAsked = (part: string) => parts.some(([name]) => name === part);

type Rates = Record<string, number[]>;

/**
 * Measures the same service on the Citus of `TEST_CITUS_URL`, and on its coordinator as a single Postgres, in
 * a database without the extension. All nodes share the machine of the service, so the ratio shows the cost
 * of the work, not what several machines can do.
 */
export async function benchNodes(_uri: string, directory: string, seconds: number): Promise<Row[]> {
  const coordinator = process.env.TEST_CITUS_URL;
  if (coordinator === undefined) {
    console.log('nodes: skipped, as there is no TEST_CITUS_URL');
    return [];
  }
  const nodes = [coordinator, ...(await workersOf(coordinator))];
  const sample = join(directory, 'sample.ndjson');
  await writeSample(sample, USERS);
  await writeFile(`${sample}.known`, passwordLines(KNOWN));
  await writeFile(`${sample}.few`, passwordLines(KNOWN, FEW));
  const one: Rates = {};
  const several: Rates = {};
  for (let round = 1; round <= ROUNDS; round += 1) {
    const sides = [
      () => measure([coordinator], { sample, directory, seconds }, one),
      () => measure(nodes, { sample, directory, seconds }, several),
    ];
    // The order alternates, so that neither side always comes second.
    for (const side of round % 2 === 1 ? sides : sides.toReversed()) await side();
    const rates = Object.keys(JOBS).map(
      (job) => `${job} ${perSecond(several[job]?.at(-1) ?? 0)} beside ${perSecond(one[job]?.at(-1) ?? 0)}`,
    );
    console.log(`nodes, round ${round}: ${rates.join(', ')}`);
  }
  return Object.entries(JOBS).map(([job, { name, aim }]) => {
    const [rate, limit] = [median(several[job] ?? []), median(one[job] ?? [])];
    return {
      what: `${name}, Citus of ${nodes.length} nodes`,
      measured: perSecond(rate),
      limit: `one of them alone: ${perSecond(limit)}`,
      ratio: rate / limit,
      aim: `≥ ${aim}`,
      met: rate / limit >= aim,
    };
  });
}

/**
 * Measures one round in new databases.
 * @param nodes with several nodes, the tables are distributed over them
 */
async function measure(
  nodes: readonly string[],
  { sample, directory, seconds }: { sample: string; directory: string; seconds: number },
  rates: Rates,
): Promise<void> {
  const onFresh = async (work: (url: string) => Promise<void>) => {
    await dropDatabase(nodes, DATABASE);
    const uri = await createNodeDatabase(nodes, DATABASE, SHARDS);
    await onNodes(nodes, 'checkpoint');
    const service = await startCompiled(uri);
    await work(service.url);
    await service.stop();
    await dropDatabase(nodes, DATABASE);
  };
  const note = (job: string, rate: number) => {
    rates[job] = [...(rates[job] ?? []), rate];
  };
  if (isAsked('single'))
    await onFresh(async (url) => {
      for (const [job, script] of Object.entries(SINGLE)) {
        const run = { url, connections: CONNECTIONS, script, directory };
        await load({ ...run, seconds: 2 });
        note(job, (await load({ ...run, seconds })).rate);
      }
    });
  if (isAsked('bulk'))
    await onFresh(async (url) => {
      const { lines, seconds } = await send(url, sample);
      note('bulk', lines / seconds);
    });
  if (isAsked('known'))
    await onFresh(async (url) => {
      await send(url, `${sample}.few`, '?importId=few');
      note('few known', KNOWN / (await send(url, `${sample}.known`, '?importId=rest')).seconds);
      await onNodes(nodes, 'checkpoint');
      const { seconds: updateSeconds, summary } = await send(url, `${sample}.known`, '?importId=update');
      if (summary.updated !== KNOWN) throw new Error('not all users were updated');
      note('update', KNOWN / updateSeconds);
      await onNodes(nodes, 'checkpoint');
      note('rollback', KNOWN / (await rollBack(url, 'update', KNOWN)));
      for (const [job, script] of Object.entries(AGAIN_SCRIPTS)) {
        const run = { url, connections: CONNECTIONS, script, directory };
        await load({ ...run, seconds: 2 });
        note(job, (await load({ ...run, seconds })).rate);
      }
    });
}
