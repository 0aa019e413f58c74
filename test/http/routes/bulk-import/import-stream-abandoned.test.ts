import { on } from 'node:events';
import { connect } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { API_KEY, type TestApp, useTestApp } from '../../../support/app.ts';
import { ImportStream } from '../../../support/import-stream.ts';
import { NDJSON, sendLines } from '../../../support/ndjson.ts';
import { STAGE, usersOf } from '../../../support/staging.ts';

/**
 * A service with room for one stream and one upload at a time. Requests behind a path that never answers have
 * to wait.
 */
let service: TestApp;
let url: string;
beforeEach(async () => {
  service = await useTestApp({
    config: { request_timeout_ms: 600, bulk_import_connections: 1 },
    stagedWaits: true,
  });
  service.app.get('/never', () => new Promise(() => {}));
  url = await service.app.listen({ port: 0, host: '127.0.0.1' });
});

/** Returns lines that each produce about 100 bytes of report. */
const lines = (count: number) => 'x\n'.repeat(count);

const openTransactions = async () =>
  (
    await service.database.db.query(
      "select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    )
  ).length;
const isBegun = async () =>
  (await service.database.db.query("select from imports where import_id = 'it'")).length > 0;
const streamStatus = async () => (await sendLines(service, '')).status;
const stageStatus = async () => (await service.send('POST', STAGE, { users: usersOf(1) })).status;

/**
 * Sends two requests on one connection. The second one waits for the answer to the first, which never comes.
 */
function pipeline(path: string, contentType: string, body: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const head = ['Host: x', `api-key: ${API_KEY}`].join('\r\n');
  socket.write(`GET /never HTTP/1.1\r\n${head}\r\n\r\n`);
  socket.write(
    `POST ${path} HTTP/1.1\r\n${head}\r\nContent-Type: ${contentType}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

it('disconnects a caller that stops reading, and releases what its import held', async () => {
  const stream = new ImportStream(url, '?importId=it&dryRun=true', { reads: false }).end(lines(100_000));
  await expect.poll(isBegun).toBe(true);
  expect(await streamStatus()).toBe(503);
  await expect.poll(streamStatus).toBe(200);
  await expect.poll(openTransactions).toBe(0);
  await stream.read();
  expect((await stream.finished()).summary).toBeUndefined();
});

describe.each(['true', 'false'])('with dryRun=%s', (dryRun) => {
  it.each([
    ['a byte at a time', 'x'],
    ['a line at a time, each of which is worked on', 'x\n'],
    ['blank lines', '\n'],
  ])('disconnects a caller that sends %s slowly and without end', async (_what, piece) => {
    const stream = new ImportStream(url, `?importId=it&dryRun=${dryRun}`);
    const trickle = setInterval(() => stream.write(piece), 100);
    onTestFinished(() => clearInterval(trickle));
    await expect.poll(isBegun).toBe(true);
    expect(await streamStatus()).toBe(503);
    await expect.poll(openTransactions).toBe(0);
    await expect.poll(streamStatus).toBe(200);
    clearInterval(trickle);
    expect((await stream.finished()).error).toMatchObject({
      code: 'REQUEST_TIMEOUT',
      message: expect.stringContaining('fewer than 100 bytes a second'),
    });
  });
});

it.each([
  ['a stream', '/bulk-import/stream?importId=behind', NDJSON, lines(5000)],
  ['an upload', STAGE, 'application/json', JSON.stringify({ users: usersOf(1) })],
])(
  'does not begin %s behind another request, also when the connection is closed',
  async (_what, ...request) => {
    const arrivals = on(service.app.server, 'request');
    const socket = pipeline(...request);
    await arrivals.next();
    await arrivals.next();
    expect([await streamStatus(), await stageStatus()]).toEqual([200, 200]);
    socket.destroy();
    await expect.poll(() => service.log()).toContain('"route":"/never","status":499');
    const { db } = service.database;
    expect(await db.query("select from imports where import_id = 'behind'")).toEqual([]);
    expect(await db.query('select from staged_users')).toHaveLength(1);
  },
);

it('does not log a failure if the caller leaves before the first line of the report', async () => {
  const body = lines(30);
  for (let round = 0; round < 12; round += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    socket.write(
      `POST /bulk-import/stream HTTP/1.1\r\nHost: x\r\napi-key: ${API_KEY}\r\nContent-Type: ${NDJSON}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => setTimeout(() => socket.destroy(), round % 6),
    );
    await expect.poll(() => service.log().match(/"route":"\/bulk-import\/stream"/g)?.length).toBe(round + 1);
  }
  expect(service.log()).not.toContain('"level":"error"');
});
