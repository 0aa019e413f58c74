import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { AppError, type ErrorCode } from '../../lib/errors.ts';
import { POSTGRES_TEXT_RULE } from '../../lib/text/characters.ts';
import { ClientGone } from './connections.ts';
import { FAULT_STATUS, FAULTS } from './route-checks.ts';

/** Seconds until the caller may try again. */
const RETRY_AFTER = '1';

/** Sends an error answer. http-servers.ts answers input that is not a valid HTTP request. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: FastifyError | Error): void {
  const { hook } = request.routeOptions?.config ?? {};
  if (hook === undefined && isOfCaller(error)) {
    // The caller has left, so nobody receives this answer. It only ends the request for Fastify.
    void reply.send();
    return;
  }
  const answer = toAppError(error, request);
  // Providers show only that a hook fails, so errors that the provider itself has caused are logged, too. Their cause
  // is left out, because it may quote the body.
  if (hook !== undefined && answer.status < 500)
    request.server.troubles.add(new AppError(answer.code, answer.message));
  else if (!isOfCaller(error)) logFailure(request, answer, error);
  const fault = hook && FAULTS[hook];
  if (fault === 'closed connection') {
    reply.hijack();
    reply.raw.destroy();
    return;
  }
  // Errors bypass the serializer of the route, so that they look alike whatever schema the route has.
  void reply.serializer((body) => body as string);
  if (fault === 'no body') {
    void reply.code(FAULT_STATUS).removeHeader('content-type').send('');
    return;
  }
  if (answer.status === 503 && hook === undefined) void reply.header('retry-after', RETRY_AFTER);
  void reply.code(answer.status).type('application/json; charset=utf-8').send(errorBody(answer));
}

/** Logs an error unless the caller or a stop of the service caused it. */
export function logFailure(request: FastifyRequest, answer: AppError, error: Error): void {
  if (answer.code === 'SHUTTING_DOWN') return;
  if (answer.status === 503) request.server.troubles.add(answer);
  else if (answer.status >= 500) request.log.error({ err: error }, answer.message);
}

export function errorBody(error: AppError): string {
  return JSON.stringify({
    statusCode: error.status,
    code: error.code,
    error: STATUS_CODES[error.status],
    message: error.message,
    ...error.details,
  });
}

/**
 * Whether the caller has disconnected, perhaps while its body was read. Errors of the database have other
 * codes here.
 */
const isOfCaller = (error: Error) => error instanceof ClientGone || codeOf(error) === 'ECONNRESET';

export function toAppError(error: FastifyError | Error, request: FastifyRequest): AppError {
  if (error instanceof AppError) return error;
  const problem =
    'validation' in error && error.validation ? validationProblem(error) : OF_FASTIFY.get(codeOf(error));
  const [code, message] = problem ?? ['INTERNAL', `Internal error: see the log for request ${request.id}`];
  return new AppError(code, message, { cause: error });
}

const codeOf = (error: Error) => ('code' in error ? String(error.code) : '');

/** Errors of Fastify that the caller causes. */
const OF_FASTIFY = new Map<string, [code: ErrorCode, message: string]>([
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['CONTENT_TYPE_UNSUPPORTED', 'Unsupported content type: send JSON with Content-Type: application/json'],
  ],
  ['FST_ERR_MAX_PARAM_LENGTH', ['NOT_FOUND', 'Not found']],
  ['FST_ERR_BAD_URL', ['NOT_FOUND', 'Not found: the path is not a valid URL']],
]);

/** Returns the code and the message for the first value that does not match its schema. */
function validationProblem({ validation = [], validationContext }: FastifyError): [ErrorCode, string] {
  const [problem] = validation;
  const path = problem?.instancePath.split('/').slice(1) ?? [];
  const isRequired = problem?.keyword === 'required';
  if (isRequired) path.push(String(problem.params.missingProperty));
  // The message names the array, because an element only has a number.
  const field = path.findLast((segment) => !/^\d+$/.test(segment));
  if (field === undefined) return ['BODY_INVALID_JSON', 'Invalid Json Input: expected a JSON object'];
  const what = isRequired ? 'is required' : shortfall(problem);
  if (validationContext !== 'querystring')
    return ['FIELD_INVALID', `Field name '${field}' is invalid in JSON input: ${path.join('.')} ${what}`];
  const sentence = isRequired ? 'missing' : 'invalid';
  return ['QUERY_INVALID', `Field name '${field}' is ${sentence} in GET request: it ${what}`];
}

function shortfall(problem: FastifySchemaValidationError | undefined): string {
  // All patterns in the schemas check this one rule (protocol/fields.ts). Ajv's message would quote the
  // pattern.
  if (problem?.keyword === 'pattern') return POSTGRES_TEXT_RULE;
  return problem?.message ?? 'is not valid';
}
