import { expect, it } from 'vitest';
import { problemOfAnswer } from '../../../src/cli/service-client/service-problem.ts';

it('a key that lacks a right: the message names both and says what to do', () => {
  const body = JSON.stringify({
    statusCode: 403,
    code: 'RIGHT_MISSING',
    message: 'The API key "job" lacks the right "manage"',
  });
  const problem = problemOfAnswer(403, {}, body);
  expect(problem).toMatchObject({ code: 'RIGHT_MISSING', retry: 'never' });
  expect(problem.message).toBe(
    'The service says RIGHT_MISSING: The API key "job" lacks the right "manage" (add it to `allow` of this key in api_keys of the service, or use another key).',
  );
});
