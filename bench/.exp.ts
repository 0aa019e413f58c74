import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSample } from '../examples/sample.ts';
import { startEmbeddedPostgres } from '../src/db/embedded/start-embedded-postgres.ts';
import { benchBusy } from './bulk-busy.ts';
import { benchChanges } from './bulk-changes.ts';
import { Admin, send, startCompiled } from './bulk-support.ts';
import { printTable } from './report.ts';

const what = process.argv[2] ?? 'busy';
const USERS = Number(process.env.USERS ?? 1_000_000);
const directory = await mkdtemp(join(tmpdir(), 'uic-exp-'));
const postgres = await startEmbeddedPostgres({ directory: join(directory, 'postgres') });
try {
  const admin = new Admin(postgres.uri);
  const sample = join(directory, 's.ndjson');
  await writeSample(sample, USERS);
  const rows = [];
  if (what !== 'changes') {
    await admin.create('bulk_empty');
    const service = await startCompiled(admin.uri('bulk_empty'));
    const sent = await send(service.url, sample);
    await service.stop();
    const bulkRate = sent.lines / sent.seconds;
    console.log('alone', Math.round(bulkRate));
    rows.push(...(await benchBusy(admin, directory, { sample, seconds: 5, bulkRate })));
  }
  if (what !== 'busy') rows.push(...(await benchChanges(admin, { sample, users: USERS })));
  printTable(rows);
} finally {
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
}
