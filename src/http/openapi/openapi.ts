import { STATUS_CODES } from 'node:http';
import swagger from '@fastify/swagger';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { NEWEST_CDI_VERSION } from '../server/request-checks.ts';
import { docsPage } from './docs-page.ts';
import { documented } from './documented.ts';
import { errorResponses } from './route-errors.ts';

/**
 * `explode`: list parameters are separated by commas. The Swagger plugin expects it beside the whole query.
 */
const whatItTakes = ({ params, querystring, body }: FastifySchema = {}) => ({
  ...(params !== undefined && { params: documented(params) }),
  ...(querystring !== undefined && {
    querystring: { ...(documented(querystring) as object), explode: false },
  }),
  ...(body !== undefined && { body: documented(body) }),
});

const responses = (schema: FastifySchema | undefined) =>
  Object.fromEntries(
    Object.entries(schema?.response ?? {}).map(([status, answer]) => [
      status,
      { 'x-response-description': STATUS_CODES[status], ...(documented(answer) as object) },
    ]),
  );

/** Serves the OpenAPI description, which is generated from the schemas that also check requests. */
export async function documentApi(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'user-import-core',
        version,
        description: `Imports users with their old password hashes and signs them in. CDI ${NEWEST_CDI_VERSION}; errors: docs/errors.md.`,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'api-key' } },
      },
      security: [{ apiKey: [] }],
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...schema,
        ...(route.config?.undescribed && { hide: true }),
        ...whatItTakes(schema),
        // The Swagger plugin would describe an optional body as required, so the description leaves it out.
        ...(route.config?.body === 'optional json' && { body: undefined }),
        ...(route.config?.key === 'open' && { security: [] }),
        response: { ...errorResponses(route), ...responses(schema) },
      },
      url,
    }),
  });
  // Serialising the description takes longer than most answers.
  let description: Buffer | undefined;
  app.get('/openapi.json', { config: { key: 'open' }, schema: { hide: true } }, (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(description);
  });
  await app.register(docsPage);
}
