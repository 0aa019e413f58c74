import type { FastifyReply } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { onGone } from './client-gone.ts';

/** Limits concurrent requests. Further ones are refused, because they would use memory while they wait. */
export class RequestLimit {
  readonly #most: number;
  readonly #tooMany: string;
  #taken = 0;

  /** @param tooMany reason in the error message for refused requests */
  constructor(most: number, tooMany: string) {
    this.#most = most;
    this.#tooMany = tooMany;
  }

  /**
   * Counts a request until it ends.
   * @throws {AppError} OVERLOADED
   */
  admit(reply: FastifyReply): void {
    if (this.#taken >= this.#most) {
      throw new AppError('OVERLOADED', `Service is overloaded: ${this.#tooMany}`);
    }
    this.#taken += 1;
    onGone(reply, () => {
      this.#taken -= 1;
    });
  }
}
