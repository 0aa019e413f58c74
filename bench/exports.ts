import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, openSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Admin, send, startCompiled } from './bulk-support.ts';
import { EXPORT_FILES, type ExportFile, writeExport } from './export-files.ts';
import { API_KEY } from './fixtures.ts';
import { median, perSecond, type Row } from './report.ts';

/** Number of users to convert and import (`BENCH_USERS`), and to measure memory with (`BENCH_MANY`). */
const USERS = Number(process.env.BENCH_USERS ?? 1_000_000);
const MANY = Number(process.env.BENCH_MANY ?? 5_000_000);
const FEW = 50_000;
const ROUNDS = 3;
const CONVERTED_AIM = 60_000;

const DIST = new URL('../dist/', import.meta.url);

interface Run {
  rate: number;
  /** Peak memory in bytes. */
  peak: number;
}

/**
 * Measures the command line with big exports: lines a second of `convert` beside the reader alone, its
 * memory, and `import` beside curl that sends the converted lines.
 */
export async function benchExports(uri: string, directory: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const one of EXPORT_FILES) {
    const path = join(directory, `users.${one.extension}`);
    await writeExport(path, one, USERS);
    rows.push(...(await benchConvert(one, path)));
    rows.push(await benchImport(one, path, new Admin(uri)));
    rows.push(await benchMemory(one, path));
    await rm(path);
  }
  return rows;
}

async function benchConvert(one: ExportFile, path: string): Promise<Row[]> {
  const rates = { convert: [] as number[], read: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    rates.read.push(await readAlone(path));
    rates.convert.push((await convert(one, path, '/dev/null', USERS)).rate);
  }
  const [rate, read] = [median(rates.convert), median(rates.read)];
  console.log(`${one.name}: convert ${perSecond(rate)}, reader alone ${perSecond(read)}`);
  return [
    {
      what: `convert, ${one.name}, ${USERS.toLocaleString('en')} users`,
      measured: perSecond(rate),
      limit: `reader alone: ${perSecond(read)}`,
      ratio: rate / read,
      aim: `≥ ${perSecond(CONVERTED_AIM)}`,
      met: rate >= CONVERTED_AIM,
    },
  ];
}

async function benchMemory(one: ExportFile, path: string): Promise<Row> {
  await writeExport(path, one, MANY);
  const many = await convert(one, path, '/dev/null', MANY);
  await writeExport(path, one, FEW);
  const few = await convert(one, path, '/dev/null', FEW);
  const ratio = many.peak / few.peak;
  return {
    what: `convert, ${one.name}, ${MANY.toLocaleString('en')} users, peak memory`,
    measured: mib(many.peak),
    limit: `${FEW.toLocaleString('en')} users: ${mib(few.peak)}`,
    ratio,
    aim: '≤ 1.20',
    met: ratio <= 1.2,
  };
}

async function benchImport(one: ExportFile, path: string, admin: Admin): Promise<Row> {
  const lines = `${path}.lines`;
  await convert(one, path, lines, USERS);
  const rates = { curl: [] as number[], cli: [] as number[] };
  for (let round = 1; round <= ROUNDS; round += 1) {
    rates.curl.push(
      await intoNewDatabase(admin, async (url) => {
        const sent = await send(url, lines);
        return sent.lines / sent.seconds;
      }),
    );
    const args = ['import', path, '--yes', '--quiet', ...flagsOf(one)];
    rates.cli.push(
      await intoNewDatabase(
        admin,
        async (url) => (await run([...args, '--url', url], '/dev/null', USERS)).rate,
      ),
    );
  }
  await rm(lines);
  const [cli, curl] = [median(rates.cli), median(rates.curl)];
  console.log(`${one.name}: import ${perSecond(cli)}, curl of its lines ${perSecond(curl)}`);
  return {
    what: `import, ${one.name}, ${USERS.toLocaleString('en')} users`,
    measured: perSecond(cli),
    limit: `curl of its lines: ${perSecond(curl)}`,
    ratio: cli / curl,
    aim: '≥ 0.70',
    met: cli / curl >= 0.7,
  };
}

async function intoNewDatabase(admin: Admin, measure: (url: string) => Promise<number>): Promise<number> {
  await admin.create('exports');
  const service = await startCompiled(admin.uri('exports'));
  try {
    return await measure(service.url);
  } finally {
    await service.stop();
    await admin.drop('exports');
  }
}

const flagsOf = ({ source, settings = {}, flags = [] }: ExportFile): string[] => [
  ...['--from', source, ...flags],
  ...Object.entries(settings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
];

const convert = (one: ExportFile, path: string, output: string, users: number): Promise<Run> =>
  run(['convert', path, '--quiet', ...flagsOf(one)], output, users);

/** Runs the compiled command line. The time includes its start. */
async function run(args: readonly string[], output: string, users: number): Promise<Run> {
  const start = performance.now();
  const child = spawn(process.execPath, [new URL('cli.js', DIST).pathname, ...args], {
    stdio: ['ignore', openSync(output, 'w'), 'inherit'],
    env: { ...process.env, USER_IMPORT_API_KEY: API_KEY },
  });
  let peak = 0;
  const poll = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(poll);
  if (code !== 0) throw new Error(`user-import ${args[0]} ended with ${code}`);
  return { rate: (users * 1000) / (performance.now() - start), peak };
}

/** Returns the peak memory of a process. Linux only. */
function peakOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Returns the records a second of the reader alone. */
async function readAlone(path: string): Promise<number> {
  const { openContainer }: typeof import('../src/sources/containers/open-container.ts') = await import(
    new URL('sources/containers/open-container.js', DIST).href
  );
  const start = performance.now();
  const open = () => createReadStream(path, { highWaterMark: 256 * 1024 });
  const container = await openContainer({ name: path, open }, {});
  let records = 0;
  for await (const batch of container.read(() => true)) records += batch.records.length;
  return (records * 1000) / (performance.now() - start);
}

const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
