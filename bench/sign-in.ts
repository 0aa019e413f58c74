import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HASHES, PASSWORD } from './fixtures.ts';
import { load, post, postScript, type RunningServer, startScript, startServer } from './load.ts';
import { median, perSecond, type Row } from './report.ts';

const run = promisify(execFile);
const ROUNDS = 3;

/**
 * Measures sign-ins with each algorithm, 32 in flight. Compares them with the verifier called directly at the
 * best parallelism, and with a bare HTTP server around that verifier. The load generator and the network
 * share the cores with the hashes. The second ratio shows how much of the first is due to them.
 */
export async function benchSignIn(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [algorithm, passwordHash] of Object.entries(HASHES)) {
    const email = `${algorithm}@example.com`;
    const script = postScript('/recipe/signin', `'{"email":"${email}","password":"${PASSWORD}"}'`);
    const measure = async (server: RunningServer) => {
      // Longer than other measurements, because requests in progress at the end are not counted.
      const { rate } = await load({
        url: server.url,
        connections: 32,
        seconds: 2 * seconds,
        script,
        directory,
      });
      await server.stop();
      return rate;
    };
    const rounds: { service: number; bare: number; direct: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer('service', uri);
      await post(server.url, '/recipe/user/passwordhash/import', {
        email,
        passwordHash,
        hashingAlgorithm: algorithm,
      });
      const service = await measure(server);
      const direct = await directRate(algorithm, seconds / 2);
      const bare = await measure(await startScript('bare-server.ts', algorithm));
      rounds.push({ service, bare, direct });
      console.log(
        `sign-in, ${algorithm}: ${service.toFixed(1)}/s, verifier alone ${direct.toFixed(1)}/s, behind bare HTTP ${bare.toFixed(1)}/s`,
      );
    }
    const row = (limit: 'direct' | 'bare', name: string): Row => {
      const ratio = median(rounds.map((round) => round.service / round[limit]));
      return {
        what: `sign-in ${algorithm}, 32 in flight`,
        measured: perSecond(median(rounds.map((round) => round.service))),
        limit: `${name}: ${perSecond(median(rounds.map((round) => round[limit])))}`,
        ratio,
        aim: '≥ 0.95',
        met: ratio >= 0.95,
      };
    };
    rows.push(row('direct', 'verifier alone'), row('bare', 'bare HTTP server'));
  }
  return rows;
}

async function directRate(algorithm: string, seconds: number): Promise<number> {
  const script = join(import.meta.dirname, 'direct-verifier.ts');
  const args = ['--import', 'tsx', script, algorithm, String(seconds)];
  return Number((await run(process.execPath, args)).stdout);
}
