import swagger from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { ERROR_STATUS } from '../errors.ts';
import { NEWEST_CDI_VERSION } from './cdi-version.ts';
import { docsPage } from './docs-page.ts';

/** Every error answer, whatever its status. */
const ErrorJson = Type.Object(
  {
    statusCode: Type.Integer(),
    code: Type.String({ enum: Object.keys(ERROR_STATUS), description: 'Stable; see docs/errors.md.' }),
    error: Type.String({ description: 'The name of the status.' }),
    message: Type.String({ description: 'What is wrong, and where.' }),
  },
  { description: 'An error.' },
);

const responses = (schema: FastifySchema | undefined) => (schema?.response ?? {}) as Record<string, unknown>;

/** The description of this interface, made from the schemas that also check requests, and a page to browse it. */
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
        ...(route.config?.open
          ? { security: [] }
          : { response: { ...responses(schema), default: ErrorJson } }),
      },
      url,
    }),
  });
  // Serialised once: it never changes, and stringifying it takes longer than most answers.
  let description: Buffer | undefined;
  app.get('/openapi.json', { config: { open: true }, schema: { hide: true } }, (_request, reply) => {
    description ??= Buffer.from(JSON.stringify(app.swagger()));
    return reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(description);
  });
  await app.register(docsPage);
}
