/**
 * The limit of sign-in: the verifier called in a loop, nothing around it. `direct-verifier.ts <algorithm> <seconds>`
 * tries parallelism 2 to 4 for that long each and writes the best rate, verifications a second.
 */
import { testVerifier } from './test-verifier.ts';

const [algorithm = '', seconds = '3'] = process.argv.slice(2);
const verifyOnce = testVerifier(algorithm);

async function rate(parallelism: number, milliseconds: number): Promise<number> {
  const start = performance.now();
  let done = 0;
  const loop = async () => {
    while (performance.now() - start < milliseconds) {
      if (!(await verifyOnce())) throw new Error('the password did not match');
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: parallelism }, loop));
  return done / ((performance.now() - start) / 1000);
}

const rates: number[] = [];
for (const parallelism of [2, 3, 4]) rates.push(await rate(parallelism, Number(seconds) * 1000));
process.stdout.write(`${Math.max(...rates)}\n`);
