import { expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { failure, importNew } from '../../support/service-calls.ts';

const service = await useTestApp();
const userId = (await importNew(service, 'cdi@b.c')).id;

const getUser = (version: string | undefined) =>
  service.send('GET', `/user/id?userId=${userId}`, undefined, { 'cdi-version': version });

it.each(['4.0', '5.0', '5.1', '5.2'])('version %s has no webauthn member', async (version) => {
  const { status, body } = await getUser(version);
  expect(status).toBe(200);
  expect(Object.keys(body.user)).toEqual([
    'id',
    'isPrimaryUser',
    'tenantIds',
    'timeJoined',
    'emails',
    'phoneNumbers',
    'thirdParty',
    'loginMethods',
  ]);
});

it.each(['5.3', '5.4', '5.5', '5.6', undefined])('version %s has a webauthn member', async (version) => {
  const { status, body } = await getUser(version);
  expect(status).toBe(200);
  expect(body.user.webauthn).toEqual({ credentialIds: [] });
});

it.each(['', 'five', '5', '5.', '.4', '5.4.0', 'v5.4', '-5.4', '5,4', '5.4, 5.4', '55555.4'])(
  'refuses the malformed version "%s"',
  async (version) => {
    expect(await getUser(version)).toMatchObject(
      failure(400, 'CDI_VERSION_INVALID', 'cdi-version header is invalid'),
    );
  },
);

it.each(['2.21', '3.0', '5.7', '6.0', '05.4', '5.04'])('version %s is not supported', async (version) => {
  expect(await getUser(version)).toMatchObject(
    failure(400, 'CDI_VERSION_UNSUPPORTED', `cdi-version ${version} not supported`),
  );
});
