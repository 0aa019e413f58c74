import { subscribe } from 'node:diagnostics_channel';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { App } from '../../src/http/context.ts';

interface Compilers {
  validator: FastifySchemaCompiler<unknown>;
  serializer: FastifySerializerCompiler<unknown>;
}

/** Compilers of the first service of this process, once it is ready. */
let compilers: Compilers | undefined;

/**
 * Compiles each schema once for all services of this process. They have the same routes, and compiling the schemas
 * takes most of the time in which a service starts.
 */
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: App };
  if (compilers !== undefined) {
    fastify.setValidatorCompiler(compilers.validator);
    fastify.setSerializerCompiler(compilers.serializer);
    return;
  }
  // Each route has a scope of its own. Fastify gives it compilers if the route has schemas.
  const scopes: App[] = [];
  fastify.addHook('onRegister', (scope) => void scopes.push(scope));
  fastify.addHook('onReady', async () => {
    const validator = scopes.find((scope) => scope.validatorCompiler !== undefined)?.validatorCompiler;
    const serializer = scopes.find((scope) => scope.serializerCompiler !== undefined)?.serializerCompiler;
    if (validator === undefined || serializer === undefined) throw new Error('no route has schemas');
    compilers ??= { validator, serializer: rememberSerializers(serializer) };
  });
});

/** Unlike the compiler of validators, Fastify's compiler of serializers does not recognise a schema. */
function rememberSerializers(compile: Compilers['serializer']): Compilers['serializer'] {
  const known = new WeakMap<object, ReturnType<Compilers['serializer']>>();
  return (route) => {
    const schema = route.schema as object;
    const serializer = known.get(schema) ?? compile(route);
    known.set(schema, serializer);
    return serializer;
  };
}
