import { describe, expect, it } from 'vitest';
import { type FrontUnderTest, md5, PASSWORD, useFront } from './front-under-test.ts';

const line = (name: string, more: object = {}) => ({
  externalUserId: name,
  ...more,
  loginMethods: [
    {
      recipeId: 'emailpassword',
      email: `${name}@example.com`,
      passwordHash: md5(PASSWORD),
      hashingAlgorithm: 'hex-md5',
    },
  ],
});
async function importLines({ send }: FrontUnderTest, lines: readonly object[]): Promise<void> {
  const body = lines.map((one) => JSON.stringify(one)).join('\n');
  const { text } = await send('POST', '/bulk-import/stream', body, {
    'content-type': 'application/x-ndjson',
  });
  expect(text).toContain(`"created":${lines.length}`);
}
const warningsOf = async ({ send }: FrontUnderTest) => {
  const { body } = await send('POST', '/hand-over', { dryRun: true, unlinked: false });
  return (body as unknown as { preflight: { warnings: string[]; obstacles: string[] } }).preflight;
};
const setDisabled = ({ send }: FrontUnderTest, userId: string, disabled: boolean) =>
  send('PUT', '/recipe/user/disabled', { userId, disabled });

describe('disabled users in front of a core', () => {
  it('are left out of a hand-over, and cannot sign in with the right password', async () => {
    const service = await useFront();
    await importLines(service, [line('off', { disabled: true }), line('on')]);
    const wrong = (await service.signIn('on@example.com', 'wrong')).text;
    // Before a hand-over, and after it.
    expect((await service.signIn('off@example.com')).text).toBe(wrong);
    expect((await warningsOf(service)).warnings.join()).toContain(
      '1 logins belong to users who are disabled',
    );
    const { logins, handOverId } = await service.handOver();
    expect(logins).toMatchObject({ waiting: 1, refused: 1 });
    const { text } = await service.send('GET', `/hand-over/${handOverId}/refused`);
    expect(text).toContain('The user is disabled here.');
    expect(service.core.users).toMatchObject([{ id: 'on' }]);
    expect((await service.signIn('off@example.com')).text).toBe(wrong);
    expect(service.core.users).toHaveLength(1);
  });

  it('are handed over at their first sign-in once they are enabled', async () => {
    const service = await useFront();
    await importLines(service, [line('off', { disabled: true })]);
    await service.handOver();
    expect((await setDisabled(service, 'off', false)).body.status).toBe('OK');
    expect((await service.signIn('off@example.com')).body.status).toBe('OK');
    expect(service.core.users).toMatchObject([{ id: 'off' }]);
  });

  it('cannot be made of users whom the core has', async () => {
    const service = await useFront();
    await importLines(service, [line('there')]);
    await service.handOver();
    expect(await setDisabled(service, 'there', true)).toMatchObject({
      status: 409,
      body: { code: 'HANDED_OVER' },
    });
    expect((await service.signIn('there@example.com')).body.status).toBe('OK');
  });
});

describe('a hand-over of users with factors', () => {
  const device = (more: object = {}) => ({ secretKey: 'JBSWY3DPEHPK3PXP', deviceName: 'phone', ...more });
  const lines = [
    line('both', {
      totpDevices: [device(), device({ deviceName: 'other', digits: 8 })],
      userRoles: [{ role: 'editor' }, { role: 'unknown' }],
      phoneNumbers: ['+4930'],
    }),
    line('none'),
  ];

  it('sends what the core takes, and says what it leaves out', async () => {
    const service = await useFront();
    service.core.features = ['mfa'];
    service.core.roles = ['editor'];
    await importLines(service, lines);
    const { warnings } = await warningsOf(service);
    expect(warnings.join()).toContain('1 users have TOTP devices. Those with other than 6 digits');
    expect(warnings.join()).toContain('1 users have roles. Roles that the core does not have are left out');
    expect(warnings.join()).toContain('1 users have phone numbers, which are not handed over');
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2, refused: 0 });
    expect(service.core.users.find(({ id }) => id === 'both')).toMatchObject({
      totpDevices: [{ secretKey: 'JBSWY3DPEHPK3PXP', deviceName: 'phone', period: 30, skew: 1 }],
      userRoles: [{ role: 'editor', tenantIds: ['public'] }],
    });
    expect(service.core.users.find(({ id }) => id === 'none')).not.toHaveProperty('totpDevices');
  });

  it('hands over users without TOTP devices if the core has no licence for them', async () => {
    const service = await useFront();
    await importLines(service, lines);
    expect((await warningsOf(service)).warnings.join()).toContain('with the licensed feature mfa only');
    expect((await service.handOver()).logins).toMatchObject({ waiting: 2, refused: 0 });
    expect(service.core.users.every((user) => user.totpDevices === undefined)).toBe(true);
  });
});
