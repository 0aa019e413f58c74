import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { FAMILIES } from '../src/hashing/families.ts';
import { type Vector, vectorsOf } from '../test/support/vectors.ts';
import { Admin, send, startCompiled } from './bulk-support.ts';
import { perSecond, type Row } from './report.ts';

const LINES = Number(process.env.BENCH_LINES ?? 30_000);
/**
 * Number of measurements before a low rate counts. A single pause of a shared machine says nothing about a
 * parser.
 */
const ATTEMPTS = 3;
const AIM = 0.8;

/**
 * Measures dry runs of lines in each dialect, beside lines of bcrypt. Both are parsed and checked, and
 * nothing is written.
 */
export async function benchDialects(uri: string, directory: string): Promise<Row[]> {
  const admin = new Admin(uri);
  await admin.create('dialects');
  const secrets: { id: string; algorithms: string[]; secret: string }[] = [];
  const files = new Map<string, string>();
  for (const { name } of FAMILIES) {
    const sample = vectorsOf(name).find(
      // The stream trims hashes.
      ({ expect, acceptable, hash }) => expect === true && !acceptable && hash === hash.trim(),
    );
    if (sample === undefined) throw new Error(`no vector of ${name}`);
    const file = join(directory, `${name}.ndjson`);
    await writeLines(file, name, sample, secrets);
    files.set(name, file);
  }
  const service = await startCompiled(admin.uri('dialects'), { HASHING_SECRETS: JSON.stringify(secrets) });
  const rateOf = async (name: string) => {
    const { lines, seconds } = await send(service.url, files.get(name) ?? '', '?dryRun=true');
    return lines / seconds;
  };
  const slow: Row[] = [];
  let worst: Row | undefined;
  await rateOf('bcrypt');
  for (const { name } of FAMILIES) {
    let best: Row | undefined;
    for (let attempt = 1; attempt <= ATTEMPTS && !best?.met; attempt += 1) {
      const [limit, rate] = [await rateOf('bcrypt'), await rateOf(name)];
      if (best === undefined || rate / limit > best.ratio) best = rowOf(name, rate, limit);
    }
    if (best === undefined) continue;
    if (!best.met) slow.push(best);
    if (worst === undefined || best.ratio < worst.ratio) worst = best;
  }
  await service.stop();
  await admin.drop('dialects');
  console.log(`dialects: ${FAMILIES.length} measured, ${slow.length} below ${AIM} of bcrypt`);
  return slow.length > 0 || worst === undefined ? slow : [worst];
}

const rowOf = (name: string, rate: number, limit: number): Row => ({
  what: `lines of ${name}, dry run`,
  measured: perSecond(rate),
  limit: `lines of bcrypt: ${perSecond(limit)}`,
  ratio: rate / limit,
  aim: `≥ ${AIM}`,
  met: rate / limit >= AIM,
});

async function writeLines(
  file: string,
  name: string,
  { hash, params }: Vector,
  secrets: { id: string; algorithms: string[]; secret: string }[],
): Promise<void> {
  const hashingSecretId = params?.secret === undefined ? undefined : `of-${name}`;
  if (hashingSecretId !== undefined)
    secrets.push({ id: hashingSecretId, algorithms: [name], secret: params?.secret ?? '' });
  const out = createWriteStream(file);
  for (let line = 1; line <= LINES; line += 1) {
    const user = {
      email: `user-${line}@example.com`,
      passwordHash: hash,
      hashingAlgorithm: name,
      hashingSecretId,
    };
    if (!out.write(`${JSON.stringify(user)}\n`))
      await new Promise<void>((resolve) => out.once('drain', resolve));
  }
  out.end();
  await finished(out);
}
