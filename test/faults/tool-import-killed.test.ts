import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { API_KEY } from '../support/app.ts';
import { type ServiceProcess, useServices } from '../support/compiled-service.ts';
import { rowsOf } from '../support/rows-of.ts';
import { portOf, TcpProxy } from '../support/tcp-proxy.ts';
import { useOwnPostgres, waitForRows, waitUntil } from './postgres.ts';

/** Rows of three chunks. */
const ROWS = 6000;
/** Rows that are imported at first: not those that repeat an address or have an invalid hash. */
const IMPORTED = ROWS - ROWS / 50;
/** Users whom the second export lacks. */
const GONE = ROWS / 1000;
const BCRYPT = '$2a$10$KwBCUpZQPBObDVE4SuTLtukI.XMW9g4AU.7xkMPvKPOQckh7hN0J2';
const OUTCOMES = ['rejects.ndjson', 'report.ndjson'];

const postgres = await useOwnPostgres();
const services = useServices();
const front = await TcpProxy.listen(0);
const directory = mkdtempSync(join(tmpdir(), 'uic-tool-killed-'));
let wanted: unknown;
beforeAll(async () => {
  writeFileSync(
    join(directory, 'users.csv'),
    `id,email,hash\n${Array.from({ length: ROWS }, (_, index) => row(index)).join('')}`,
  );
  const service = await begin('undisturbed');
  wanted = await resultOf(runTool(), 'undisturbed');
  await service.kill();
});
afterAll(async () => {
  await front.close();
  rmSync(directory, { recursive: true });
});
beforeEach(() => {
  for (const name of OUTCOMES) rmSync(join(directory, name), { force: true });
});

/** Returns a row. Some rows repeat an earlier address, or have an invalid hash. */
function row(index: number): string {
  const who = index % 100 === 40 ? index - 30 : index;
  return `u${index},user${who}@example.com,${index % 100 === 70 ? '$2a$10$short' : BCRYPT}\n`;
}

/** Starts the service at the address that the tool uses. */
async function startService(database: string): Promise<ServiceProcess> {
  const service = services.startOn(postgres.uri(database));
  front.target = portOf(await service.ready());
  return service;
}

async function begin(database: string): Promise<ServiceProcess> {
  await postgres.create(database);
  return startService(database);
}

function runTool(file = 'users.csv', ...flags: string[]) {
  const url = `http://127.0.0.1:${front.port}`;
  const files = ['--force', '--report', 'report.ndjson', '--rejects', 'rejects.ndjson'];
  const said = ['--active', 'everybody', '--shared-address', 'oldest'];
  const args = [services.cli, 'import', file, '--url', url, '--yes', '--json', ...said, ...files, ...flags];
  const child = spawn(process.execPath, args, {
    cwd: directory,
    env: { PATH: process.env.PATH, USER_IMPORT_API_KEY: API_KEY },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (text) => {
    stdout += text;
  });
  return { child, ended: once(child, 'close').then(([code]) => ({ code, stdout })) };
}

/** Resolves when at least `lines` lines are committed. */
const committed = (database: string, lines: number) =>
  waitForRows<{ lines: number }>(
    postgres.uri(database),
    'select coalesce(sum(lines), 0)::int as lines from import_chunks',
    ([found]) => found !== undefined && found.lines >= lines,
  );

/** Returns everything a run produced, without what differs between runs. */
interface Result {
  said: Record<string, unknown> & { missing?: { named: { removed: string[] } } };
  [other: string]: unknown;
}

async function resultOf({ ended }: ReturnType<typeof runTool>, database: string): Promise<Result> {
  const { code, stdout } = await ended;
  const { ms: _, resumed: __, ...said } = JSON.parse(stdout);
  const users = await rowsOf(
    postgres.uri(database),
    `select count(*), count(distinct u.user_id) as users, md5(string_agg(concat_ws(' ', alias, email, password_hash), ',' order by alias))
     from users u join password_logins using (user_id) join user_aliases a on a.user_id = u.user_id and kind = 'external'`,
  );
  const texts = OUTCOMES.map((name) => readFileSync(join(directory, name), 'utf8'));
  return { code, said, users, texts, files: readdirSync(directory).sort() };
}

it('the import has results worth comparing', () => {
  const rows = {
    ...{ rows: ROWS, imported: IMPORTED, created: IMPORTED },
    ...{ conflicts: ROWS / 100, errors: ROWS / 100 },
  };
  expect(wanted).toMatchObject({
    code: 2,
    said: rows,
    users: [{ count: `${IMPORTED}`, users: `${IMPORTED}` }],
  });
  expect(wanted).toMatchObject({ files: [...OUTCOMES, 'users.csv'] });
});

it('produces the same result if the tool is killed and run again', { timeout: 60_000 }, async () => {
  const service = await begin('tool_killed');
  // A killed run leaves its temporary files. Their names differ in each run, so that later runs do not touch
  // them.
  const parts = () => readdirSync(directory).filter((name) => name.endsWith('.part'));
  for (const [killed, lines] of [1, 2000].entries()) {
    const { child, ended } = runTool();
    await committed('tool_killed', lines);
    // The service goes on for a moment after a kill, so the next run may find its lines committed at once.
    await waitUntil(() => parts().length === (killed + 1) * OUTCOMES.length);
    child.kill('SIGKILL');
    await ended;
  }
  for (const name of parts()) rmSync(join(directory, name));
  expect(await resultOf(runTool(), 'tool_killed')).toEqual(wanted);
  await service.kill();
});

it('produces the same result if the database is killed, because the tool continues by itself', {
  timeout: 200_000,
}, async () => {
  const service = await begin('database_killed');
  const run = runTool();
  await committed('database_killed', 1500);
  await postgres.kill();
  await postgres.startAgain();
  expect(await resultOf(run, 'database_killed')).toEqual(wanted);
  await service.kill();
});

// The next export of the same system, for the users that the tests before have imported.
it('produces the same result if users are matched by external id, and the service is killed in each phase', {
  timeout: 200_000,
}, async () => {
  // A tenth of the users exchange their addresses in circles that span chunks, so their lines are deferred. Some are gone.
  const lines = Array.from({ length: ROWS }, (_, index) => {
    if (index % 1000 === 999 || index % 100 === 40 || index % 100 === 70) return '';
    return row(index).replace(/user\d+/, `user${index % 10 === 3 ? (index + 2500) % ROWS : index}`);
  });
  writeFileSync(join(directory, 'again.csv'), `id,email,hash\n${lines.join('')}`);
  const again = () =>
    runTool('again.csv', ...['--match', 'external-id', '--source', 'generic', '--delete-missing']);
  const changed = ROWS / 10;
  const undisturbed = await startService('undisturbed');
  const expected = await resultOf(again(), 'undisturbed');
  await undisturbed.kill();
  expect(expected).toMatchObject({
    code: 0,
    said: { created: 0, updated: changed, missing: { removed: GONE } },
    users: [{ users: `${IMPORTED - GONE}` }],
  });
  let service = await startService('database_killed');
  const run = again();
  // While lines are read, and when only the deferred lines and the removal of users are left.
  for (const count of [ROWS + 1500, ROWS + IMPORTED - GONE]) {
    await committed('database_killed', count);
    await service.kill();
    service = await startService('database_killed');
  }
  // The service names removed users once. If it is killed then, the tool knows their number only.
  const { said, ...others } = await resultOf(run, 'database_killed');
  const { removed = ['nobody'] } = said.missing?.named ?? {};
  expect(expected.said.missing?.named.removed).toEqual(expect.arrayContaining(removed));
  expect({ ...others, said: { ...said, missing: { ...said.missing, named: {} } } }).toEqual({
    ...expected,
    said: { ...expected.said, missing: { ...expected.said.missing, named: {} } },
  });
  await service.kill();
});
