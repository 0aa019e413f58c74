import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { NEWEST_CDI_VERSION } from './cdi-version.ts';

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
      schema: route.config?.open ? { ...schema, security: [] } : schema,
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
