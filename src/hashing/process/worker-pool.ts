import type { Worker } from 'node:worker_threads';
import type { TimedVerification, WorkerReply, WorkerRequest, WorkerSetup } from './hashing-work.ts';
import { startWorker } from './source-entry.ts';

interface Task {
  request: WorkerRequest;
  resolve(verified: TimedVerification): void;
  reject(error: Error): void;
}

/**
 * Threads for hashes with loops of rounds. They start when all others are busy, and stay until the process
 * ends.
 */
export class WorkerPool {
  readonly #startThread: () => Worker;
  readonly #size: number;
  readonly #idle = new Set<Worker>();
  readonly #busy = new Map<Worker, Task>();
  readonly #waiting: Task[] = [];

  /** @param startThread replaced in tests */
  constructor(
    setup: WorkerSetup,
    size: number,
    startThread: () => Worker = () => startWorker('hashing-worker', setup),
  ) {
    this.#startThread = startThread;
    this.#size = size;
  }

  /** @throws {Error} what the verifier throws, or if the thread ends before it has answered */
  verify(request: WorkerRequest): Promise<TimedVerification> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    const [task] = this.#waiting;
    if (task === undefined || this.#busy.size >= this.#size) return;
    const [worker = this.#start()] = this.#idle;
    this.#idle.delete(worker);
    this.#waiting.shift();
    this.#busy.set(worker, task);
    worker.postMessage(task.request);
  }

  #start(): Worker {
    const worker = this.#startThread();
    // A thread ends by itself only if it fails, for example without memory or if its file cannot be read.
    const lose = (why: string) => {
      this.#idle.delete(worker);
      this.#release(worker)?.reject(new Error(`a thread of the hashing process is lost: ${why}`));
      this.#next();
    };
    worker.on('message', (reply: WorkerReply) => {
      const task = this.#release(worker);
      // A thread that counts as lost may still send an answer, but its verification has failed already.
      if (task === undefined) return;
      this.#idle.add(worker);
      if ('error' in reply) task.reject(new Error(reply.error));
      else task.resolve(reply.verified);
      this.#next();
    });
    // A thread that fails has the event `error` and then `exit`. A terminated thread has only `exit`. Both
    // events must therefore report the loss; the second report has no effect.
    worker.on('error', ({ name }) => lose(name));
    worker.on('exit', (code) => lose(`it ended with ${code}`));
    return worker;
  }

  #release(worker: Worker): Task | undefined {
    const task = this.#busy.get(worker);
    this.#busy.delete(worker);
    return task;
  }
}
