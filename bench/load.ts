import { execFile, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { API_KEY } from './fixtures.ts';

const run = promisify(execFile);

export interface RunningServer {
  url: string;
  stop(): Promise<void>;
}

/** Starts bench/server.ts and waits until it listens. */
export const startServer = (variant: string, uri: string) => startScript('server.ts', variant, uri);

/** Starts a script that prints its URL to stderr when it listens. */
export async function startScript(script: string, ...args: string[]): Promise<RunningServer> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'warn' },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stderr });
  for await (const line of lines) {
    if (line.startsWith('http://')) {
      child.stderr.resume();
      return {
        url: line,
        stop: async () => {
          child.kill('SIGKILL');
          await exited;
        },
      };
    }
    process.stderr.write(`${line}\n`);
  }
  throw new Error(`${script} ${args[0]} did not start`);
}

export interface LoadResult {
  /** Requests answered with 200, a second. */
  rate: number;
  p99Ms: number;
}

export interface Load {
  url: string;
  connections: number;
  seconds: number;
  /** A Lua script, which must define `request`. */
  script: string;
  directory: string;
}

/**
 * Runs wrk once.
 * @throws {Error} if any response was not 200
 */
export async function load({ url, connections, seconds, script, directory }: Load): Promise<LoadResult> {
  const file = join(directory, `wrk-${Math.random().toString(36).slice(2)}.lua`);
  writeFileSync(file, `${script}\n${REPORT}`);
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '30s',
    '-s',
    file,
    url,
  ]).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? new Error('the benchmarks need wrk (Debian: apt-get install wrk)')
      : error;
  });
  const report = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (report === undefined) throw new Error(`wrk said:\n${stdout}`);
  const { rate, p99Ms, failed }: LoadResult & { failed: number } = JSON.parse(report);
  if (failed > 0) throw new Error(`${failed} requests failed:\n${stdout}`);
  return { rate, p99Ms };
}

const REPORT = `
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format('RESULT {"rate":%f,"p99Ms":%f,"failed":%d}\\n',
    summary.requests / (summary.duration / 1e6), latency:percentile(99) / 1000,
    e.connect + e.read + e.write + e.status + e.timeout))
end`;

/** Returns a Lua script that posts a JSON body. `body` is a Lua expression, in which `n` counts requests. */
export function postScript(path: string, body: string): string {
  return `
local n = 0
math.randomseed(os.time())
local run = os.time() .. '-' .. math.random(1, 1000000000)
local headers = { ['content-type'] = 'application/json', ['api-key'] = '${API_KEY}' }
request = function()
  n = n + 1
  return wrk.format('POST', '${path}', headers, ${body})
end`;
}

export async function post(url: string, path: string, body: unknown): Promise<void> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': API_KEY },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
