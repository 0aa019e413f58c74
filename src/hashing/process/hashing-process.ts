import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { shuttingDown } from '../kdf-gate.ts';
import type { PasswordHash } from '../verifier.ts';
import type { HashingReply, HashingRequest, HashingResult, HashingSetup } from './hashing-messages.ts';
import { EXEC_ARGV, siblingOf } from './source-entry.ts';
import type { TimedVerification } from './timed-verify.ts';

/** A process that is idle for so long is ended, as it holds some 50 MiB. */
const IDLE_MS = 60_000;

/**
 * A process that has not answered for so long, and so many times the longest that a hash may take by the reference, is stuck: it was
 * frozen, or a library hangs. It is ended, so that its callers, and those who wait for their places, do not wait for ever.
 */
const PATIENCE_MS = 10_000;
const SLOWEST = 10;

interface Call {
  /** Ends the process when it has not answered for too long. */
  timer?: NodeJS.Timeout;
  request: Omit<HashingRequest, 'id'>;
  resolve(result: HashingResult): void;
  reject(error: Error): void;
}

/**
 * Computes hashes in a process of its own, which is begun when it is first needed. A computation on a thread of this process
 * cannot be broken off, and an exit waits for it; another process can be killed. And when a hash library crashes, it takes
 * that process with it and not this one (docs/adr/0013-hashing-process.md).
 */
export class HashingProcess {
  readonly #setup: HashingSetup;
  readonly #threads: number;
  readonly #idleMs: number;
  readonly #patienceMs: number;
  readonly #atOnce: number;
  readonly #inBackground: boolean;
  /** Calls that the process has not got yet, as it has `atOnce` of them. */
  readonly #waiting: Call[] = [];
  /** The calls that the process at work has not answered. */
  readonly #calls = new Map<number, Call>();
  #child: ChildProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastId = 0;
  #isStopped = false;

  /**
   * @param options `threads`: how many hashes libuv computes at once; `atOnce`: how many it has in hand, so how many a crash hits;
   * `inBackground`: others go first, however long it takes then
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

  /** The id of the process at work, if there is one. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** @throws {Error} what the verifier throws, and when the process ends before it has answered */
  async verify(hash: PasswordHash, password: Uint8Array): Promise<TimedVerification> {
    const result = await this.#call({ hash, password });
    if (!('verified' in result)) throw new Error('the hashing process answered something else');
    return result.verified;
  }

  /** Makes a hash as `NewHashMaker.make` does, with this algorithm. @throws {Error} as `verify` */
  async hash(password: Uint8Array, algorithm = this.#setup.newHashes.algorithm): Promise<PasswordHash> {
    const result = await this.#call({ password, algorithm });
    if (!('made' in result)) throw new Error('the hashing process answered something else');
    return result.made;
  }

  /** Ends the process at once, whatever it computes, and begins no other. Callers get SHUTTING_DOWN. */
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

  /** Sends what waits, as long as the process may have more in hand. */
  #next(): void {
    while (this.#calls.size < this.#atOnce) {
      const call = this.#waiting.shift();
      if (call === undefined) return;
      try {
        this.#send(call);
      } catch (error) {
        // No process could be begun. Nobody else handles this where another call's answer or end led here.
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
      // It gets neither the environment of this process, which holds secrets, nor its output, which is a log.
      env: { UV_THREADPOOL_SIZE: String(this.#threads) },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A session of its own, which has a priority of its own.
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

  /** Keeps this process alive until the answer comes. */
  #hold(child: ChildProcess): void {
    clearTimeout(this.#idleTimer);
    child.ref();
    child.channel?.ref();
  }

  /** Lets this process end, as it waits for nothing, and ends the other one if that lasts. */
  #release(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    this.#idleTimer = setTimeout(() => this.#end(new Error('idle')), this.#idleMs).unref();
  }

  /** Forgets the process and lets its callers know why. */
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

/** Linux has a priority for each thread. The main one comes first: threads that it begins from then on have its priority. */
function lowerPriority({ pid }: ChildProcess, priority: number): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priority);
    // On a machine at its limits the process may have threads by now.
    for (const thread of threadsOf(pid)) setPriority(thread, priority);
  } catch {
    // Where that is not permitted, it computes as fast as all others.
  }
}

/** Empty where the system has no list of them. */
function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/**
 * Linux may share the cores out among sessions first (sched_autogroup_enabled): then the priority of a process counts among those of its
 * session only, and the one of the session among all. The database is in another session.
 */
function lowestPriority(child: ChildProcess): void {
  lowerPriority(child, constants.priority.PRIORITY_LOW);
  try {
    writeFileSync(`/proc/${child.pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // There is no such thing here.
  }
}
