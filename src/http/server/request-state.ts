import type { FastifyInstance } from 'fastify';
import type { Right } from '../../config/api-keys.ts';
import { type CdiVersion, NEWEST_CDI_VERSION } from './cdi-version.ts';
import type { HttpServers } from './http-servers.ts';
import type { RequestMeter } from './request-meter.ts';
import type { TroubleLog } from './trouble-log.ts';
import type { WholeBodies } from './whole-bodies.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The Node.js servers, one for each address on which the service listens. */
    servers: HttpServers;
    troubles: TroubleLog;
    meter: RequestMeter;
    bodies: WholeBodies;
    isLastAnswer(request: FastifyRequest): boolean;
  }
  interface FastifyRequest {
    /** The newest version if the caller names none. */
    cdiVersion: CdiVersion;
    /** Algorithm of a password hash, for the log line of the request. */
    hashAlgorithm: string | undefined;
    /** Undefined if the route needs no key. */
    apiKeyName: string | undefined;
    apiKeyRights: readonly Right[] | undefined;
    /** Memory that the body takes, in bytes (whole-bodies.ts). */
    bodyBytes: number;
  }
}

/** Declares all members at once, because V8 is slow with objects that get further members later. */
export function decorate(
  app: FastifyInstance,
  { servers, troubles, meter, bodies }: Pick<FastifyInstance, 'servers' | 'troubles' | 'meter' | 'bodies'>,
): void {
  app.decorate('servers', servers);
  app.decorate('troubles', troubles);
  app.decorate('meter', meter);
  app.decorate('bodies', bodies);
  app.decorateRequest('cdiVersion', NEWEST_CDI_VERSION);
  app.decorateRequest('hashAlgorithm', undefined);
  app.decorateRequest('apiKeyName', undefined);
  app.decorateRequest('apiKeyRights', undefined);
  app.decorateRequest('bodyBytes', 0);
}
