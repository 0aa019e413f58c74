import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { CliError } from '../cli-error.ts';
import type { ServiceAddress } from '../options/service-options.ts';
import { readText, silenceProblem } from './call-service.ts';
import { openRequest } from './open-request.ts';
import { problemOfAnswer, problemOfConnection, type ServiceProblem } from './service-problem.ts';

const TIMEOUT_MS = 5000;
const GREETING = 'Hello';

/**
 * Checks the address without sending the API key, so that a mistyped address does not receive it.
 * @throws {ServiceProblem} if nothing answers now
 * @throws {CliError} if another program than user-import-core answers
 */
export async function greetService(service: ServiceAddress): Promise<void> {
  const request = openRequest(service, '/hello', { method: 'GET', isKeyless: true });
  request.setTimeout(TIMEOUT_MS, () => request.destroy(silenceProblem(TIMEOUT_MS)));
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
  // A proxy answers, and the service behind it is unavailable at the moment.
  if (problem.retry === 'often') throw problem;
  throw new CliError(
    `--url: the server at ${service.url} is not user-import-core. The API key was not sent to it. Correct the address.`,
  );
}
