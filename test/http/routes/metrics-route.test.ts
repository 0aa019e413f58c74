import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { createTestApp, useTestApp } from '../../support/app.ts';
import { IS_CITUS } from '../../support/citus.ts';
import { BCRYPT } from '../../support/example-hashes.ts';
import { importLines, ndjson, sendLines } from '../../support/ndjson.ts';
import { promtool } from '../../support/promtool.ts';
import { IMPORT } from '../../support/service-calls.ts';

const service = await useTestApp();
beforeAll(async () => {
  await service.send('POST', IMPORT, { email: 'a@b.c', passwordHash: BCRYPT.hash });
  await service.send('POST', '/recipe/signin', { email: 'a@b.c', password: 'wrong' });
  await sendLines(
    service,
    ndjson({ email: 'b@b.c', passwordHash: BCRYPT.hash }, { email: 'x' }),
    '?importId=it',
  );
  for (const path of ['/nope', '/nope-again', '/users/secret-in-the-path', '/recipe/%'])
    await service.send('GET', path);
  await service.send('DELETE', '/users');
});

const scrape = async () => (await service.send('GET', '/metrics')).text;

it('has requests by route and status, hashes, the gate, lines of imports, pools and upgrades', async () => {
  const answer = await service.send('GET', '/metrics');
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  for (const line of [
    `user_import_http_request_duration_seconds_count{method="POST",route="${IMPORT}",status="200"} 1`,
    'user_import_http_request_duration_seconds_bucket{le="+Inf",method="POST",route="/recipe/signin",status="200"} 1',
    'user_import_hashes_total{algorithm="bcrypt"} 2',
    'user_import_hashing_running{class="ordinary"} 0',
    'user_import_hashing_started_total{class="ordinary"} 1',
    'user_import_hashing_refused_total{class="trial"} 0',
    'user_import_hashing_computed_total{algorithm="bcrypt"} 1',
    'user_import_stream_lines_total{outcome="created",dry_run="false"} 1',
    'user_import_stream_lines_total{outcome="failed",dry_run="false"} 1',
    'user_import_streams_running 0',
    'user_import_streams_ended_total{result="finished"} 1',
    'user_import_streams_ended_total{result="failed"} 0',
    'user_import_stream_chunks_in_flight 0',
    'user_import_database_waiting{pool="requests"} 0',
    'user_import_upgrades_total{result="stored"} 0',
    'user_import_info{version="0.0.0-test"} 1',
  ])
    expect(answer.text.split('\n')).toContain(line);
});

it('has one label set for all unknown paths and methods, and nothing that a caller sent', async () => {
  const text = await scrape();
  const unknown = text
    .split('\n')
    .filter((line) => line.includes('_count{') && line.includes('route="unknown"'));
  expect(unknown.map((line) => line.replace(/ \d+$/, '')).sort()).toEqual([
    'user_import_http_request_duration_seconds_count{method="any",route="unknown",status="404"}',
    'user_import_http_request_duration_seconds_count{method="any",route="unknown",status="405"}',
  ]);
  expect(text).not.toMatch(/nope|secret-in-the-path|a@b\.c/);
});

// Citus has no triggers on distributed tables.
it.skipIf(IS_CITUS)(
  'counts a stream that a full disk of the database ended, and the stream says so',
  async () => {
    const { db } = service.database;
    await db.query(`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await db.query(
      'create trigger full_disk before insert on users for each row execute function full_disk()',
    );
    const lines = ndjson({ email: 'c@b.c', passwordHash: BCRYPT.hash });
    const broken = await importLines(service, lines, '?importId=full');
    expect(broken.error).toEqual({
      code: 'STORAGE_UNAVAILABLE',
      message: 'Storage is unavailable: the disk of the database is full',
    });
    await db.query('drop trigger full_disk on users');
    expect(await scrape()).toContain('user_import_streams_ended_total{result="failed"} 1\n');
    expect((await importLines(service, lines, '?importId=full')).summary).toMatchObject({ created: 1 });
  },
);

it('shows the census after the first scrape has started it, and the delay of the event loop', async () => {
  await expect
    .poll(scrape)
    .toContain('user_import_census_logins{algorithm="bcrypt",class="strong",set_by="import"} 2');
  expect(await scrape()).toMatch(/user_import_event_loop_delay_seconds\{percentile="99"\} \d/);
});

it('starts no second census while the first one is fresh, however often it is scraped', async () => {
  let counts = 0;
  const counting = await createTestApp({
    database: service.database,
    store: (real) => ({
      ...real,
      countHashes: (...args) => {
        counts += 1;
        return real.countHashes(...args);
      },
    }),
  });
  const once = async () => (await counting.send('GET', '/metrics')).text;
  await expect.poll(once).toContain('user_import_census_logins');
  const after = counts;
  for (let scrapes = 0; scrapes < 5; scrapes += 1) await once();
  expect(counts).toBe(after);
  await counting.app.close();
});

it('counts hashes of decoys and of new passwords by the family that was computed', async () => {
  await service.send('POST', '/recipe/signin', { email: 'nobody@b.c', password: 'x' });
  await service.send('POST', '/recipe/signup', { email: 'new@b.c', password: 'password1' });
  const text = await scrape();
  expect(text).toMatch(/user_import_hashing_computed_total\{algorithm="bcrypt"\} 2/);
  expect(text).toMatch(/user_import_hashing_computed_total\{algorithm="argon2"\} 1/);
  expect(text).toMatch(/user_import_hashing_seconds_total\{algorithm="argon2"\} \d/);
});

it('has the calls of the legacy system by outcome, and the breaker', async () => {
  let answer = '{"status":"WRONG_CREDENTIALS"}';
  const legacy = createServer((request, response) => request.resume().on('end', () => response.end(answer)));
  legacy.listen(0, '127.0.0.1');
  await once(legacy, 'listening');
  const asking = await createTestApp({
    config: {
      legacy_signin_for: 'unknown',
      legacy_signin_url: `http://127.0.0.1:${(legacy.address() as AddressInfo).port}/`,
      legacy_signin_secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
    },
  });
  onTestFinished(async () => {
    await asking.close();
    legacy.close();
  });
  const signIn = (email: string) =>
    asking.send('POST', '/recipe/signin', { email, password: 'secret-guess' });
  const metric = async (name: string) => {
    const lines = (await asking.send('GET', '/metrics')).text.split('\n');
    return lines
      .filter((line) => line.startsWith(`user_import_legacy_${name}`))
      .map((line) => line.slice(19));
  };
  await asking.send('POST', IMPORT, { email: 'waits@b.c', legacySignIn: true });
  await signIn('wrong@b.c');
  expect(await metric('breaker_open')).toEqual(['breaker_open 0']);
  answer = '{"status":"OK","user":{"email":"ok@b.c"}}';
  await signIn('ok@b.c');
  answer = '{"status":"UNCLEAR"}';
  await signIn('locked@b.c');
  answer = '<html>';
  for (let call = 0; call < 11; call += 1) await signIn(`fault-${call}@b.c`);
  expect(await metric('calls_total')).toEqual([
    'calls_total{type="verify",outcome="ok"} 1',
    'calls_total{type="verify",outcome="refused"} 1',
    'calls_total{type="verify",outcome="unclear"} 1',
    'calls_total{type="verify",outcome="fault"} 10',
    'calls_total{type="verify",outcome="not_sent"} 1',
    'calls_total{type="lookup",outcome="ok"} 0',
    'calls_total{type="lookup",outcome="refused"} 0',
    'calls_total{type="lookup",outcome="unclear"} 0',
    'calls_total{type="lookup",outcome="fault"} 0',
    'calls_total{type="lookup",outcome="not_sent"} 0',
  ]);
  expect(await metric('')).toContain('breaker_open 1');
  expect(await metric('')).toContain('pending 0');
  const census = async () => (await asking.send('GET', '/metrics')).text;
  await expect
    .poll(census)
    .toContain('user_import_census_logins{algorithm="waiting",class="none",set_by="import"} 1');
});

it('is valid, for promtool', async (context) => {
  expect(promtool(context, ['check', 'metrics'], await scrape())).toBe('0 ');
});
