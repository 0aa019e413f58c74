import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, inject, onTestFinished } from 'vitest';
import { until } from '../../src/lib/async/until.ts';
import { API_KEY } from './app.ts';
import { Client } from './client.ts';
import { useTestDatabase } from './database.ts';
import { startArguments } from './start-command.ts';

const PROJECT = join(import.meta.dirname, '../..');
/** For machines that do much else at the same time. */
const START_TIMEOUT_MS = 45_000;

/**
 * Copies the compiled service into a new directory, with the layout of an installation. The caller removes the
 * directory.
 */
export async function compileService(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'uic-compiled-'));
  await cp(join(inject('compiled').directory, 'dist'), join(directory, 'dist'), { recursive: true });
  await cp(join(PROJECT, 'package.json'), join(directory, 'package.json'));
  await cp(join(PROJECT, 'migrations'), join(directory, 'migrations'), { recursive: true });
  await symlink(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

/** The compiled service in a process of its own. */
export class ServiceProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';

  /**
   * `env` is the whole environment except PATH. The process has its own group, so that a test can send it
   * Ctrl-C. `command` runs in place of the launcher's.
   */
  constructor(
    compiled: string,
    env: Record<string, string>,
    {
      cwd = compiled,
      isOnTerminal = false,
      command = [process.execPath, ...startArguments(join(compiled, 'dist/main.js'))],
    }: { cwd?: string | undefined; isOnTerminal?: boolean; command?: string[] } = {},
  ) {
    const [program = '', ...args] = isOnTerminal
      ? ['script', '-qefc', `exec ${command.map((word) => `'${word}'`).join(' ')}`, '/dev/null']
      : command;
    this.child = spawn(program, args, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOST: '127.0.0.1', PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the service was not spawned');
    return this.child.pid;
  }

  get #ended(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  logged(message: string): Record<string, unknown>[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
  }

  /**
   * Resolves to the URL of the service.
   * @throws with its output if it exits or takes too long
   */
  async ready(): Promise<string> {
    await until(() => this.#ended || this.logged('ready').length > 0, START_TIMEOUT_MS);
    const [line] = this.logged('ready');
    if (line === undefined) throw new Error(`the service did not start:\n${this.stdout}\n${this.stderr}`);
    return String(line.url);
  }

  /** Resolves to the exit code, or null if a signal ended the process. All output has been read by then. */
  async ended(): Promise<number | null> {
    const closed = [this.child.stdout, this.child.stderr].every((stream) => stream?.closed);
    if (!closed || !this.#ended) await once(this.child, 'close');
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended();
  }
}

/** Starts service processes, and kills those still running after the tests. */
export class ServiceRunner {
  readonly #compiled = inject('compiled').directory;
  /** Working directory of the services. */
  readonly #directory = mkdtempSync(join(tmpdir(), 'uic-services-'));
  readonly #started: ServiceProcess[] = [];

  /** Path of the compiled command line. */
  get cli(): string {
    return join(this.#compiled, 'dist/cli.js');
  }

  start(env: Record<string, string>, cwd = this.#directory): ServiceProcess {
    return this.#keep(new ServiceProcess(this.#compiled, env, { cwd }));
  }

  /** Starts the service on a pseudo-terminal, which closes when this process is killed. */
  startOnTerminal(env: Record<string, string>): ServiceProcess {
    return this.#keep(new ServiceProcess(this.#compiled, env, { cwd: this.#directory, isOnTerminal: true }));
  }

  #keep(service: ServiceProcess): ServiceProcess {
    this.#started.push(service);
    return service;
  }

  startOn(uri: string, env: Record<string, string> = {}): ServiceProcess {
    return this.start({ POSTGRESQL_CONNECTION_URI: uri, API_KEYS: API_KEY, ...env });
  }

  /** Starts a service on a database of its own. Resolves when it is ready, with a client of this test. */
  async begin(env: Record<string, string> = {}, sockets = 4) {
    const { uri, db } = await useTestDatabase();
    const service = this.startOn(uri, env);
    const url = await service.ready();
    const client = new Client(url, sockets);
    onTestFinished(() => client.close());
    return { uri, db, service, url, client };
  }

  async close(): Promise<void> {
    await Promise.all(this.#started.map((service) => service.kill()));
    await rm(this.#directory, { recursive: true });
  }
}

/** Returns a runner for all tests of a file. */
export function useServices(): ServiceRunner {
  const services = new ServiceRunner();
  afterAll(() => services.close());
  return services;
}
