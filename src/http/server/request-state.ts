import type { FastifyInstance } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { type CdiVersion, NEWEST_CDI_VERSION } from './cdi-version.ts';
import type { HttpServers } from './http-servers.ts';
import type { RequestMeter } from './request-meter.ts';
import type { TroubleLog } from './trouble-log.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The servers that listen: one for each address. */
    servers: HttpServers;
    troubles: TroubleLog;
    meter: RequestMeter;
    /** Returns whether the connection of a request is to end with its answer, because this service stops. */
    isLastAnswer(request: FastifyRequest): boolean;
  }
  interface FastifyRequest {
    /** The version the caller speaks; the newest where it does not say. */
    cdiVersion: CdiVersion;
    /** The algorithm of the hash that was handled, for the log line of the request. */
    hashAlgorithm: string | undefined;
    /** The name of the key the caller sent; undefined where none is asked for. */
    apiKeyName: string | undefined;
    /** The rights of that key. */
    apiKeyRights: readonly Right[] | undefined;
  }
}

/** Gives the instance and its requests their members at once: V8 is slow with objects that grow new ones later. */
export function decorate(
  app: FastifyInstance,
  { servers, troubles, meter }: Pick<FastifyInstance, 'servers' | 'troubles' | 'meter'>,
): void {
  app.decorate('servers', servers);
  app.decorate('troubles', troubles);
  app.decorate('meter', meter);
  app.decorateRequest('cdiVersion', NEWEST_CDI_VERSION);
  app.decorateRequest('hashAlgorithm', undefined);
  app.decorateRequest('apiKeyName', undefined);
  app.decorateRequest('apiKeyRights', undefined);
}
