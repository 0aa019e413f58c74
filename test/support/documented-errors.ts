import { subscribe } from 'node:diagnostics_channel';
import { afterEach, expect } from 'vitest';
import type { App } from '../../src/http/context.ts';
import { FAULTS } from '../../src/http/server/route-checks.ts';

interface Described {
  responses: Record<
    string,
    { content: Record<string, { schema: { properties?: { code?: { enum: string[] } } } }> }
  >;
}

/** Error responses that the interface description does not list. */
const undocumented: string[] = [];

/** Compares every error response of every route, in all tests, with the description of that route. */
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: App };
  fastify.addHook('onSend', async (request, reply, payload) => {
    if (request.is404 || reply.statusCode < 400) return;
    const { url = '', method, config } = request.routeOptions;
    // The fault of a hook in the form of a provider is no JSON, or no answer at all.
    if (config.hook !== undefined && FAULTS[config.hook] !== 'json') return;
    const path = url.replace(/:(\w+)/g, '{$1}');
    const operations = fastify.swagger().paths?.[path] as Record<string, Described> | undefined;
    const operation = operations?.[String(method).toLowerCase()];
    // The route is hidden from the description.
    if (operation === undefined) return;
    const { code } = JSON.parse(String(payload ?? '{}')) as { code?: string };
    const answer = operation.responses[reply.statusCode]?.content['application/json'];
    const isDocumented =
      answer !== undefined && (code === undefined || answer.schema.properties?.code?.enum.includes(code));
    if (!isDocumented) undocumented.push(`${String(method)} ${path}: ${reply.statusCode} ${code}`);
  });
});

/** Returns the undocumented responses since the last call. */
export const takeUndocumented = () => undocumented.splice(0);

afterEach(() => {
  expect(takeUndocumented()).toEqual([]);
});
