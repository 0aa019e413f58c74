/**
 * Usage: `npm run build && BENCH_USERS=1000000 npx tsx bench/break-exports.ts [breaks] [seed]`. Exports many users of many
 * families, imports them into an empty service and exports them there: both exports must have the same lines. Compares
 * the rate with `\copy … to` of the same columns, on vacuumed tables. Then breaks exports at random moments: the service
 * is killed, the tool is killed, the connection is cut, or the disk is full (needs root, for a small tmpfs). None may
 * leave a file that is not complete.
 */
import { execFile } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FAMILIES } from '../src/hashing/families.ts';
import { Random } from '../test/support/random.ts';
import { TcpProxy } from '../test/support/tcp-proxy.ts';
import { isAvailable, vectorsOf, verifierOf } from '../test/support/vectors.ts';
import { send } from './bulk-support.ts';
import { API_KEY } from './fixtures.ts';
import { ImportStage, ToolRun } from './import-stage.ts';

const run = promisify(execFile);
const USERS = Number(process.env.BENCH_USERS ?? 100_000);
const PAIRS = 3;
const [breaksText = '20', seedText = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const random = new Random(Number(seedText));

const ENV = {
  API_KEYS: JSON.stringify([{ name: 'bench', key: API_KEY, allow: ['import', 'read', 'export'] }]),
  FACTORS_SECRET: 'a-secret-of-the-bench-with-more-than-32-characters',
};

/** A hash of each family that needs no secret. */
const HASHES = FAMILIES.map(({ name }) => name)
  .filter(isAvailable)
  .flatMap((name) => {
    const found = vectorsOf(name).find(({ hash, expect, params = {}, tags = [] }) => {
      if (expect !== true || Object.keys(params).length > 0 || tags.length > 0) return false;
      try {
        return verifierOf(name).parse(hash).clearText === undefined;
      } catch {
        return false;
      }
    });
    return found === undefined ? [] : [{ passwordHash: found.hash, hashingAlgorithm: name }];
  });

function* userLines(): Generator<string> {
  for (let nr = 0; nr < USERS; nr += 1) {
    const hash = HASHES[nr % HASHES.length];
    const time = { timeJoinedInMSSinceEpoch: 1_600_000_000_000 + nr };
    const login = {
      recipeId: 'emailpassword',
      email: `user${nr}@example.com`,
      isVerified: nr % 3 === 0,
      ...time,
    };
    const social = {
      recipeId: 'thirdparty',
      email: login.email,
      thirdPartyId: 'google',
      thirdPartyUserId: `g${nr}`,
      ...time,
    };
    const password = nr % 50 === 7 ? { ...login, password: 'unset' } : { ...login, ...hash };
    const loginMethods =
      nr % 20 === 3 ? [social] : nr % 20 === 4 ? [{ ...password, isPrimary: true }, social] : [password];
    yield `${JSON.stringify({
      ...(nr % 2 === 0 && { externalUserId: `old-${nr}` }),
      ...(nr % 4 === 0 && { userMetadata: { name: `Üser ${nr}`, plan: nr % 3, tags: ['a', 'b'] } }),
      ...(nr % 100 === 9 && { disabled: true }),
      ...(nr % 100 === 11 && {
        totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP' }],
        userRoles: [{ role: 'admin' }],
      }),
      loginMethods,
    })}\n`;
  }
}

const directory = await mkdtemp(join(tmpdir(), 'uic-exports-'));
const stage = await ImportStage.open(join(directory, 'postgres'));
const seconds = (ms: number) => Math.round(ms / 100) / 10;
const peakOf = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function restart(env: Record<string, string> = {}): Promise<void> {
  await stage.killService();
  await stage.startService({ ...ENV, ...env });
}

/** Exports with the tool. Returns its result, and the peak memory of tool and service in MB. */
async function exportTo(name: string) {
  const tool = new ToolRun(['export', name, '--url', stage.url, '--json', '--force'], { cwd: directory });
  let peak = 0;
  while (!tool.isOver) {
    try {
      peak = Math.max(peak, peakOf(tool.child.pid ?? 0));
    } catch {
      // It has just ended.
    }
    await sleep(20);
  }
  const { code, stdout, stderr } = await tool.ended;
  if (code !== 0) throw new Error(stderr);
  return { ...JSON.parse(stdout), toolMb: Math.round(peak), serviceMb: Math.round(peakOf(stage.servicePid)) };
}

/** Exports with curl. Returns the time in milliseconds. */
async function curlTo(path: string): Promise<number> {
  const start = performance.now();
  await run('curl', ['-sSf', '-H', `api-key: ${API_KEY}`, '-o', path, `${stage.url}/bulk-export/stream`]);
  return performance.now() - start;
}

/** Returns whether a file has the lines that its last line states. */
async function isWhole(path: string): Promise<boolean> {
  const text = await run('tail', ['-n', '1', path]);
  const { export: end } = JSON.parse(text.stdout);
  const { stdout } = await run('sh', ['-c', `head -n -1 '${path}' | sha256sum`]);
  return end.sha256 === stdout.slice(0, 64);
}

const COPIED = [
  'select email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, password_hash, hash_algorithm, hash_secret_id, no_hash, disabled from password_logins',
  'select email, user_id, recipe_user_id, time_joined_ms, linked, verified_emails, third_party_id, third_party_user_id, disabled from third_party_logins',
  'select user_id, metadata, factors from users',
  'select alias, user_id, recipe_user_id from user_aliases',
];

try {
  console.log(`${USERS} users of ${HASHES.length} families, seed ${seedText}`);
  const input = join(directory, 'input.ndjson');
  await pipeline(userLines(), createWriteStream(input));
  await stage.reset('one');
  await restart();
  const sent = await send(stage.url, input);
  console.log(`import: ${Math.round(sent.lines / sent.seconds)} lines/s, ${sent.lines} lines`);
  rmSync(input);
  await restart();

  const first = await exportTo('first.ndjson');
  console.log(`export: ${Math.round((first.users * 1000) / first.ms)} users/s, ${JSON.stringify(first)}`);

  // psql does not use the proxy that cuts connections, so the service must not use it either.
  await restart({ POSTGRESQL_CONNECTION_URI: stage.databaseUri });
  // Autovacuum would do this within minutes after an import.
  await run('psql', ['-X', '-q', '-c', 'vacuum analyze', stage.databaseUri]);
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const start = performance.now();
    const commands = COPIED.flatMap((select, nr) => [
      '-c',
      `\\copy (${select}) to '${join(directory, `copy-${nr}`)}'`,
    ]);
    await run('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...commands, stage.databaseUri]);
    const copyMs = performance.now() - start;
    const curlMs = await curlTo(join(directory, `copy-curl`));
    const { ms } = await exportTo('again.ndjson');
    ratios.push(copyMs / curlMs);
    console.log(
      `pair ${pair + 1}: \\copy ${seconds(copyMs)} s, curl ${seconds(curlMs)} s, ${(copyMs / curlMs).toFixed(2)}; ` +
        `user-import ${seconds(ms)} s, ${(copyMs / ms).toFixed(2)}`,
    );
  }
  await restart();
  for (const name of readdirSync(directory)) if (name.startsWith('copy-')) rmSync(join(directory, name));

  const breaks = Number(breaksText);
  const outcomes: Record<string, number> = {};
  const small = join(directory, 'small');
  mkdirSync(small);
  const kinds = ['service', 'tool', 'connection', 'disk'] as const;
  for (let nr = 0; nr < breaks; nr += 1) {
    const kind = kinds[nr % kinds.length] ?? 'tool';
    const target = join(kind === 'disk' ? small : directory, `broken-${nr}.ndjson`);
    if (kind === 'disk') {
      const mb = 1 + Math.floor(random.fraction() * (first.bytes / 1e6));
      await run('mount', ['-t', 'tmpfs', '-o', `size=${mb}m`, 'tmpfs', small]);
    }
    const proxy = kind === 'connection' ? await TcpProxy.listen(stage.port) : undefined;
    const url = proxy === undefined ? stage.url : `http://127.0.0.1:${proxy.port}`;
    const tool = new ToolRun(['export', target, '--url', url], { cwd: directory });
    await Promise.race([sleep(300 + random.fraction() * first.ms), tool.ended]);
    if (kind === 'service') await stage.killService();
    if (kind === 'tool') tool.child.kill('SIGKILL');
    await proxy?.close();
    const { code, stderr } = await tool.ended;
    const left = existsSync(target);
    const isBad = left && !(await isWhole(target));
    if (isBad || (code === 0) !== left)
      throw new Error(`${kind}: code ${code}, a file that is not whole: ${isBad}`);
    const outcome = `${kind}: ${left ? 'was complete before' : (stderr.trim().split('\n').at(-1) ?? '').replaceAll(directory, '')}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    if (kind === 'disk') await run('umount', [small]);
    rmSync(target, { force: true });
    if (kind === 'service') await stage.startService(ENV);
  }
  console.log(`${breaks} breaks:`, JSON.stringify(outcomes, undefined, 2));

  await stage.reset('two');
  await restart();
  const again = await send(stage.url, join(directory, 'first.ndjson'));
  console.log(`import of the export: ${Math.round(again.lines / again.seconds)} lines/s`);
  const second = await exportTo('second.ndjson');
  const sorted = async (name: string) => {
    const { stdout } = await run('sh', [
      '-c',
      `head -n -1 '${join(directory, name)}' | LC_ALL=C sort | sha256sum`,
    ]);
    return stdout.slice(0, 64);
  };
  const [one, two] = [await sorted('first.ndjson'), await sorted('second.ndjson')];
  console.log(
    `second export: ${JSON.stringify(second)}; sorted lines ${one === two ? 'are the same' : 'DIFFER'} (${one})`,
  );
  if (one !== two) process.exitCode = 1;
} finally {
  await stage.close();
  await rm(directory, { recursive: true, force: true });
}
