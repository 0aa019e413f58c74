import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postgresAccount, spawnOptions } from '../../src/embedded-postgres/account.ts';
import { freePort } from '../../src/lib/async/free-port.ts';
import { until } from '../../src/lib/async/until.ts';
import { replaceEach } from './replace-each.ts';

const EXAMPLE = new URL('../../docker/haproxy.cfg', import.meta.url);

export type Triple<T> = [T, T, T];

export interface ServerState {
  isUp: boolean;
  /** Requests in progress. */
  requests: number;
}

/** HAProxy in front of three instances, configured as in docker/haproxy.cfg. */
export class HaProxy {
  readonly #process: ChildProcess;
  readonly #directory: string;
  readonly url: string;

  private constructor(process: ChildProcess, directory: string, port: number) {
    this.#process = process;
    this.#directory = directory;
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * @param instances addresses of the three instances
   * @param onLog receives each log line
   */
  static async start(
    program: string,
    instances: Triple<AddressInfo>,
    onLog?: (text: string) => void,
  ): Promise<HaProxy> {
    const directory = await mkdtemp(join(tmpdir(), 'uic-haproxy-'));
    const [port, file] = [await freePort(), join(directory, 'haproxy.cfg')];
    const addresses = instances.map((at, index) => [
      ` instance-${index + 1}:3567`,
      ` ${at.address}:${at.port}`,
    ]);
    const text = replaceEach(await readFile(EXAMPLE, 'utf8'), {
      '  bind 127.0.0.1:3567\n': `  bind 127.0.0.1:${port}\n`,
      '\nglobal\n': `\nglobal\n  stats socket ${socketIn(directory)}\n`,
      ...Object.fromEntries(addresses),
    });
    await writeFile(file, text);
    const account = await postgresAccount();
    if (account) await chown(directory, account.uid, account.gid);
    await chmod(directory, 0o755);
    // Logging every request to standard output would be a load of its own.
    const child = spawn(program, ['-db', '-f', file], {
      ...spawnOptions(account),
      stdio: ['ignore', onLog ? 'pipe' : 'ignore', 'pipe'],
    });
    child.stdout?.setEncoding('utf8').on('data', onLog ?? (() => {}));
    let said = '';
    child.stderr?.on('data', (text) => {
      said += text;
    });
    const proxy = new HaProxy(child, directory, port);
    const begins = async () => child.exitCode !== null || (await proxy.states().catch(() => [])).length > 0;
    if ((await until(begins, 10_000)) && child.exitCode === null) return proxy;
    await proxy.stop();
    throw new Error(`HAProxy does not start:\n${said}`);
  }

  /** Returns what HAProxy reports about the instances, in their order. */
  async states(): Promise<ServerState[]> {
    const [head = '', ...lines] = (await this.#ask('show stat')).replace(/^# /, '').trim().split('\n');
    const names = head.split(',');
    const rows = lines.map((line) => line.split(','));
    const cell = (row: readonly string[], name: string) => row[names.indexOf(name)] ?? '';
    return rows
      .filter((row) => cell(row, 'svname').startsWith('instance-'))
      .map((row) => ({
        // `UP 1/2` means that one check failed.
        isUp: cell(row, 'status').startsWith('UP'),
        requests: Number(cell(row, 'scur')),
      }));
  }

  async #ask(command: string): Promise<string> {
    const socket = connect(socketIn(this.#directory)).setEncoding('utf8');
    let answer = '';
    socket.on('data', (text) => {
      answer += text;
    });
    await once(socket, 'connect');
    socket.write(`${command}\n`);
    await once(socket, 'close');
    return answer;
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGTERM');
    if (this.#process.exitCode === null && this.#process.signalCode === null)
      await once(this.#process, 'exit');
    await rm(this.#directory, { recursive: true });
  }
}

const socketIn = (directory: string) => join(directory, 'admin.sock');
