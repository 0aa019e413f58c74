import { isJsonObject } from '../../imports/input/json-object.ts';
import { Stopped } from '../stopped.ts';
import type { Addresses } from './addresses.ts';
import { callService } from './call-service.ts';
import { ServiceProblem } from './service-problem.ts';

/** Longest to wait for an answer, in ms. */
const TIMEOUT_MS = 5000;

/** Imports that are compared; others may begin one meanwhile, which is why they are asked again. */
const NEWEST = 20;
const TRIES = 3;

/**
 * Are these addresses of instances with one database? Half of the users would come into each of two. They are known apart by their
 * imports, so that two databases without any look like one. An address that does not answer has a rest, so that the import begins
 * at the others.
 * @throws {Stopped} where they are not
 */
export async function assertOneService(addresses: Addresses): Promise<void> {
  if (addresses.all.length === 1) return;
  // None gets the key before all were seen. One that does not answer now is greeted before it is asked later.
  for (const greeting of await Promise.allSettled(addresses.all.map((one) => addresses.greet(one))))
    if (greeting.status === 'rejected' && !isPassing(greeting.reason)) throw greeting.reason;
  for (let tries = 1; ; tries += 1) {
    // All turns are given out before the first answer: each address has one. Later, those that rest have none.
    const answers = await Promise.all(addresses.all.map((_, turn) => newestImports(addresses, turn)));
    const lists = answers.filter((list) => list !== undefined);
    if (new Set(lists).size <= 1) return;
    if (tries === TRIES)
      throw new Stopped(
        '--url: these are not instances of one service, as they know different imports. Nothing was imported.',
      );
  }
}

/** Of the address whose turn it is. Undefined where it does not answer. */
async function newestImports(addresses: Addresses, turn: number): Promise<string | undefined> {
  try {
    const answer = await addresses.ask(turn, (service) =>
      callService(service, `/bulk-import/imports?limit=${NEWEST}`, { timeoutMs: TIMEOUT_MS }),
    );
    const imports = Array.isArray(answer.imports) ? answer.imports.filter(isJsonObject) : [];
    return imports.map(({ importId }) => String(importId)).join('\n');
  } catch (error) {
    if (isPassing(error)) return undefined;
    throw error;
  }
}

const isPassing = (error: unknown) => error instanceof ServiceProblem && error.retry !== 'never';
