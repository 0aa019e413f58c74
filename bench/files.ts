import { Session } from 'node:inspector/promises';
import bcrypt from 'bcrypt';
import { readConfig } from '../src/config/read-config.ts';
import { createLogger } from '../src/lib/log.ts';
import { readMigrations } from '../src/postgres/migrate/apply-migrations.ts';
import { startService } from '../src/service/start.ts';
import { API_KEY, PASSWORD } from './fixtures.ts';
import type { Row } from './report.ts';

const WARM_UP_CALLS = 300;
/** Number of measured calls. Only what runs in each of them counts, so that timers do not. */
const CALLS = 5;

const SRC = new URL('../src/', import.meta.url).href;
const newHash = () => bcrypt.hashSync(PASSWORD, 4);

/** A kind of call: its path, its body with a number that no call had before, and the most files it may run. */
interface Kind {
  path: string;
  body: (n: number) => object;
  most?: number;
}

const single = '/recipe/user/passwordhash/import';
const byExternalId = '/bulk-import/stream?matchBy=externalId&source=files&trustExternalIds=true';
const KINDS: Record<string, Kind> = {
  'single import, new user': {
    path: single,
    body: (n) => ({ email: `${n}@example.com`, passwordHash: newHash() }),
    most: 35,
  },
  'single import, known user': {
    path: single,
    body: () => ({ email: 'known@example.com', passwordHash: newHash() }),
  },
  'sign-in': {
    path: '/recipe/signin',
    body: () => ({ email: 'known@example.com', password: PASSWORD }),
  },
  'stream, new line': {
    path: '/bulk-import/stream',
    body: (n) => ({ email: `${n}@example.com`, passwordHash: newHash() }),
    most: 55,
  },
  'stream, known line': {
    path: '/bulk-import/stream',
    body: () => ({ email: 'known@example.com', passwordHash: newHash() }),
  },
  'stream, known line by external id': {
    path: byExternalId,
    body: () => ({
      externalUserId: 'known',
      loginMethods: [{ recipeId: 'emailpassword', email: 'external@example.com', passwordHash: newHash() }],
    }),
  },
};

/**
 * Counts the files of src in which a function runs during a call, after a warm-up. `--list` shows their names,
 * each with its number of calls of functions. The hashing process is not measured, so that a sign-in lacks the
 * files that verify its hash.
 */
export async function benchFiles(uri: string): Promise<Row[]> {
  const loaded = readConfig(
    { API_KEYS: API_KEY, POSTGRESQL_CONNECTION_URI: uri, HOST: '127.0.0.1', PORT: '0' },
    { embeddedPostgres: false },
  );
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const service = await startService({
    config: loaded.config,
    logger: createLogger('warn'),
    migrations: readMigrations(),
    version: 'bench',
    onFatal: (error) => {
      throw error;
    },
  });
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const rows: Row[] = [];
  let n = 0;
  for (const [name, { path, body, most }] of Object.entries(KINDS)) {
    const call = () => send(service.url + path, body(n++));
    for (let done = 0; done < WARM_UP_CALLS; done += 1) await call();
    const measured: Map<string, number>[] = [];
    for (let done = 0; done < CALLS; done += 1) {
      await session.post('Profiler.takePreciseCoverage');
      await call();
      measured.push(await callsByFile(session));
    }
    const [first = new Map<string, number>(), ...others] = measured;
    const files = [...first.keys()].filter((file) => others.every((one) => one.has(file))).sort();
    console.log(`${name}: ${files.length} files`);
    if (process.argv.includes('--list'))
      for (const file of files) console.log(`  ${file}: ${first.get(file)} calls`);
    if (most !== undefined)
      rows.push({
        what: `${name}, files that run`,
        measured: String(files.length),
        limit: String(most),
        ratio: files.length / most,
        aim: '≤ 1',
        met: files.length <= most,
      });
  }
  session.disconnect();
  await service.stop();
  return rows;
}

/** Returns how many calls of functions each file of src had since the last call. Resets the counters. */
async function callsByFile(session: Session): Promise<Map<string, number>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = new Map<string, number>();
  for (const { url, functions } of result) {
    const count = functions.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
    if (url.startsWith(SRC) && count > 0) calls.set(url.slice(SRC.length), count);
  }
  return calls;
}

/** @throws {Error} if the call failed, or its line was not imported */
async function send(url: string, body: object): Promise<void> {
  const type = url.includes('/stream') ? 'application/x-ndjson' : 'application/json';
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': type, 'api-key': API_KEY },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok || !/"status":"(?:OK|CREATED|UPDATED)"/.test(text)) throw new Error(`${url}: ${text}`);
}
