import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HASHES, PASSWORD } from './fixtures.ts';
import { load, post, postScript, startServer } from './load.ts';
import { median, perSecond, type Row } from './report.ts';

const run = promisify(execFile);
const ROUNDS = 3;

/** Sign-ins, 32 in flight, of each algorithm, beside its verifier called directly at the best parallelism. */
export async function benchSignIn(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [algorithm, passwordHash] of Object.entries(HASHES)) {
    const email = `${algorithm}@example.com`;
    const script = postScript('/recipe/signin', `'{"email":"${email}","password":"${PASSWORD}"}'`);
    const rates: number[] = [];
    const limits: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer('service', uri);
      await post(server.url, '/recipe/user/passwordhash/import', {
        email,
        passwordHash,
        hashingAlgorithm: algorithm,
      });
      await load({ url: server.url, connections: 32, seconds: 1, script, directory });
      const { rate } = await load({ url: server.url, connections: 32, seconds, script, directory });
      await server.stop();
      const direct = await run(process.execPath, [
        '--import',
        'tsx',
        join(import.meta.dirname, 'direct-verifier.ts'),
        algorithm,
        String(seconds / 2),
      ]);
      rates.push(rate);
      limits.push(Number(direct.stdout));
      console.log(
        `sign-in, ${algorithm}: ${rate.toFixed(1)}/s, verifier alone ${Number(direct.stdout).toFixed(1)}/s`,
      );
    }
    const ratio = median(rates.map((rate, round) => rate / (limits[round] ?? Number.NaN)));
    rows.push({
      what: `sign-in ${algorithm}, 32 in flight`,
      measured: perSecond(median(rates)),
      limit: `verifier alone: ${perSecond(median(limits))}`,
      ratio,
      aim: '≥ 0.95',
      met: ratio >= 0.95,
    });
  }
  return rows;
}
