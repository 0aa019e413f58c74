import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createLegacySystem, type LegacyUser } from '../../examples/legacy-system.ts';
import type { Config } from '../../src/config/schema.ts';

export const LEGACY_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A call that a legacy system got. */
export interface LegacyCall {
  type: string;
  email: string;
  password?: string;
}

/** The example of the documents, with these people. */
export const legacySystemOf = (people: Record<string, LegacyUser>): Server =>
  createLegacySystem(new Map(Object.entries(people)), LEGACY_SECRET);

/**
 * Lets a legacy system listen until the test has finished. Returns the settings of a service that asks it, and what it
 * was asked about people.
 */
export async function useLegacySystem(server: Server) {
  const calls: LegacyCall[] = [];
  server.prependListener('request', (request) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call: LegacyCall = JSON.parse(Buffer.concat(chunks).toString());
      if (!call.email.endsWith('@nobody.invalid')) calls.push(call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const settings = {
    legacy_signin_for: 'unknown',
    legacy_signin_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign-in`,
    legacy_signin_secret: LEGACY_SECRET,
  } satisfies Partial<Config>;
  return { calls, settings };
}
