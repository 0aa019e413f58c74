import { Agent, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_KEY, HASHES, PASSWORD } from './fixtures.ts';
import { load, post, postScript, startServer } from './load.ts';
import { milliseconds, type Row } from './report.ts';

/** Pause between two probes: a trickle, so that what is measured is the wait and not the probes. */
const PAUSE_MS = 5;

/** Measures how long `/hello` and imports take while sign-ins keep every hashing thread busy, beside the same when idle. */
export async function benchLatency(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const server = await startServer('service', uri);
  const email = 'latency@example.com';
  // A user of this service's own making: argon2id at the default settings.
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

/** Lets this process have a core as soon as it wants one, where it may (as root): its own wait is not the service's. */
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
  times.sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

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
