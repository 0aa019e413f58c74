import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { writeSample } from '../examples/sample.ts';
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded-postgres.ts';
import { Admin, send, startCompiled } from './bulk-support.ts';
import { HASHES } from './fixtures.ts';
import { load, postScript } from './load.ts';

const directory = await mkdtemp(join(tmpdir(), 'uic-exp-'));
const postgres = await startEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  settings: process.env.PGSET ? JSON.parse(process.env.PGSET) : {},
});
try {
  const admin = new Admin(postgres.uri);
  const sample = join(directory, 's.ndjson');
  await writeSample(sample, 600_000);
  await admin.create('mix');
  const service = await startCompiled(admin.uri('mix'));
  const script = postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"' .. run .. '-' .. n .. '@example.net","passwordHash":"${HASHES.bcrypt}"}'`,
  );
  const calls = (seconds: number) => load({ url: service.url, connections: 16, seconds, script, directory });
  await calls(2);
  const sampler = async (ms: number) => {
    const c = new pg.Client(admin.uri('mix'));
    await c.connect();
    const counts: Record<string, number> = {};
    const end = performance.now() + ms;
    let n = 0;
    while (performance.now() < end) {
      const { rows } = await c.query(
        "select case when query like '%with incoming%' then 'fold' when query ilike 'copy%' or query like '%copy pass%' then 'copy' when query='commit' then 'commit' else left(query,20) end as q, coalesce(wait_event,'CPU') as w from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()",
      );
      for (const { q, w } of rows) counts[`${q} ${w}`] = (counts[`${q} ${w}`] ?? 0) + 1;
      n++;
      await new Promise((r) => setTimeout(r, 3));
    }
    await c.end();
    console.log(
      n,
      JSON.stringify(
        Object.fromEntries(
          Object.entries(counts)
            .map(([k, v]) => [k, +(v / n).toFixed(2)] as const)
            .sort((a, b) => b[1] - a[1])
            .slice(0, 10),
        ),
        null,
        0,
      ),
    );
  };
  const [a] = await Promise.all([calls(5), sampler(4500)]);
  console.log('alone', a);
  const t = performance.now();
  const stream = send(service.url, sample);
  await new Promise((r) => setTimeout(r, 700));
  const [b] = await Promise.all([calls(6), sampler(5500)]);
  console.log('busy', b);
  await stream;
  console.log('bulk', Math.round(600_000 / ((performance.now() - t) / 1000)));
  await service.stop();
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
