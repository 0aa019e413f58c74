import { expect, it, onTestFinished } from 'vitest';
import type { Readiness } from '../../../../src/http/context.ts';
import { createTestApp } from '../../../support/app.ts';

async function probe(path: string, readiness: Readiness) {
  const service = await createTestApp({ readiness });
  onTestFinished(() => service.close());
  const { status, body } = await service.send('GET', path, undefined, { 'api-key': undefined });
  return { status, body };
}

it('the service is ready by default', async () => {
  expect(await probe('/health/ready', async () => undefined)).toEqual({
    status: 200,
    body: { status: 'ok' },
  });
});

it.each(['draining', 'database'] as const)('the service is not ready for the reason %s', async (reason) => {
  expect(await probe('/health/ready', async () => reason)).toEqual({
    status: 503,
    body: { status: 'unavailable', reason },
  });
});

it('the service is live, whether ready or not', async () => {
  expect(await probe('/health/live', async () => 'draining')).toEqual({
    status: 200,
    body: { status: 'ok' },
  });
});
