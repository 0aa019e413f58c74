import { HASHES } from './fixtures.ts';
import { load, postScript, startServer } from './load.ts';
import { median, perSecond, type Row } from './report.ts';

const VARIANTS = ['no-database', 'service', 'one-by-one'] as const;

/**
 * Measures single imports of new e-mails over 64 connections, beside the same route without a database and
 * without batching.
 */
export async function benchImport(uri: string, directory: string, seconds: number): Promise<Row[]> {
  const script = postScript(
    '/recipe/user/passwordhash/import',
    `'{"email":"' .. run .. '-' .. n .. '@example.com","passwordHash":"${HASHES.bcrypt}"}'`,
  );
  const servers = await Promise.all(VARIANTS.map((variant) => startServer(variant, uri)));
  const rates = new Map<string, number[]>(VARIANTS.map((variant) => [variant, []]));
  // The first round is a warm-up. Each round begins with another variant, so that no variant always follows
  // the same one.
  for (let round = 0; round <= 3; round += 1) {
    for (let place = 0; place < VARIANTS.length; place += 1) {
      const index = (place + round) % VARIANTS.length;
      const [variant, server] = [VARIANTS[index], servers[index]];
      if (variant === undefined || server === undefined) continue;
      const result = await load({
        url: server.url,
        connections: 64,
        seconds: round === 0 ? Math.min(3, seconds) : seconds,
        script,
        directory,
      });
      console.log(
        `import, ${variant}: ${perSecond(result.rate)}, p99 ${result.p99Ms.toFixed(1)} ms${round === 0 ? ' (warm-up)' : ''}`,
      );
      if (round > 0) rates.get(variant)?.push(result.rate);
    }
  }
  for (const server of servers) await server.stop();
  const [none, folded, single] = VARIANTS.map((variant) => median(rates.get(variant) ?? [])) as [
    number,
    number,
    number,
  ];
  return [
    {
      what: 'import, 64 connections',
      measured: perSecond(folded),
      limit: `no database: ${perSecond(none)}`,
      ratio: folded / none,
      aim: '≥ 0.50',
      met: folded / none >= 0.5,
    },
    {
      what: 'import, 64 connections',
      measured: perSecond(folded),
      limit: `one statement each: ${perSecond(single)}`,
      ratio: folded / single,
      aim: '≥ 2.80',
      met: folded / single >= 2.8,
    },
  ];
}
