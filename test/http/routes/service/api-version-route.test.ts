import { afterAll, expect, it } from 'vitest';
import { createTestApp } from '../../../support/app.ts';

const service = await createTestApp();
afterAll(() => service.close());

it.each(['', '?apiDomain=http%3A%2F%2Fa.b&websiteDomain=x', '?websiteDomain=1&websiteDomain=2'])(
  'returns the versions, whatever the query: "%s"',
  async (query) => {
    const { status, body } = await service.send('GET', `/apiversion${query}`);
    expect(status).toBe(200);
    expect(body).toEqual({ versions: ['4.0', '5.0', '5.1', '5.2', '5.3', '5.4', '5.5', '5.6'] });
  },
);
