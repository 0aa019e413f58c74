import { join } from 'node:path';
import { writeSample } from '../examples/sample.ts';
import { workersOf } from '../test/support/citus.ts';
import { createNodeDatabase } from '../test/support/create-node-database.ts';
import { dropDatabase, onNodes } from '../test/support/nodes.ts';
import { send, startCompiled } from './bulk-support.ts';
import { HASHES } from './fixtures.ts';
import { load, postScript } from './load.ts';
import { median, perSecond, type Row } from './report.ts';

const DATABASE = 'uic_bench_nodes';
const USERS = Number(process.env.BENCH_USERS ?? 300_000);
/** As many as there are by default, unless told otherwise. */
const SHARDS = process.env.BENCH_SHARDS === undefined ? undefined : Number(process.env.BENCH_SHARDS);
const ROUNDS = 3;
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
const JOBS: Record<string, { name: string; aim: number }> = {
  import: { name: `import, ${CONNECTIONS} connections`, aim: 0.7 },
  'third-party sign-up': { name: `third-party sign-up, ${CONNECTIONS} connections`, aim: 0.7 },
  bulk: { name: `bulk import, ${USERS.toLocaleString('en')} users, empty database`, aim: 0.85 },
};

type Rates = Record<string, number[]>;

/**
 * Measures the same service on the Citus of `TEST_CITUS_URL`, and on its coordinator as one Postgres: a database without the extension.
 * All nodes are on the machine of the service, so that the ratio is of what the work costs, not of what several machines can do.
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
  const one: Rates = {};
  const several: Rates = {};
  for (let round = 1; round <= ROUNDS; round += 1) {
    const sides = [
      () => measure([coordinator], { sample, directory, seconds }, one),
      () => measure(nodes, { sample, directory, seconds }, several),
    ];
    // None is always the one that follows the other.
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

/** One round in databases of its own. @param nodes several: the tables are distributed over them */
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
  await onFresh(async (url) => {
    for (const [job, script] of Object.entries(SINGLE)) {
      const run = { url, connections: CONNECTIONS, script, directory };
      await load({ ...run, seconds: 2 });
      note(job, (await load({ ...run, seconds })).rate);
    }
  });
  await onFresh(async (url) => {
    const { lines, seconds } = await send(url, sample);
    note('bulk', lines / seconds);
  });
}
