import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Passwords } from '../hashing/passwords.ts';
import type { BulkPace, CallKind } from '../imports/bulk-pace.ts';
import type { ImportStore } from '../imports/import-store.ts';
import type { StagedStore } from '../imports/staged/staged-store.ts';
import type { ErrorCode } from '../lib/errors.ts';
import type { UserStore } from '../users/user-store.ts';
import type { CdiVersion } from './server/cdi-version.ts';
import type { HttpServers } from './server/http-servers.ts';
import type { TroubleLog } from './server/trouble-log.ts';

/** What routes work with. */
export interface RouteDeps {
  store: UserStore;
  passwords: Passwords;
  /** The clock, in ms since the epoch. */
  now(): number;
  imports: ImportStore;
  staged: StagedStore;
  /** What bulk work gives way by. */
  pace: BulkPace;
  /** Has staged users imported at once. */
  wakeStagedWorker(): void;
  bulk: BulkLimits;
}

export interface BulkLimits {
  /** Longest line of a stream, in bytes. */
  maxLineBytes: number;
  /** Most streams at once. */
  maxStreams: number;
  /** Longest a sender may be silent, in ms. */
  idleMs: number;
}

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** What listens. */
    servers: HttpServers;
    troubles: TroubleLog;
  }
  interface FastifyRequest {
    /** The version the caller asked for; the newest when it did not say. */
    cdiVersion: CdiVersion;
    /** What the log line of this request names, where a hash was handled. */
    hashAlgorithm: string | undefined;
    /** The name of the key the caller sent; undefined where none is asked for. */
    apiKeyName: string | undefined;
  }
  interface FastifyContextConfig {
    /** Answers without a key and without a CDI version: greetings, probes, documentation. */
    open?: boolean;
    /** What work it is: bulk work gives way to calls. Where not given, quick. */
    kind?: CallKind | 'bulk';
    /** An operation on the app, not on one of its tenants. */
    appLevel?: boolean;
    /** Answers without the database. */
    storeless?: boolean;
    /** The error codes particular to it; those that follow from its kind are in route-errors.ts. */
    errors?: readonly ErrorCode[];
    /** Nothing at all is a body, too, with `Content-Type: application/json` or without. */
    bodyOptional?: boolean;
    /** Its body is a user form, or has some in `users`: the numbers of their metadata are kept as they were written. */
    takesUserPayloads?: boolean;
    /**
     * Takes `application/x-ndjson` only, and reads it as it comes: `request.body` is a Readable, and neither
     * body_limit_bytes nor request_timeout_ms holds for it.
     */
    streamsBody?: boolean;
  }
}
