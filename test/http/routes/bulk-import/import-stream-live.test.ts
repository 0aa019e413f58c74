import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { API_KEY, createTestApp, SIGNER_KEY, useTestApp } from '../../../support/app.ts';
import { BCRYPT, OTHER_BCRYPT } from '../../../support/example-hashes.ts';
import { ImportStream, sendAll } from '../../../support/import-stream.ts';
import { NDJSON, ndjson, readReport, sendLines, userLine } from '../../../support/ndjson.ts';
import { IMPORT, signInStatus } from '../../../support/service-calls.ts';
import { PLAIN } from '../../../support/user-forms.ts';

const STREAM = '/bulk-import/stream';

const service = await useTestApp({ config: { request_timeout_ms: 2000 } });
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

const statuses = (stream: ImportStream) => stream.report.results.map(({ status }) => status);

async function emails(prefix: string): Promise<string[]> {
  const rows = await service.database.db.query<{ email: string }>(
    'select email from password_logins where email like $1 order by email',
    [`${prefix}%`],
  );
  return rows.map(({ email }) => email);
}

const isBegun = async (importId: string) =>
  (await service.database.db.query('select from imports where import_id = $1', [importId])).length > 0;

it('answers a caller that waits for each answer before it sends more', async () => {
  const stream = new ImportStream(url);
  const wanted: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    stream.write(ndjson(userLine(`${round}-1@wait.c`), 'no JSON', userLine(`${round}-1@wait.c`)));
    wanted.push('CREATED', 'FAILED', 'UPDATED');
    await expect.poll(() => statuses(stream)).toEqual(wanted);
    expect(await emails(`${round}-`)).toHaveLength(1);
  }
  expect(stream.report.summary).toBeUndefined();
  expect((await stream.end().finished()).summary).toMatchObject({
    lines: 12,
    created: 4,
    updated: 4,
    failed: 4,
  });
});

it('waits for the rest of a line', async () => {
  const stream = new ImportStream(url);
  const text = ndjson(userLine('é@rest.c'), userLine('b@rest.c'));
  const bytes = Buffer.from(text);
  const cut = bytes.indexOf('é') + 1;
  stream.write(bytes.subarray(0, cut));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(stream.text).toBe('');
  stream.write(bytes.subarray(cut));
  await expect.poll(() => statuses(stream)).toEqual(['CREATED', 'CREATED']);
  await stream.end().finished();
  expect((await stream.response).headers['import-id']).toBe(stream.report.importId);
});

it('ends a stream whose caller becomes silent, and keeps what was reported', async () => {
  const stream = new ImportStream(url, '?importId=silent');
  stream.write(`${ndjson(userLine('a@silent.c'))}{"email":"half`);
  const report = await stream.finished();
  expect(report).toMatchObject({
    results: [{ line: 1, status: 'CREATED' }],
    summary: undefined,
    error: { code: 'REQUEST_TIMEOUT' },
    importId: 'silent',
  });
  const again = await new ImportStream(url, '?importId=silent')
    .end(ndjson(userLine('a@silent.c')))
    .finished();
  expect(again.results).toEqual(report.results);
  expect(await emails('a@silent')).toEqual(['a@silent.c']);
});

it('lets a caller wait for results longer than it may be silent', async () => {
  const patient = await createTestApp({ config: { request_timeout_ms: 500 } });
  const hash = patient.passwords.hash.bind(patient.passwords);
  vi.spyOn(patient.passwords, 'hash').mockImplementation(async (...call) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return hash(...call);
  });
  const stream = new ImportStream(await patient.app.listen({ port: 0, host: '127.0.0.1' }));
  stream.write(ndjson({ loginMethods: [{ ...PLAIN, email: 'a@waits.c' }] }));
  await expect.poll(() => statuses(stream), { timeout: 5000 }).toEqual(['CREATED']);
  expect((await stream.end().finished()).summary).toMatchObject({ created: 1 });
  await patient.close();
});

it('survives callers that hang up, and keeps what it reported to them', async () => {
  for (let round = 0; round < 8; round += 1) {
    const stream = new ImportStream(url, `?importId=gone-${round}&dryRun=${round % 4 === 3}`);
    const lines = Array.from({ length: 3000 }, (_, index) => userLine(`gone-${round}-${index}@b.c`));
    stream.write(`${ndjson(...lines)}{"ema`);
    if (round % 2 === 1) await expect.poll(() => stream.report.results.length).toBeGreaterThan(0);
    else await expect.poll(() => isBegun(`gone-${round}`)).toBe(true);
    stream.destroy();
    const { results } = await stream.finished();
    const kept = await emails(`gone-${round}-`);
    if (round % 4 === 3) expect(kept).toEqual([]);
    else
      expect(kept).toEqual(expect.arrayContaining(results.map((one) => `gone-${round}-${one.line - 1}@b.c`)));
  }
  await expect.poll(() => service.log().match(/"status":499/g)?.length).toBe(8);
  expect(service.log()).not.toContain('"level":"error"');
  const next = new ImportStream(url, '?importId=gone-0').end(ndjson(userLine('gone-0-0@b.c')));
  expect((await next.finished()).summary).toMatchObject({ lines: 1 });
});

it('stops hashing for a caller that is gone', async () => {
  const costly = await createTestApp({ config: { argon2_memory_kb: 19_456, argon2_iterations: 2 } });
  const stream = new ImportStream(await costly.app.listen({ port: 0, host: '127.0.0.1' }));
  const lines = Array.from({ length: 400 }, (_, index) => ({
    loginMethods: [{ recipeId: 'emailpassword', email: `${index}@b.c`, plainTextPassword: 'secret' }],
  }));
  stream.end(ndjson(...lines));
  const { db } = costly.database;
  await expect.poll(async () => (await db.query('select from imports')).length).toBe(1);
  stream.destroy();
  const ended = () => db.query('select from imports where active_ms > 0');
  await expect.poll(async () => (await ended()).length, { timeout: 20_000 }).toBe(1);
  expect(await db.query('select from users')).toEqual([]);
  await costly.close();
});

it('refuses at once, without reading the rest of the body', async () => {
  const stream = new ImportStream(url, '?onConflict=no');
  const lines = Array.from({ length: 1000 }, (_, index) => userLine(`${index}@refused.c`));
  let pieces = 0;
  await sendAll(
    stream,
    (function* () {
      for (; pieces < 2000; pieces += 1) yield ndjson(...lines);
    })(),
  );
  await stream.closed;
  expect((await stream.response).statusCode).toBe(400);
  expect(pieces).toBeLessThan(1000);
});

it('leaves the connection to the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const reused: boolean[] = [];
  for (const body of [
    ndjson(userLine('a@kept.c')),
    '',
    gzipSync(ndjson(userLine('b@kept.c'))),
    ndjson('no JSON'),
  ]) {
    const headers = { 'api-key': API_KEY, 'content-type': NDJSON };
    const encoding = typeof body === 'string' ? {} : { 'content-encoding': 'gzip' };
    const sent = request(url + STREAM, { method: 'POST', agent, headers: { ...headers, ...encoding } }).end(
      body,
    );
    const [answer] = await once(sent, 'response');
    expect(readReport((await answer.toArray()).join('')).summary).toBeDefined();
    reused.push(sent.reusedSocket);
  }
  expect(reused).toEqual([false, true, true, true]);
  agent.destroy();
});

it('does not block other requests, however long it takes', async () => {
  const stored = await service.send('POST', IMPORT, userLine('held@open.c'));
  const streams = ['', '?dryRun=true', '?onConflict=overwrite'].map((query) => new ImportStream(url, query));
  for (const [index, stream] of streams.entries()) {
    stream.write(ndjson(userLine(`${index}@open.c`), userLine('held@open.c', OTHER_BCRYPT.hash)));
    await expect.poll(() => statuses(stream)).toEqual(['CREATED', 'UPDATED']);
  }
  const again = await service.send('POST', IMPORT, userLine('held@open.c'));
  expect(again.body).toMatchObject({
    status: 'OK',
    didUserAlreadyExist: true,
    user: { id: stored.body.user.id },
  });
  expect(await signInStatus(service, 'held@open.c')).toBe('OK');
  const removed = await service.send('POST', '/user/remove', { userId: stored.body.user.id });
  expect(removed.body.status).toBe('OK');
  for (const stream of streams) expect((await stream.end().finished()).summary).toMatchObject({ lines: 2 });
  expect(await emails('held')).toEqual([]);
});

it('reveals no password, hash or address', async () => {
  const secret = 'Zq7-SECRET';
  const hash = BCRYPT.hash.replace('FkqCYl1sZhFcdBX', 'SECRETsZhFcdBXx');
  const form = (method: object) => ({
    loginMethods: [{ recipeId: 'emailpassword', email: `${secret}@b.c`, ...method }],
  });
  const body = ndjson(
    userLine(`${secret}@b.c`, hash),
    userLine(`${secret}@b.c`, hash),
    userLine(`no address ${secret}`, hash),
    userLine('x@b.c', `${hash}${secret}`),
    userLine('x@b.c', hash.replace('$04', '$20')),
    { ...userLine('x@b.c', hash), hashingAlgorithm: secret },
    `{"email":"${secret}@b.c","passwordHash":"${hash}"`,
    `${secret}`,
    form({ plainTextPassword: `password ${secret}`, externalUserId: '' }),
    form({ plainTextPassword: `password ${secret}`, passwordHash: hash }),
    form({ passwordHash: hash, hashingAlgorithm: 'argon2' }),
    { loginMethods: [{ recipeId: secret, email: `${secret}@b.c`, plainTextPassword: secret }] },
    `{"email":"${secret}@b.c","x":"${'y'.repeat(70_000)}"}`,
  );
  let told = '';
  for (const query of ['?dryRun=true', '', '?onConflict=overwrite', '?onConflict=skip', '?onConflict=fail']) {
    const answer = await sendLines(service, body, query);
    expect(answer.status).toBe(200);
    told += answer.text;
  }
  for (const text of [told, service.log()]) {
    expect(text.toLowerCase()).not.toContain('secret');
    for (const key of [API_KEY, SIGNER_KEY, BCRYPT.password]) expect(text).not.toContain(key);
  }
  expect(service.log()).toContain(`"route":"${STREAM}"`);
});
