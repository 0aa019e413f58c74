import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_KEY, HASHES, PASSWORD } from './fixtures.ts';
import { load, post, postScript, startServer } from './load.ts';
import { milliseconds, type Row } from './report.ts';

/** Pause between two probes. It is long enough that the probes themselves cause no load. */
const PAUSE_MS = 5;

/**
 * Measures `/hello` and imports while sign-ins occupy every hashing thread, beside the same calls to an idle
 * service.
 */
export async function benchLatency(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const server = await startServer('service', uri);
  const email = 'latency@example.com';
  // A user created by the service, with argon2id and default settings.
  await post(server.url, '/recipe/signup', { email, password: PASSWORD });
  const script = postScript('/recipe/signin', `'{"email":"${email}","password":"${PASSWORD}"}'`);
  preferProbes();
  let counter = 0;
  const probes: Record<string, Probe> = {
    '/hello': { method: 'GET', path: '/hello', body: () => '' },
    import: {
      method: 'POST',
      path: '/recipe/user/passwordhash/import',
      body: () =>
        JSON.stringify({
          email: `probe-${Date.now()}-${counter++}@example.com`,
          passwordHash: HASHES.bcrypt,
        }),
    },
  };
  const rows: Row[] = [];
  for (const [name, probe] of Object.entries(probes)) {
    await p99Of(server.url, probe, 1);
    const idle = await p99Of(server.url, probe, seconds);
    const signIns = load({ url: server.url, connections: 32, seconds: seconds + 2, script, directory });
    await sleep(1000);
    const busy = await p99Of(server.url, probe, seconds);
    const { rate } = await signIns;
    console.log(
      `${name}: p99 idle ${milliseconds(idle)}, under ${rate.toFixed(0)} sign-ins/s ${milliseconds(busy)}`,
    );
    rows.push({
      what: `${name} p99 under full sign-in load`,
      measured: milliseconds(busy),
      limit: `idle: ${milliseconds(idle)}`,
      ratio: busy / idle,
      aim: '≤ 3 or 5 ms',
      met: busy <= Math.max(3 * idle, 5),
    });
  }
  await server.stop();
  return rows;
}

/**
 * Raises the priority of this process if permitted (as root), so that its own waiting time is not measured.
 */
export function preferProbes(): void {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST);
  } catch {
    console.log('without the right to a higher priority: times include the wait of the probes themselves');
  }
}

export interface Probe {
  method: string;
  path: string;
  body(): string;
}

export async function p99Of(url: string, probe: Probe, seconds: number): Promise<number> {
  return quantile(await timesOf(url, probe, seconds), 0.99);
}

/** Returns the durations of probes, one after another, in ascending order. */
export async function timesOf(url: string, probe: Probe, seconds: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    const start = performance.now();
    await once(url, probe, agent);
    times.push(performance.now() - start);
    await sleep(PAUSE_MS);
  }
  agent.destroy();
  return times.sort((a, b) => a - b);
}

export const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

function once(url: string, { method, path, body }: Probe, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url + path,
      { method, agent, headers: { 'api-key': API_KEY, 'content-type': 'application/json' } },
      (response) => {
        response.resume().once('end', resolve);
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
      },
    );
    sent.once('error', reject);
    sent.end(body());
  });
}
