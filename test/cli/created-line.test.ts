import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createdLine } from '../../src/cli/service-client/created-line.ts';

it('parses lines as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.nat({ max: 999_999_999_999_999 }), fc.string(), (line, userId) => {
      const text = JSON.stringify({ line, status: 'CREATED', userId });
      expect(createdLine(text)).toEqual({ line, status: 'CREATED' });
    }),
  );
});

it.each([
  '',
  '{"line":}',
  '{"line":,"status":"CREATED",}',
  '{"line":1,"status":"CREATED"',
  '{"line":1,"status":"CREATED","userId":"x"',
  '{"line":1,"status":"CREATED"}',
  '{"line":1.5,"status":"CREATED","userId":"x"}',
  '{"line":-1,"status":"CREATED","userId":"x"}',
  '{"line":1e3,"status":"CREATED","userId":"x"}',
  '{"line":1234567890123456,"status":"CREATED","userId":"x"}',
  '{"line":1,"status":"UPDATED","userId":"x"}',
  '{"line": 1,"status":"CREATED","userId":"x"}',
  '{"summary":{"lines":1}}',
])('leaves %s to the general parser', (text) => {
  expect(createdLine(text)).toBeUndefined();
});
