import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freePort } from '../lib/async/free-port.ts';
import { retry, until } from '../lib/async/until.ts';
import { hasErrno, unlessErrno } from '../lib/errors.ts';
import { type Account, spawnOptions } from './account.ts';
import { processCommand } from './owner.ts';

const START_ATTEMPTS = 5;
const READY_TIMEOUT_MS = 60_000;
const SHUTDOWN_TIMEOUT_MS = 10_000;
/**
 * Time for PostgreSQL to end after each signal, once the deadline has passed. The next start stops a process that is
 * left.
 */
const CUT_SHORT_MS = 140;
const LOG_TAIL_LINES = 20;

export interface Postmaster {
  readonly port: number;
  /** Stops PostgreSQL in the mode `fast`, and then `immediate` if that takes too long or the deadline has passed. */
  stop(deadline?: AbortSignal): Promise<void>;
  /** Resolves with a message if PostgreSQL ends without having been stopped. */
  readonly death: Promise<string>;
}

interface StartOptions {
  postgres: string;
  data: string;
  account: Account | undefined;
  settings: Record<string, string>;
  logFile: string;
}

/**
 * Starts PostgreSQL, and waits until it accepts connections. It runs in a session of its own, so that Ctrl-C reaches
 * only the service, which stops PostgreSQL after its last request. The start is repeated, because its failure may be
 * temporary: another program took the port, or old backends still run.
 * @throws {Error} with the end of the log, if PostgreSQL does not start
 */
export const startPostmaster = (options: StartOptions): Promise<Postmaster> =>
  retry(
    () => startOnce(options),
    (_, attempt) => (attempt < START_ATTEMPTS ? 50 * 2 ** attempt : undefined),
  );

async function startOnce(options: StartOptions): Promise<Postmaster> {
  const port = await freePort();
  const child = await spawnPostgres(options, port);
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  let isStopping = false;
  const stop = (deadline?: AbortSignal) => {
    isStopping = true;
    return shutDown(child.pid, ended, deadline);
  };
  const withLog = async (what: string) =>
    `PostgreSQL ${what}, ${options.logFile} ends with:\n${await tail(options.logFile)}`;
  const death = new Promise<string>((resolve) => {
    child.once('exit', async (code, signal) => {
      if (!isStopping)
        resolve(await withLog(`has ended ${signal ? `by ${signal}` : `with exit code ${code}`}`));
    });
  });
  const ready = () => isReady(options.data, child.pid, port);
  await until(async () => ended() || (await ready()), READY_TIMEOUT_MS);
  if (!ended() && (await ready())) return { port, stop, death };
  await stop();
  throw new Error(await withLog('did not start'));
}

/** Stops a PostgreSQL that a killed owner left running, or makes its pid file harmless for the next start. */
export async function clearPostmaster(data: string): Promise<void> {
  const [first, ...rest] = await readPidFile(data);
  if (first === undefined) return;
  const pid = Number(first);
  const command = await processCommand(pid);
  if (command?.includes(`postgres -D ${data} `)) {
    await shutDown(pid, async () => (await processCommand(pid)) !== command);
    return;
  }
  // PostgreSQL refuses to start while any process has the id in its pid file, except its own parent (CreateLockFile in
  // miscinit.c). So the id of this process, the parent, is written into the file. The file must not be removed: it
  // contains the key of the shared memory, by which PostgreSQL finds backends that outlived their postmaster. Links are
  // not followed, because this process may be root in a directory of another user.
  const flag = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;
  await writeFile(join(data, 'postmaster.pid'), [process.pid, ...rest].join('\n'), { flag });
}

async function spawnPostgres(
  { postgres, data, account, settings, logFile }: StartOptions,
  port: number,
): Promise<ChildProcess> {
  const all = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    port: String(port),
    max_connections: '100',
    // Errors of SQL statements go to the client. In the log they would contain e-mails and hashes.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    ...settings,
  };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(postgres, ['-D', data, ...args], {
      ...spawnOptions(account),
      cwd: dirname(data),
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await once(child, 'spawn');
    child.unref();
    // Stops PostgreSQL if this process exits without calling stop(), such as after an uncaught exception.
    const stopAtExit = () => child.kill('SIGINT');
    process.once('exit', stopAtExit);
    child.once('exit', () => process.off('exit', stopAtExit));
    return child;
  } finally {
    await log.close();
  }
}

async function shutDown(
  pid: number | undefined,
  gone: () => boolean | Promise<boolean>,
  deadline?: AbortSignal,
): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    if (pid === undefined || (await gone())) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!hasErrno(error, 'ESRCH')) throw error;
    }
    const isOver = () => deadline?.aborted === true;
    await until(async () => isOver() || (await gone()), SHUTDOWN_TIMEOUT_MS);
    if (await until(gone, isOver() ? CUT_SHORT_MS : 0)) return;
  }
  throw new Error(`PostgreSQL (process ${pid}) does not stop`);
}

/** Like pg_ctl, reads the pid file: the postmaster writes its id, its port and finally `ready`. */
async function isReady(data: string, pid: number | undefined, port: number): Promise<boolean> {
  const lines = await readPidFile(data);
  return lines[0] === String(pid) && lines[3] === String(port) && lines[7]?.trim() === 'ready';
}

async function readPidFile(data: string): Promise<string[]> {
  const text = await unlessErrno(readFile(join(data, 'postmaster.pid'), 'utf8'), undefined, 'ENOENT');
  return text?.split('\n') ?? [];
}

async function tail(file: string): Promise<string> {
  return (await readFile(file, 'utf8')).trimEnd().split('\n').slice(-LOG_TAIL_LINES).join('\n');
}
