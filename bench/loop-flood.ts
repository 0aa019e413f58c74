import { setTimeout as sleep } from 'node:timers/promises';
import { type Probe, preferProbes, quantile, timesOf } from './latency.ts';
import { load, post, postScript, startServer } from './load.ts';
import { milliseconds, type Row } from './report.ts';

const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');

/**
 * Hashes that are computed in JavaScript loops, at the cost that systems export. They match no password, so
 * that each sign-in runs the loop and changes nothing. To measure another loop, add it here.
 */
const LOOPS: Record<string, { algorithm: string; passwordHash: string }> = {
  'phpass 2^13': { algorithm: 'phpass', passwordHash: `$P$B${'.'.repeat(30)}` },
  'sha512-crypt 5000': { algorithm: 'sha512-crypt', passwordHash: `$6$saltsalt$${'.'.repeat(86)}` },
  'drupal7 2^15': { algorithm: 'drupal7', passwordHash: `$S$D${'.'.repeat(51)}` },
  'symfony-sha512 5000': {
    algorithm: 'symfony-sha512',
    passwordHash: `$symfony-sha512$i=5000$${zeros(16)}$${zeros(64)}`,
  },
  'shiro1 SHA-256 500,000': {
    algorithm: 'shiro1',
    passwordHash: `$shiro1$SHA-256$500000$${zeros(16)}$${zeros(32)}`,
  },
};

const HELLO: Probe = { method: 'GET', path: '/hello', body: () => '' };

/**
 * Measures `/hello` while sign-ins keep every thread of the hashing process in a loop, beside an idle
 * service. A loop on the event loop would show as a delay of its whole length.
 */
export async function benchLoopFlood(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const server = await startServer('service', uri);
  preferProbes();
  await timesOf(server.url, HELLO, 1);
  const rows: Row[] = [];
  for (const [name, hash] of Object.entries(LOOPS)) {
    const email = `loop-${hash.algorithm}@example.com`;
    await post(server.url, '/recipe/user/passwordhash/import', {
      email,
      passwordHash: hash.passwordHash,
      hashingAlgorithm: hash.algorithm,
    });
    const idle = await timesOf(server.url, HELLO, seconds);
    const script = postScript('/recipe/signin', `'{"email":"${email}","password":"nobody-has-this"}'`);
    const signIns = load({ url: server.url, connections: 32, seconds: seconds + 2, script, directory });
    await sleep(1000);
    const busy = await timesOf(server.url, HELLO, seconds);
    const { rate } = await signIns;
    rows.push(rowOf(`${name} at ${rate.toFixed(0)}/s: /hello p50`, quantile(idle, 0.5), quantile(busy, 0.5)));
    rows.push(
      rowOf(`${name} at ${rate.toFixed(0)}/s: /hello p99`, quantile(idle, 0.99), quantile(busy, 0.99)),
    );
    console.log(
      rows
        .slice(-2)
        .map(({ what, measured, limit }) => `${what} ${measured}, ${limit}`)
        .join('\n'),
    );
  }
  await server.stop();
  return rows;
}

const rowOf = (what: string, idle: number, busy: number): Row => ({
  what,
  measured: milliseconds(busy),
  limit: `idle: ${milliseconds(idle)}`,
  ratio: busy / idle,
  aim: '≤ 3 or 5 ms',
  met: busy <= Math.max(3 * idle, 5),
});
