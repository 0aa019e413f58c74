import { isJsonObject } from '../../lib/json/json-object.ts';
import { CliError } from '../cli-error.ts';
import type { Addresses } from './addresses.ts';
import { callService } from './call-service.ts';
import { ServiceProblem } from './service-problem.ts';

const TIMEOUT_MS = 5000;

/** Number of newest imports by which databases are compared. */
const NEWEST = 20;
const TRIES = 3;

/**
 * Checks that all addresses of --url lead to one database. Otherwise each database would get a part of the
 * users. Databases are compared by their newest imports, so two empty ones look the same. Different answers
 * are requested again, because another client may have begun an import between them.
 * @throws {CliError} if the databases still differ
 */
export async function assertOneService(addresses: Addresses): Promise<void> {
  if (addresses.all.length === 1) return;
  // All addresses must lead to user-import-core before any gets the API key. A silent one is checked later.
  for (const greeting of await Promise.allSettled(addresses.all.map((one) => addresses.greet(one))))
    if (greeting.status === 'rejected' && !isPassing(greeting.reason)) throw greeting.reason;
  for (let tries = 1; ; tries += 1) {
    // Later tries leave out addresses that have failed.
    const answers = await Promise.all(addresses.all.map((_, turn) => newestImports(addresses, turn)));
    const lists = answers.filter((list) => list !== undefined);
    if (new Set(lists).size <= 1) return;
    if (tries === TRIES)
      throw new CliError(
        '--url: the addresses are not instances of one service, because they know different imports. Nothing was imported.',
      );
  }
}

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
