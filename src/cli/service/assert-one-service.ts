import { isJsonObject } from '../../imports/input/json-object.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { Stopped } from '../stopped.ts';
import type { Addresses } from './addresses.ts';
import { callService } from './call-service.ts';
import { ServiceProblem } from './service-problem.ts';

/** Longest to wait for an answer, in ms. One that does not come says nothing. */
const TIMEOUT_MS = 5000;

/** Imports that are compared; others may begin one meanwhile, which is why they are asked again. */
const NEWEST = 20;
const TRIES = 3;

/**
 * Are these addresses of instances with one database? Half of the users would come into each of two. They are known apart by their
 * imports, so that two databases without any look like one.
 * @throws {Stopped} where they are not
 */
export async function assertOneService({ all }: Addresses): Promise<void> {
  if (all.length === 1) return;
  for (let tries = 1; ; tries += 1) {
    const lists = (await Promise.all(all.map(newestImports))).filter((list) => list !== undefined);
    if (new Set(lists).size <= 1) return;
    if (tries === TRIES)
      throw new Stopped(
        '--url: these are not instances of one service, as they know different imports. Nothing was imported.',
      );
  }
}

/** Undefined where it does not answer. */
async function newestImports(service: ServiceAddress): Promise<string | undefined> {
  try {
    const answer = await callService(service, `/bulk-import/imports?limit=${NEWEST}`, {
      timeoutMs: TIMEOUT_MS,
    });
    const imports = Array.isArray(answer.imports) ? answer.imports.filter(isJsonObject) : [];
    return imports.map(({ importId }) => String(importId)).join('\n');
  } catch (error) {
    if (error instanceof ServiceProblem && error.retry !== 'never') return undefined;
    throw error;
  }
}
