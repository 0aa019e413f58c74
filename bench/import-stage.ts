import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../src/embedded-postgres/start-embedded-postgres.ts';
import { freePort } from '../src/lib/async/free-port.ts';
import { rowsOf } from '../test/support/rows-of.ts';
import { portOf, TcpProxy } from '../test/support/tcp-proxy.ts';
import { startCompiledService } from './compiled.ts';
import { API_KEY, SIGNER_KEY } from './fixtures.ts';
import { killPostmaster } from './kill-postmaster.ts';

const CLI = join(import.meta.dirname, '../dist/cli.js');

export interface Ended {
  /** Null if a signal ended the process. */
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  ms: number;
}

/** A run of the compiled tool. */
export class ToolRun {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stderr = '';
  isOver = false;

  constructor(args: readonly string[], options: { cwd: string; key?: string; env?: Record<string, string> }) {
    const startedAt = performance.now();
    let stdout = '';
    this.child = spawn(process.execPath, [CLI, ...args], {
      cwd: options.cwd,
      env: { PATH: process.env.PATH, USER_IMPORT_API_KEY: options.key ?? API_KEY, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (text) => {
      stdout += text;
    });
    this.child.stderr?.on('data', (text) => {
      this.stderr += text;
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      this.isOver = true;
      return { code, signal, stdout, stderr: this.stderr, ms: performance.now() - startedAt };
    });
  }
}

/** A service on its own database server. Either can be killed and started again. */
export class ImportStage {
  readonly #directory: string;
  #postgres: EmbeddedPostgres;
  readonly #proxy: TcpProxy;
  #service: ChildProcess | undefined;
  #database = '';
  readonly port: number;

  private constructor(directory: string, postgres: EmbeddedPostgres, proxy: TcpProxy, port: number) {
    this.#directory = directory;
    this.#postgres = postgres;
    this.#proxy = proxy;
    this.port = port;
  }

  static async open(directory: string): Promise<ImportStage> {
    const postgres = await startEmbeddedPostgres({ directory });
    const proxy = await TcpProxy.listen(portOf(postgres.uri));
    return new ImportStage(directory, postgres, proxy, await freePort());
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get databaseUri(): string {
    const uri = new URL(this.#postgres.uri);
    uri.pathname = this.#database;
    return uri.href;
  }

  get servicePid(): number {
    return this.#service?.pid ?? 0;
  }

  /** Restarts the service on an empty database, or on a copy of another one, which is kept. */
  async reset(database: string, template = ''): Promise<void> {
    await this.killService();
    if (![template, ''].includes(this.#database))
      await this.#admin(`drop database ${this.#database} with (force)`);
    await this.#admin(`create database ${database} ${template && `template ${template}`}`);
    this.#database = database;
    await this.startService();
  }

  async startService(env: Record<string, string> = {}): Promise<void> {
    const uri = new URL(this.#postgres.uri);
    uri.port = String(this.#proxy.port);
    uri.pathname = this.#database;
    const { child } = await startCompiledService(
      {
        POSTGRESQL_CONNECTION_URI: uri.href,
        HOST: '127.0.0.1',
        PORT: String(this.port),
        API_KEYS: API_KEY,
        EXTERNAL_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY,
        ...env,
      },
      'ignore',
    );
    this.#service = child;
  }

  async killService(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#service;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  async killPostgres(): Promise<void> {
    await killPostmaster(join(this.#postgres.directory, 'data'));
    await this.#postgres.stop();
  }

  async startPostgres(): Promise<void> {
    this.#postgres = await startEmbeddedPostgres({ directory: this.#directory });
    this.#proxy.target = portOf(this.#postgres.uri);
  }

  async query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    return rowsOf<Row>(this.databaseUri, sql);
  }

  /** Returns the answer of the service. */
  async get(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(this.url + path, { headers: { 'api-key': API_KEY } });
    return (await response.json()) as Record<string, unknown>;
  }

  async close(): Promise<void> {
    await this.killService();
    await this.#proxy.close();
    await this.#postgres.stop();
    // The server may have chosen another directory.
    await rm(this.#postgres.directory, { recursive: true, force: true });
  }

  async #admin(sql: string): Promise<void> {
    await rowsOf(this.#postgres.uri, sql);
  }
}
