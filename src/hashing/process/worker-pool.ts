import type { Worker } from 'node:worker_threads';
import type { WorkerReply, WorkerRequest, WorkerSetup } from './hashing-messages.ts';
import { startWorker } from './source-entry.ts';
import type { TimedVerification } from './timed-verify.ts';

interface Task {
  request: WorkerRequest;
  resolve(verified: TimedVerification): void;
  reject(error: Error): void;
}

/** Threads for loops of rounds. Each is started when all others are at work, and stays: the process ends when it is idle. */
export class WorkerPool {
  readonly #setup: WorkerSetup;
  readonly #size: number;
  readonly #idle: Worker[] = [];
  readonly #busy = new Map<Worker, Task>();
  readonly #waiting: Task[] = [];

  constructor(setup: WorkerSetup, size: number) {
    this.#setup = setup;
    this.#size = size;
  }

  /** @throws {Error} what the verifier throws */
  verify(request: WorkerRequest): Promise<TimedVerification> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    const [task] = this.#waiting;
    const worker = task && (this.#idle.pop() ?? this.#start());
    if (task === undefined || worker === undefined) return;
    this.#waiting.shift();
    this.#busy.set(worker, task);
    worker.postMessage(task.request);
  }

  #start(): Worker | undefined {
    if (this.#busy.size >= this.#size) return undefined;
    const worker = startWorker('hashing-worker', this.#setup);
    worker.on('message', (reply: WorkerReply) => {
      const task = this.#release(worker);
      this.#idle.push(worker);
      if ('error' in reply) task?.reject(new Error(reply.error));
      else task?.resolve(reply.verified);
      this.#next();
    });
    // It has gone: out of memory, or its file cannot be read. Whoever waits gets another.
    worker.on('error', ({ name }) => {
      this.#release(worker)?.reject(new Error(`a thread of the hashing process failed: ${name}`));
      this.#next();
    });
    return worker;
  }

  #release(worker: Worker): Task | undefined {
    const task = this.#busy.get(worker);
    this.#busy.delete(worker);
    return task;
  }
}
