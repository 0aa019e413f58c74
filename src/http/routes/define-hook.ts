import type { FastifyError, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Asker, Hook } from '../../hooks/moves.ts';
import { AppError } from '../../lib/errors.ts';
import { errorBody, isOfCaller, logFailure, toAppError } from '../server/error-handler.ts';
import { FAULT_STATUS, type Fault } from '../server/route-checks.ts';
import { defineRoute, type Route, type RouteDefinition } from './define-route.ts';

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

/** All faults are logged, those of the caller once a minute: the provider shows only that the hook fails. */
function answerFault(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
  fault: Fault,
): void {
  const problem = toAppError(error, request);
  // The cause may quote the body, which has a password.
  if (problem.status < 500) request.server.troubles.add(new AppError(problem.code, problem.message));
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
