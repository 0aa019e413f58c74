import type { FastifyError, FastifySchemaValidationError } from 'fastify';
import { AppError } from '../../lib/errors.ts';
import { POSTGRES_TEXT_RULE } from '../../lib/text/postgres-text.ts';

export function requestProblem(error: FastifyError): AppError | undefined {
  switch (error.code) {
    case 'FST_ERR_VALIDATION':
      return validationProblem(error);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError(
        'CONTENT_TYPE_UNSUPPORTED',
        'Unsupported content type: send JSON with Content-Type: application/json',
        { cause: error },
      );
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new AppError('NOT_FOUND', 'Not found', { cause: error });
    case 'FST_ERR_BAD_URL':
      return new AppError('NOT_FOUND', 'Not found: the path is not a valid URL', { cause: error });
    default:
      return undefined;
  }
}

function validationProblem(error: FastifyError): AppError {
  const [problem] = error.validation ?? [];
  const path = problem?.instancePath.split('/').slice(1) ?? [];
  const isRequired = problem?.keyword === 'required';
  if (isRequired) path.push(String(problem.params.missingProperty));
  // The message names the array, because an element only has a number.
  const field = path.findLast((segment) => !/^\d+$/.test(segment));
  if (field === undefined) {
    return new AppError('BODY_INVALID_JSON', 'Invalid Json Input: expected a JSON object', { cause: error });
  }
  const what = isRequired ? 'is required' : shortfall(problem);
  if (error.validationContext === 'querystring') {
    const sentence = isRequired ? 'missing' : 'invalid';
    return new AppError('QUERY_INVALID', `Field name '${field}' is ${sentence} in GET request: it ${what}`, {
      cause: error,
    });
  }
  return new AppError(
    'FIELD_INVALID',
    `Field name '${field}' is invalid in JSON input: ${path.join('.')} ${what}`,
    {
      cause: error,
    },
  );
}

function shortfall(problem: FastifySchemaValidationError | undefined): string {
  // All patterns in the schemas check this one rule (protocol/fields.ts). Ajv's message would quote the
  // pattern.
  if (problem?.keyword === 'pattern') return POSTGRES_TEXT_RULE;
  return problem?.message ?? 'is not valid';
}
