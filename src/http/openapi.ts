import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { ERROR_STATUS } from '../errors.ts';
import { NEWEST_CDI_VERSION } from './cdi-version.ts';

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
  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, open: true };
    });
    await docs.register(swaggerUi, {
      routePrefix: '/docs',
      // Everything the page needs is served from here; without this it would ask a public validator.
      uiConfig: { validatorUrl: null },
      // Not the plugin's own policy: that lets a public validator in, and turns plain HTTP into HTTPS.
      staticCSP: "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'self'",
    });
    docs.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger());
  });
}
