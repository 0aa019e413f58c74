import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { shuttingDown } from '../kdf-gate.ts';
import type { PasswordHash } from '../verifier.ts';
import type { HashingReply, HashingRequest, HashingSetup, TimedVerification } from './hashing-work.ts';

/** Milliseconds without a call after which a hashing process is ended. It holds about 27 MiB of its own. */
const IDLE_MS = 60_000;

/**
 * Milliseconds, plus SLOWEST times the longest permitted verification, after which a hashing process that
 * does not answer counts as stuck and is killed.
 */
const PATIENCE_MS = 10_000;
const SLOWEST = 10;

/**
 * Directory of the compiled code. Tests state it in the environment, because a process that loads the TypeScript
 * sources takes a second of CPU longer to start.
 */
const COMPILED = import.meta.url.endsWith('.ts') ? process.env.COMPILED_HASHING_PROCESS : import.meta.dirname;
const ENTRY = COMPILED ? join(COMPILED, 'hashing-child.js') : join(import.meta.dirname, 'hashing-child.ts');
const EXEC_ARGV = COMPILED ? [] : ['--import', 'tsx'];

interface Call {
  request: HashingRequest;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** A process, with the call that it computes, and the timer that ends it if it is idle or stuck. */
interface Member {
  child: ChildProcess;
  call?: Call | undefined;
  timer?: NodeJS.Timeout;
}

export interface HashingProcessesOptions {
  /** Maximum number of processes, and so of calls that are computed at once. */
  atMost: number;
  /** Replaces IDLE_MS in tests. */
  idleMs?: number;
  /** Replaces the time that PATIENCE_MS and SLOWEST give, in tests. */
  patienceMs?: number;
  /** Whether to run at the lowest priority. */
  inBackground?: true;
}

/**
 * Computes hashes in other processes, which are started when they are needed and have one call at a time. Unlike a
 * thread, a process can be killed: computations can be cancelled, do not delay the exit of the service, and fail
 * only one call if a hash library crashes (docs/adr/0013-hashing-process.md).
 */
export class HashingProcesses {
  readonly #setup: HashingSetup;
  readonly #options: HashingProcessesOptions;
  readonly #waiting: Call[] = [];
  readonly #members = new Set<Member>();
  #isStopped = false;

  constructor(setup: HashingSetup, options: HashingProcessesOptions) {
    this.#setup = setup;
    this.#options = options;
  }

  get pids(): (number | undefined)[] {
    return [...this.#members].map(({ child }) => child.pid);
  }

  /** @throws {Error} the error of the verifier, or one that says that the process ended before it had answered */
  verify(hash: PasswordHash, password: Uint8Array): Promise<TimedVerification> {
    return this.#call({ hash, password });
  }

  hash(password: Uint8Array, algorithm = this.#setup.newHashes.algorithm): Promise<PasswordHash> {
    return this.#call({ password, algorithm });
  }

  /** Kills the processes for good. Calls without an answer, and later ones, fail with SHUTTING_DOWN. */
  stop(): void {
    this.#isStopped = true;
    for (const { reject } of this.#waiting.splice(0)) reject(shuttingDown());
    for (const member of this.#members) this.#end(member, shuttingDown());
  }

  #call<Result>(request: HashingRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#isStopped) throw shuttingDown();
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  /** Sends waiting calls to idle processes, the oldest first, so that the others are ended after an idle time. */
  #next(): void {
    while (this.#waiting.length > 0) {
      const idle = [...this.#members].find(({ call }) => call === undefined);
      if (idle === undefined && this.#members.size >= this.#options.atMost) return;
      const call = this.#waiting.shift() as Call;
      try {
        this.#send(idle ?? this.#start(), call);
      } catch (error) {
        // The process could not be started. The error must not be thrown, because after a reply or a lost
        // process nobody would catch it.
        call.reject(error);
      }
    }
  }

  #send(member: Member, call: Call): void {
    const { child } = member;
    const patienceMs = this.#options.patienceMs ?? PATIENCE_MS + SLOWEST * this.#setup.limits.maxMs;
    member.call = call;
    this.#endAfter(member, patienceMs, 'does not answer');
    child.ref();
    child.channel?.ref();
    this.#tell(member, call.request);
  }

  #start(): Member {
    const { inBackground = false } = this.#options;
    const child = fork(ENTRY, {
      execArgv: EXEC_ARGV,
      // This is the directory of the file, because the working directory may have been removed, and threads would then
      // not start.
      cwd: import.meta.dirname,
      serialization: 'advanced',
      // The process gets neither the environment, which holds secrets, nor the standard output, which is a log.
      env: { UV_THREADPOOL_SIZE: '1' },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // A detached process has a session of its own, whose priority can be lowered.
      detached: inBackground,
    });
    const member: Member = { child };
    this.#members.add(member);
    child.on('error', ({ message }) => this.#lose(member, `is lost: ${message}`));
    child.on('exit', (code, signal) => this.#lose(member, `is lost: it ended with ${signal ?? code}`));
    child.on('disconnect', () => this.#lose(member, 'is lost: it hung up'));
    child.on('message', (reply) => this.#onReply(member, reply as HashingReply));
    lowerPriority(child, inBackground);
    this.#tell(member, this.#setup);
    return member;
  }

  #tell(member: Member, message: HashingSetup | HashingRequest): void {
    member.child.send(message, (error) => {
      if (error !== null) this.#lose(member, `is lost: ${error.message}`);
    });
  }

  #endAfter(member: Member, ms: number, why: string): void {
    clearTimeout(member.timer);
    member.timer = setTimeout(() => this.#lose(member, why), ms).unref();
  }

  #onReply(member: Member, reply: HashingReply): void {
    const { child, call } = member;
    if (!this.#members.has(member) || call === undefined) return;
    member.call = undefined;
    this.#endAfter(member, this.#options.idleMs ?? IDLE_MS, 'is idle');
    child.unref();
    child.channel?.unref();
    if ('error' in reply) call.reject(new Error(reply.error));
    else call.resolve(reply.result);
    this.#next();
  }

  #lose(member: Member, why: string): void {
    this.#end(member, new Error(`the hashing process ${why}`));
  }

  #end(member: Member, why: Error): void {
    if (!this.#members.delete(member)) return;
    const { child, call, timer } = member;
    clearTimeout(timer);
    child.kill('SIGKILL');
    child.unref();
    child.channel?.unref();
    call?.reject(why);
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

/**
 * Makes a change, and ignores its failure: setting a priority may not be permitted, and some systems have neither /proc
 * nor autogroups.
 */
function unlessDenied(change: () => void): void {
  try {
    change();
  } catch {
    // The process keeps its priority.
  }
}
