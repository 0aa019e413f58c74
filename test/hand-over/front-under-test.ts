import { createHash } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import type { HandOverBounds } from '../../src/hand-over/hand-over-worker.ts';
import type { Front } from '../../src/http/context.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { CoreDouble } from '../support/core-double.ts';
import { importLines, ndjson } from '../support/ndjson.ts';
import { IMPORT } from '../support/service-calls.ts';

export const PASSWORD = 'pässwörd 1';
export const md5 = (password: string) => createHash('md5').update(password).digest('hex');

/** A password login with a hash that the core does not verify. */
export const passwordOf = (email: string, password = PASSWORD) => ({
  recipeId: 'emailpassword',
  email,
  passwordHash: md5(password),
  hashingAlgorithm: 'hex-md5',
});
export const googleOf = (thirdPartyUserId: string, email: string) => ({
  ...{ recipeId: 'thirdparty', email },
  ...{ thirdPartyId: 'google', thirdPartyUserId },
});

/** A service in front of a double of the core. */
export interface FrontUnderTest extends TestApp {
  core: CoreDouble;
  front: Front;
  /** Imports a user with a hash that the core does not verify. Returns the user id. */
  importUser(email: string, password?: string): Promise<string>;
  /** Imports new users by lines of a stream. */
  importLines(...lines: object[]): Promise<void>;
  /** Hands over all users, and waits until that ends or stands still. Returns the hand-over. */
  handOver(options?: { unlinked?: boolean }): Promise<Report>;
  report(handOverId: string): Promise<Report>;
  signIn(email: string, password?: string): ReturnType<TestApp['send']>;
}

export interface Report {
  handOverId: string;
  status: string;
  problem?: string;
  users: number;
  logins: { sending: number; waiting: number; moved: number; changed: number; refused: number };
  byAlgorithm: object[];
  movedByDay: { day: string; logins: number }[];
  advice: string;
}

const SECRET = 'a secret of tests with at least 32 characters';

export async function useFront(
  config: Partial<Config> = {},
  handOverBounds: Partial<HandOverBounds> = {},
  { withSecret = true } = {},
): Promise<FrontUnderTest> {
  const core = await CoreDouble.start();
  const service = await createTestApp({
    config: { upstream_core_uri: core.url, ...(withSecret && { hand_over_secret: SECRET }), ...config },
    handOverBounds,
    placeholderCost: 4,
  });
  onTestFinished(async () => {
    await service.close();
    await core.close();
  });
  const front = service.front as Front;
  const report = async (handOverId: string) =>
    (await service.send('GET', `/hand-over/${handOverId}`)).body as unknown as { handOver: Report };
  return {
    ...service,
    core,
    front,
    async importUser(email, password = PASSWORD) {
      const { recipeId: _, ...login } = passwordOf(email, password);
      return (await service.send('POST', IMPORT, login)).body.user.id;
    },
    async importLines(...lines) {
      const { summary } = await importLines(service, ndjson(...lines));
      expect(summary).toMatchObject({ created: lines.length });
    },
    async handOver(options = {}) {
      const { body } = await service.send('POST', '/hand-over', { unlinked: false, ...options });
      const { handOver } = body as unknown as { handOver: Report };
      await front.worker.idle();
      return (await report(handOver.handOverId)).handOver;
    },
    report: async (handOverId) => (await report(handOverId)).handOver,
    signIn: (email, password = PASSWORD) =>
      service.send(
        'POST',
        '/recipe/signin',
        { email, password },
        { 'content-type': 'application/json; charset=utf-8' },
      ),
  };
}
