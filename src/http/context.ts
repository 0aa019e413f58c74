import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Passwords } from '../hashing/passwords.ts';
import type { UserStore } from '../users/store.ts';
import type { CdiVersion } from './cdi-version.ts';

/** What routes work with. */
export interface RouteDeps {
  store: UserStore;
  passwords: Passwords;
  /** The clock, in ms since the epoch. */
  now(): number;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** The version the caller asked for; the newest when it did not say. */
    cdiVersion: CdiVersion;
    /** What the log line of this request names, where a hash was handled. */
    hashAlgorithm: string | undefined;
  }
  interface FastifyContextConfig {
    /** Answers without a key and without a CDI version: greetings, probes, documentation. */
    open?: boolean;
    /** An operation on the app, not on one of its tenants. */
    appLevel?: boolean;
  }
}
