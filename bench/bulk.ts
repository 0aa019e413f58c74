import { join } from 'node:path';
import { writeSample } from '../examples/sample.ts';
import { benchBusy } from './bulk-busy.ts';
import { benchChanges } from './bulk-changes.ts';
import { Admin, send, startCompiled } from './bulk-support.ts';
import { median, perSecond, type Row } from './report.ts';

/** Number of lines to import (`BENCH_USERS`), and of users in the full database (`BENCH_STORED`). */
const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const STORED = Number(process.env.BENCH_STORED ?? 5_000_000);
const FEW = 10_000;
const ROUNDS = 3;

/**
 * Measures a stream of users through the service, beside `psql \copy` of the same rows into the same tables
 * with the same indexes: into an empty database, and into one with users. Also measures memory, and single
 * calls during the import.
 */
export async function benchBulk(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const admin = new Admin(uri);
  const sample = join(directory, 'sample.ndjson');
  const few = join(directory, 'few.ndjson');
  await writeSample(sample, USERS);
  await writeSample(few, FEW);
  const rows: Row[] = [];

  await admin.create('bulk_empty');
  const first = await importFile(admin.uri('bulk_empty'), sample);
  const files = await admin.dump('bulk_empty', directory);
  const rates = {
    import: [] as number[],
    copy: [] as number[],
    full: [] as number[],
    fullCopy: [] as number[],
  };
  const peaks = { many: [first.peakBytes], few: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.create('bulk_empty');
    rates.copy.push(await admin.load('bulk_empty', files, USERS));
    await admin.create('bulk_empty');
    peaks.few.push((await importFile(admin.uri('bulk_empty'), few)).peakBytes);
    await admin.create('bulk_empty');
    const result = await importFile(admin.uri('bulk_empty'), sample);
    rates.import.push(result.rate);
    peaks.many.push(result.peakBytes);
    console.log(
      `bulk, round ${round}: \\copy ${perSecond(rates.copy.at(-1) ?? 0)}, import ${perSecond(result.rate)}, peak ${mib(result.peakBytes)} (${FEW} lines: ${mib(peaks.few.at(-1) ?? 0)})`,
    );
  }
  const [copy, rate] = [median(rates.copy), median(rates.import)];
  rows.push({
    what: `bulk import, ${USERS.toLocaleString('en')} users, empty database`,
    measured: perSecond(rate),
    limit: `\\copy: ${perSecond(copy)}`,
    ratio: rate / copy,
    aim: '≥ 0.90',
    met: rate / copy >= 0.9,
  });
  const [many, little] = [median(peaks.many), median(peaks.few)];
  rows.push({
    what: 'bulk import, peak memory',
    measured: mib(many),
    limit: `${FEW.toLocaleString('en')} lines: ${mib(little)}`,
    ratio: many / little,
    aim: '≤ 1.20',
    met: many / little <= 1.2,
  });

  rows.push(...(await benchBusy(admin, directory, { sample, seconds, bulkRate: rate })));
  rows.push(...(await benchChanges(admin, { sample, users: USERS })));

  await admin.create('bulk_full');
  await fill(admin.uri('bulk_full'), sample);
  for (let round = 1; round <= ROUNDS; round += 1) {
    await admin.create('bulk_copy', 'bulk_full');
    rates.fullCopy.push(await admin.load('bulk_copy', files, USERS));
    await admin.create('bulk_copy', 'bulk_full');
    rates.full.push((await importFile(admin.uri('bulk_copy'), sample)).rate);
    console.log(
      `bulk into ${STORED.toLocaleString('en')} users, round ${round}: \\copy ${perSecond(rates.fullCopy.at(-1) ?? 0)}, import ${perSecond(rates.full.at(-1) ?? 0)}`,
    );
  }
  const [fullCopy, full] = [median(rates.fullCopy), median(rates.full)];
  const what = `bulk import into ${STORED.toLocaleString('en')} users`;
  rows.push({
    what,
    measured: perSecond(full),
    limit: `\\copy: ${perSecond(fullCopy)}`,
    ratio: full / fullCopy,
    aim: '≥ 0.90',
    met: full / fullCopy >= 0.9,
  });
  rows.push({
    what,
    measured: perSecond(full),
    limit: `empty: ${perSecond(rate)}`,
    ratio: full / rate,
    aim: '≥ 0.70',
    met: full / rate >= 0.7,
  });
  return rows;
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

/** Sends a file to a new service, whose peak memory is then that of this import. */
async function importFile(uri: string, file: string): Promise<{ rate: number; peakBytes: number }> {
  const service = await startCompiled(uri);
  const { lines, seconds } = await send(service.url, file);
  const peakBytes = service.peakBytes();
  await service.stop();
  return { rate: lines / seconds, peakBytes };
}

/** Fills a database with users other than those of the sample. */
async function fill(uri: string, sample: string): Promise<void> {
  const service = await startCompiled(uri);
  for (let done = 0; done < STORED; done += USERS) {
    const users = Math.min(USERS, STORED - done);
    await writeSample(`${sample}.more`, users, USERS + done);
    await send(service.url, `${sample}.more`);
    console.log(`filled a database with ${(done + users).toLocaleString('en')} users`);
  }
  await service.stop();
}
