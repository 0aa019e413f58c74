import { pbkdf2Sync } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { API_KEY, PASSWORD } from './fixtures.ts';
import { preferProbes } from './latency.ts';
import { type RunningServer, startServer } from './load.ts';
import { milliseconds, type Row } from './report.ts';

const USERS = 10_000;
/** Number of alternating blocks, so that both variants run under the same conditions. */
const BLOCKS = 25;
/** Sign-ins a second, at regular intervals, independent of the answers. */
const RATE = 100;
/** Number of times that users sign in again whose upgrade was dropped. */
const MORE_ROUNDS = 2;
/** Maximum wait for the upgrades of a block. */
const PATIENCE_MS = 30_000;

/** A hash of class legacy: PBKDF2 with 5,000 iterations, which takes two milliseconds. */
const WEAK = `$pbkdf2-sha256$i=5000$${Buffer.from('salt').toString('base64')}$${pbkdf2Sync(
  PASSWORD,
  'salt',
  5000,
  32,
  'sha256',
).toString('base64')}`;

type Variant = 'upgrade' | 'no-upgrade';

/** Measures 10,000 sign-ins with weak hashes, with and without upgrades, and how many hashes they upgrade. */
export async function benchUpgrade(uri: string): Promise<Row[]> {
  const db = new pg.Client(uri);
  await db.connect();
  const servers: Record<Variant, RunningServer> = {
    upgrade: await startServer('upgrade', uri),
    'no-upgrade': await startServer('no-upgrade', uri),
  };
  /** Durations by block. */
  const times: Record<Variant, number[][]> = { upgrade: [], 'no-upgrade': [] };
  preferProbes();
  const variants: Variant[] = ['no-upgrade', 'upgrade'];
  for (const variant of variants) {
    await importUsers(servers[variant].url, variant);
    await signIns(servers[variant].url, emailsOf(variant, 0, 50));
  }
  for (let block = 0; block < BLOCKS; block += 1) {
    for (const variant of variants) {
      const size = USERS / BLOCKS;
      const emails = emailsOf(variant, block * size, size);
      times[variant].push(await signIns(servers[variant].url, emails));
      if (variant === 'upgrade') await settled(db);
    }
    variants.reverse();
  }
  const atOnce = await countUpgraded(db);
  const signInsEach = await upgradeTheRest(db, servers.upgrade.url);
  const upgraded = await countUpgraded(db);
  for (const { stop } of Object.values(servers)) await stop();
  await db.end();
  for (const share of [0.5, 0.9, 0.99]) {
    const [all, none] = [times.upgrade, times['no-upgrade']].map((blocks) =>
      percentile(blocks.flat(), share),
    );
    console.log(
      `sign-ins of weak hashes, ${RATE}/s, p${share * 100}: ${milliseconds(none ?? 0)} without upgrades, ${milliseconds(all ?? 0)} with`,
    );
  }
  const p99 = (variant: Variant) => percentile(times[variant].flat(), 0.99);
  const [with_, without] = [p99('upgrade'), p99('no-upgrade')];
  return [
    {
      what: `p99 of ${USERS} sign-ins that upgrade`,
      measured: milliseconds(with_),
      limit: `without: ${milliseconds(without)}`,
      ratio: with_ / without,
      aim: '≤ 1.2',
      met: with_ <= 1.2 * without,
    },
    {
      what: `hashes upgraded, by ${signInsEach.toFixed(2)} sign-ins each`,
      measured: `${upgraded} (${atOnce} by one)`,
      limit: `users: ${USERS}`,
      ratio: upgraded / USERS,
      aim: '1',
      met: upgraded === USERS,
    },
  ];
}

/** Signs in users again whose upgrade was dropped. Returns the average number of sign-ins of a user. */
async function upgradeTheRest(db: pg.Client, url: string): Promise<number> {
  let again = 0;
  for (let round = 0; round < MORE_ROUNDS; round += 1) {
    const { rows } = await db.query<{ email: string }>(
      "select email from password_logins where hash_set_by = 'import' and email like 'upgrade-%'",
    );
    await signIns(
      url,
      rows.map((row) => row.email),
    );
    await settled(db);
    again += rows.length;
  }
  return 1 + again / USERS;
}

const email = (variant: Variant, n: number) => `${variant}-${n}@example.com`;

const emailsOf = (variant: Variant, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => email(variant, from + index));

async function importUsers(url: string, variant: Variant): Promise<void> {
  const lines = Array.from({ length: USERS }, (_, n) =>
    JSON.stringify({ email: email(variant, n), passwordHash: WEAK }),
  );
  const response = await fetch(`${url}/bulk-import/stream?importId=bench-${variant}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'api-key': API_KEY },
    body: `${lines.join('\n')}\n`,
  });
  const report = await response.text();
  if (!report.includes(`"created":${USERS},`)) throw new Error(`the import failed: ${report.slice(-500)}`);
}

/** Signs in each of these users once. Returns the durations in ms. */
async function signIns(url: string, emails: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const begin = performance.now();
  const answers: Promise<number>[] = [];
  for (const [n, address] of emails.entries()) {
    await sleep(Math.max(0, begin + (n * 1000) / RATE - performance.now()));
    answers.push(signIn(`${url}/recipe/signin`, address, agent));
  }
  const times = await Promise.all(answers);
  agent.destroy();
  return times;
}

function signIn(url: string, address: string, agent: Agent): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'api-key': API_KEY };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += data;
      });
      response.once('end', () => {
        if (text.startsWith('{"status":"OK"')) resolve(performance.now() - start);
        else reject(new Error(`${address}: ${response.statusCode} ${text}`));
      });
    });
    sent.once('error', reject);
    sent.end(JSON.stringify({ email: address, password: PASSWORD }));
  });
}

/** Waits until no upgrade is pending. */
async function settled(db: pg.Client): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let last = -1; performance.now() < end; ) {
    const now = await countUpgraded(db);
    if (now === last) return;
    last = now;
    await sleep(300);
  }
}

async function countUpgraded(db: pg.Client): Promise<number> {
  const { rows } = await db.query(
    "select count(*)::int as count from password_logins where hash_set_by = 'rehash'",
  );
  return rows[0].count;
}

function percentile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN;
}
