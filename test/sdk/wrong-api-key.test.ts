import SuperTokens from 'supertokens-node';
import EmailPassword from 'supertokens-node/recipe/emailpassword';
import { expect, it, onTestFinished } from 'vitest';
import { createTestApp } from '../support/app.ts';

it('reports a wrong API key to the SDK', async () => {
  const service = await createTestApp();
  onTestFinished(() => service.close());
  SuperTokens.init({
    framework: 'express',
    supertokens: {
      connectionURI: await service.app.listen({ port: 0, host: '127.0.0.1' }),
      apiKey: 'another-key-0123456789-abcdef',
    },
    appInfo: { appName: 'test', apiDomain: 'http://127.0.0.1', websiteDomain: 'http://127.0.0.1' },
    recipeList: [EmailPassword.init()],
    telemetry: false,
  });
  await expect(EmailPassword.signIn('public', 'a@b.c', 'password')).rejects.toThrow(/401.*Invalid API key/);
});
