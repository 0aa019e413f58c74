/**
 * Measures the upper bound of sign-ins: the verifier in a loop, with nothing around it. Usage:
 * `direct-verifier.ts <algorithm> <seconds>`. Tries a parallelism of 2 to 4, each for that long, and prints
 * the best rate in verifications a second.
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
