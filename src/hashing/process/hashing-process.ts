import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { shuttingDown } from '../kdf-gate.ts';
import type { PasswordHash } from '../verifier.ts';
import type { HashingReply, HashingRequest, HashingSetup, TimedVerification } from './hashing-work.ts';
import { EXEC_ARGV, siblingOf } from './source-entry.ts';

/** Milliseconds without a call after which the hashing process is ended. It holds about 50 MiB. */
const IDLE_MS = 60_000;

/**
 * Milliseconds, plus SLOWEST times the longest permitted verification, after which a hashing process that
 * does not answer counts as stuck and is killed.
 */
const PATIENCE_MS = 10_000;
const SLOWEST = 10;

interface Call {
  timer?: NodeJS.Timeout;
  request: Omit<HashingRequest, 'id'>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface HashingProcessOptions {
  /** Number of hashes that libuv computes at once. */
  threads: number;
  /** Replaces IDLE_MS in tests. */
  idleMs?: number;
  /** Replaces the time that PATIENCE_MS and SLOWEST give, in tests. */
  patienceMs?: number;
  /** Maximum number of unanswered calls, which a crash would fail. */
  atOnce?: number;
  /** Whether to run at the lowest priority. */
  inBackground?: true;
}

/**
 * Computes hashes in a separate process, which is started when it is first needed. Unlike a thread, a process
 * can be killed: computations can be cancelled, do not delay the exit of the service, and do not take it down
 * if a hash library crashes (docs/adr/0013-hashing-process.md).
 */
export class HashingProcess {
  readonly #setup: HashingSetup;
  readonly #options: HashingProcessOptions;
  readonly #waiting: Call[] = [];
  readonly #calls = new Map<number, Call>();
  #child: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  constructor(setup: HashingSetup, options: HashingProcessOptions) {
    this.#setup = setup;
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws {Error} what the verifier throws, or if the process ends before it has answered */
  verify(hash: PasswordHash, password: Uint8Array): Promise<TimedVerification> {
    return this.#call({ hash, password });
  }

  hash(password: Uint8Array, algorithm = this.#setup.newHashes.algorithm): Promise<PasswordHash> {
    return this.#call({ password, algorithm });
  }

  /** Kills the hashing process for good. Calls without an answer, and later ones, fail with SHUTTING_DOWN. */
  stop(): void {
    this.#isStopped = true;
    this.#end(shuttingDown());
  }

  #call<Result>(request: Omit<HashingRequest, 'id'>): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw shuttingDown();
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#calls.size < (this.#options.atOnce ?? Number.POSITIVE_INFINITY)) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      try {
        this.#send(call);
      } catch (error) {
        // The hashing process could not be started. The error must not be thrown, because after a reply or a
        // lost process nobody would catch it.
        call.reject(error);
      }
    }
  }

  #send(call: Call): void {
    const child = this.#child ?? this.#start();
    const id = ++this.#lastId;
    const patienceMs = this.#options.patienceMs ?? PATIENCE_MS + SLOWEST * this.#setup.limits.maxMs;
    this.#calls.set(id, call);
    call.timer = setTimeout(() => this.#lose(child, 'does not answer'), patienceMs).unref();
    clearTimeout(this.#idleTimer);
    child.ref();
    child.channel?.ref();
    this.#tell(child, { id, ...call.request } satisfies HashingRequest);
  }

  #start(): ChildProcess {
    const { threads, inBackground = false } = this.#options;
    const child = fork(siblingOf('hashing-child'), {
      execArgv: EXEC_ARGV,
      // Its own folder: the working directory may have been removed, and threads then do not start.
      cwd: import.meta.dirname,
      serialization: 'advanced',
      // The hashing process gets neither the environment, which holds secrets, nor the standard output, which
      // is a log.
      env: { UV_THREADPOOL_SIZE: String(threads) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A detached process has a session of its own, whose priority can be lowered.
      detached: inBackground,
    });
    this.#child = child;
    child.on('error', ({ message }) => this.#lose(child, `is lost: ${message}`));
    child.on('exit', (code, signal) => this.#lose(child, `is lost: it ended with ${signal ?? code}`));
    child.on('disconnect', () => this.#lose(child, 'is lost: it hung up'));
    child.on('message', (message) => this.#onReply(child, message as HashingReply));
    lowerPriority(child, inBackground);
    this.#tell(child, this.#setup);
    return child;
  }

  #tell(child: ChildProcess, message: HashingSetup | HashingRequest): void {
    child.send(message, (error) => {
      if (error !== null) this.#lose(child, `is lost: ${error.message}`);
    });
  }

  #lose(child: ChildProcess, why: string): void {
    if (this.#child === child) this.#end(new Error(`the hashing process ${why}`));
  }

  #onReply(child: ChildProcess, reply: HashingReply): void {
    const call = this.#calls.get(reply.id);
    if (this.#child !== child || call === undefined) return;
    this.#calls.delete(reply.id);
    clearTimeout(call.timer);
    if ('error' in reply) call.reject(new Error(reply.error));
    else call.resolve(reply.result);
    this.#next();
    if (this.#calls.size > 0) return;
    child.unref();
    child.channel?.unref();
    this.#idleTimer = setTimeout(() => this.#end(new Error('idle')), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #end(why: Error): void {
    clearTimeout(this.#idleTimer);
    const child = this.#child;
    this.#child = undefined;
    if (child !== undefined) {
      child.kill('SIGKILL');
      child.unref();
      child.channel?.unref();
    }
    const calls = [...this.#calls.values(), ...(this.#isStopped ? this.#waiting.splice(0) : [])];
    this.#calls.clear();
    for (const { timer } of calls) clearTimeout(timer);
    for (const { reject } of calls) reject(why);
    this.#next();
  }
}

/**
 * Linux may distribute cores among sessions first (sched_autogroup_enabled). The priority of a process then
 * counts only within its session, so in the background the session gets a low priority, too. The database runs
 * in another session.
 */
function lowerPriority({ pid }: ChildProcess, inBackground: boolean): void {
  if (pid === undefined) return;
  const { PRIORITY_LOW, PRIORITY_BELOW_NORMAL } = constants.priority;
  const priority = inBackground ? PRIORITY_LOW : PRIORITY_BELOW_NORMAL;
  unlessDenied(() => setPriority(pid, priority));
  // Linux has a priority for each thread, and on a busy machine the process may already have started threads.
  // Later ones inherit the priority of the main thread.
  unlessDenied(() => {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), priority);
  });
  if (inBackground) unlessDenied(() => writeFileSync(`/proc/${pid}/autogroup`, String(priority)));
}

/** Setting a priority may be not permitted, and some systems have neither /proc nor autogroups. */
function unlessDenied(change: () => void): void {
  try {
    change();
  } catch {
    // The process keeps its priority.
  }
}
