import type { FastifyError, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Hook } from '../../../hooks/hook.ts';
import type { Asker } from '../../../hooks/moved-store.ts';
import { errorBody, isOfCaller, logFailure, toAppError } from '../../server/error-handler.ts';
import { FAULT_STATUS, type Fault } from '../../server/route-checks.ts';
import { defineRoute, type Route, type RouteDefinition } from '../define-route.ts';

/** Logged once a minute, because the provider shows only that the hook fails. */
const OF_KEY: readonly string[] = ['API_KEY_INVALID', 'RIGHT_MISSING'];

/**
 * Defines a route by which a provider asks about passwords. All errors, also those before the handler such as a wrong
 * key, are answered as a fault of the hook.
 */
export function defineHook<const Schema extends FastifySchema>({
  hook,
  fault,
  ...definition
}: Omit<RouteDefinition<Schema>, 'hook'> & { hook: Hook; fault: Fault }): Route {
  const errorHandler = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) =>
    answerFault(error, request, reply, fault);
  return defineRoute({ ...definition, hook: { hook, fault, errorHandler } });
}

function answerFault(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
): void {
  const problem = toAppError(error, request);
  if (OF_KEY.includes(problem.code)) request.server.troubles.add(problem);
  else if (!isOfCaller(error)) logFailure(request, problem, error);
  if (fault === 'closed connection') {
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  void reply.serializer((body) => body as string);
  if (fault === 'no body') void reply.code(FAULT_STATUS).removeHeader('content-type').send('');
  else void reply.code(problem.status).type('application/json; charset=utf-8').send(errorBody(problem));
}

export const askerOf = (request: FastifyRequest, hook: Hook): Asker => ({
  hook,
  keyName: request.apiKeyName ?? '',
});
