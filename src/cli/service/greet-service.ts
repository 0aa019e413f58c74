import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { ServiceAddress } from '../options/service-options.ts';
import { Stopped } from '../stopped.ts';
import { readText, silent } from './call-service.ts';
import { openRequest } from './open-request.ts';
import { problemOfAnswer, problemOfConnection, type ServiceProblem } from './service-problem.ts';

/** Longest to wait for an answer, in ms. */
const TIMEOUT_MS = 5000;
/** What the service answers to everybody at /hello. */
const GREETING = 'Hello';

/**
 * Asks without the key whether a service is there, so that an address with a typing error does not get the
 * key.
 * @throws {ServiceProblem} where nothing answers now
 * @throws {Stopped} where something else answers
 */
export async function greetService(service: ServiceAddress): Promise<void> {
  const request = openRequest(service, '/hello', { method: 'GET', isKeyless: true });
  request.setTimeout(TIMEOUT_MS, () => request.destroy(silent(TIMEOUT_MS)));
  let problem: ServiceProblem | undefined;
  try {
    request.end();
    const [response]: [IncomingMessage] = (await once(request, 'response')) as [IncomingMessage];
    const text = await readText(response);
    if (response.statusCode === 200 && text === GREETING) return;
    problem = problemOfAnswer(response.statusCode ?? 0, response.headers, text);
  } catch (error) {
    throw problemOfConnection(error, service.url);
  } finally {
    request.destroy();
  }
  // Of a proxy whose service is away for a moment.
  if (problem.retry === 'often') throw problem;
  throw new Stopped(
    `--url: what answers at ${service.url} is not user-import-core. The api key was not sent to it; correct the address.`,
  );
}
