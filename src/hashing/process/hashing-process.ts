import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { shuttingDown } from '../kdf-gate.ts';
import type { PasswordHash } from '../verifier.ts';
import type { HashingReply, HashingRequest, HashingResult, HashingSetup } from './hashing-messages.ts';
import { EXEC_ARGV, siblingOf } from './source-entry.ts';
import type { TimedVerification } from './timed-verify.ts';

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
  resolve(result: HashingResult): void;
  reject(error: Error): void;
}

/**
 * Computes hashes in a separate process, which is started when it is first needed. Unlike a thread, a process
 * can be killed: computations can be cancelled, do not delay the exit of the service, and do not take it down
 * if a hash library crashes (docs/adr/0013-hashing-process.md).
 */
export class HashingProcess {
  readonly #setup: HashingSetup;
  readonly #threads: number;
  readonly #idleMs: number;
  readonly #patienceMs: number;
  readonly #atOnce: number;
  readonly #inBackground: boolean;
  readonly #waiting: Call[] = [];
  readonly #calls = new Map<number, Call>();
  #child: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  /**
   * @param options `threads`: number of hashes that libuv computes at once. `atOnce`: maximum number of
   * unanswered calls, which a crash would fail. `inBackground`: whether to run at the lowest priority.
   */
  constructor(
    setup: HashingSetup,
    options: { threads: number; idleMs?: number; patienceMs?: number; atOnce?: number; inBackground?: true },
  ) {
    this.#setup = setup;
    this.#threads = options.threads;
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#patienceMs = options.patienceMs ?? PATIENCE_MS + SLOWEST * setup.limits.maxMs;
    this.#atOnce = options.atOnce ?? Number.POSITIVE_INFINITY;
    this.#inBackground = options.inBackground ?? false;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws {Error} what the verifier throws, or if the process ends before it has answered */
  async verify(hash: PasswordHash, password: Uint8Array): Promise<TimedVerification> {
    const result = await this.#call({ hash, password });
    if (!('verified' in result)) throw new Error('the hashing process answered something else');
    return result.verified;
  }

  async hash(password: Uint8Array, algorithm = this.#setup.newHashes.algorithm): Promise<PasswordHash> {
    const result = await this.#call({ password, algorithm });
    if (!('made' in result)) throw new Error('the hashing process answered something else');
    return result.made;
  }

  /** Kills the hashing process for good. Calls without an answer, and later ones, fail with SHUTTING_DOWN. */
  stop(): void {
    this.#isStopped = true;
    this.#end(shuttingDown());
  }

  #call(request: Omit<HashingRequest, 'id'>): Promise<HashingResult> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw shuttingDown();
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    while (this.#calls.size < this.#atOnce) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      try {
        this.#send(call);
      } catch (error) {
        // The hashing process could not be started. The error must not be thrown, because after a reply or a
        // lost process nobody would catch it.
        call.reject(error instanceof Error ? error : new Error('no hashing process'));
      }
    }
  }

  #send(call: Call): void {
    const child = this.#child ?? this.#start();
    const id = ++this.#lastId;
    this.#calls.set(id, call);
    call.timer = setTimeout(() => {
      if (this.#child === child) this.#end(new Error('the hashing process does not answer'));
    }, this.#patienceMs).unref();
    this.#hold(child);
    this.#tell(child, { id, ...call.request } satisfies HashingRequest);
  }

  #start(): ChildProcess {
    const child = fork(siblingOf('hashing-child'), {
      execArgv: EXEC_ARGV,
      serialization: 'advanced',
      // The hashing process gets neither the environment, which holds secrets, nor the standard output, which
      // is a log.
      env: { UV_THREADPOOL_SIZE: String(this.#threads) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A detached process has a session of its own, whose priority can be lowered.
      detached: this.#inBackground,
    });
    this.#child = child;
    const lost = (why: string) => {
      if (this.#child === child) this.#end(new Error(`the hashing process is lost: ${why}`));
    };
    child.on('error', ({ message }) => lost(message));
    child.on('exit', (code, signal) => lost(`it ended with ${signal ?? code}`));
    child.on('disconnect', () => lost('it hung up'));
    child.on('message', (message) => this.#onReply(child, message as HashingReply));
    if (this.#inBackground) lowestPriority(child);
    else lowerPriority(child, constants.priority.PRIORITY_BELOW_NORMAL);
    this.#tell(child, this.#setup);
    return child;
  }

  #tell(child: ChildProcess, message: HashingSetup | HashingRequest): void {
    child.send(message, (error) => {
      if (error !== null && this.#child === child) {
        this.#end(new Error(`the hashing process is lost: ${error.message}`));
      }
    });
  }

  #onReply(child: ChildProcess, reply: HashingReply): void {
    const call = this.#calls.get(reply.id);
    if (this.#child !== child || call === undefined) return;
    this.#calls.delete(reply.id);
    clearTimeout(call.timer);
    if ('error' in reply) call.reject(new Error(reply.error));
    else call.resolve(reply);
    this.#next();
    if (this.#calls.size === 0) this.#release(child);
  }

  #hold(child: ChildProcess): void {
    clearTimeout(this.#idleTimer);
    child.ref();
    child.channel?.ref();
  }

  #release(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#idleTimer = setTimeout(() => this.#end(new Error('idle')), this.#idleMs).unref();
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

/** Linux has a priority for each thread. Threads that the main thread starts later inherit its priority. */
function lowerPriority({ pid }: ChildProcess, priority: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priority);
    // On a busy machine the process may already have started threads.
    for (const thread of threadsOf(pid)) setPriority(thread, priority);
  } catch {
    // Setting the priority is not permitted.
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/**
 * Linux may distribute cores among sessions first (sched_autogroup_enabled). The priority of a process then
 * counts only within its session, so the session gets a low priority, too. The database runs in another
 * session.
 */
function lowestPriority(child: ChildProcess): void {
  lowerPriority(child, constants.priority.PRIORITY_LOW);
  try {
    writeFileSync(`/proc/${child.pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // Some systems have no autogroups.
  }
}
