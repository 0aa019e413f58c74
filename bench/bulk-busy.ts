import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Admin, send, startCompiled } from './bulk-support.ts';
import { HASHES, PASSWORD } from './fixtures.ts';
import { load, post, postScript } from './load.ts';
import { median, milliseconds, perSecond, type Row } from './report.ts';

const CONNECTIONS = 16;
const ROUNDS = 3;
const EMAIL = 'busy@example.com';

/** Single calls that 16 connections send as fast as they are answered. */
const CALLS: Record<string, string> = {
  'single imports': postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"' .. run .. '-' .. n .. '@example.net","passwordHash":"${HASHES.bcrypt}"}'`,
  ),
  'sign-ins (bcrypt)': postScript('/recipe/signin', `'{"email":"${EMAIL}","password":"${PASSWORD}"}'`),
};

/**
 * Measures the p99 of single calls over 16 connections, alone and during an import of a stream. Also measures
 * the rate of that import, beside `bulkRate`, its rate without the calls.
 */
export async function benchBusy(
  admin: Admin,
  directory: string,
  options: { sample: string; seconds: number; bulkRate: number },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, script] of Object.entries(CALLS)) {
    const rounds = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const measured = await measure(admin, directory, script, options);
      rounds.push(measured);
      console.log(
        `${name}, round ${round}: alone ${perSecond(measured.alone.rate)}, p99 ${milliseconds(measured.alone.p99Ms)}; ` +
          `beside a bulk import ${perSecond(measured.busy.rate)}, p99 ${milliseconds(measured.busy.p99Ms)}; the import ${perSecond(measured.bulkRate)}`,
      );
    }
    const [alone, busy] = [
      median(rounds.map((one) => one.alone.p99Ms)),
      median(rounds.map((one) => one.busy.p99Ms)),
    ];
    rows.push({
      what: `${name}, 16 connections, p99 beside a bulk import`,
      measured: milliseconds(busy),
      limit: `alone: ${milliseconds(alone)}`,
      ratio: busy / alone,
      aim: '≤ 2.50',
      met: busy <= 2.5 * alone,
    });
    const rate = median(rounds.map((one) => one.bulkRate));
    rows.push({
      what: `bulk import beside 16 connections of ${name}`,
      measured: perSecond(rate),
      limit: `alone: ${perSecond(options.bulkRate)}`,
      ratio: rate / options.bulkRate,
      aim: '≥ 0.50',
      met: rate >= 0.5 * options.bulkRate,
    });
  }
  return rows;
}

async function measure(
  admin: Admin,
  directory: string,
  script: string,
  { sample, seconds }: { sample: string; seconds: number },
) {
  await admin.create('bulk_busy');
  const service = await startCompiled(admin.uri('bulk_busy'));
  await post(service.url, '/recipe/user/passwordhash/import', { email: EMAIL, passwordHash: HASHES.bcrypt });
  const calls = (length: number) =>
    load({ url: service.url, connections: CONNECTIONS, seconds: length, script, directory });
  await calls(2);
  const alone = await calls(seconds);
  const stream = send(service.url, sample, '?importId=busy');
  await sleep(1000);
  const from = await linesDone(admin.uri('bulk_busy'));
  const busy = await calls(seconds);
  const to = await linesDone(admin.uri('bulk_busy'));
  await stream;
  await service.stop();
  return { alone, busy, bulkRate: (to.lines - from.lines) / ((to.atMs - from.atMs) / 1000) };
}

async function linesDone(uri: string): Promise<{ lines: number; atMs: number }> {
  const client = new pg.Client(uri);
  await client.connect();
  const { rows } = await client.query("select next_line - 1 as lines from imports where import_id = 'busy'");
  const atMs = performance.now();
  await client.end();
  return { lines: Number(rows[0]?.lines ?? 0), atMs };
}
