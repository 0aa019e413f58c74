import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { signInStatus } from '../support/service-calls.ts';
import { readNdjson, runCli, scratch, words } from './command-line.ts';

const SAMPLES = join(import.meta.dirname, '../sources/samples/firebase');
const { exports } = JSON.parse(readFileSync(join(SAMPLES, 'expected.json'), 'utf8'));
const [{ files, options, users }] = exports;

it('an export of Firebase is imported from its files, and its users sign in', async () => {
  const service = await useTestApp({ signerKey: options.signerKey });
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
  const report = join(scratch(), 'report.ndjson');
  const paths: string[] = files.map((name: string) => join(SAMPLES, name));
  const { code, stderr } = await runCli(
    words`import ${paths} --url ${url} --yes --mfa password-only --report ${report}`,
  );
  expect([code, stderr]).toEqual([2, expect.stringContaining('14 rows = 8 imported + 4 skipped')]);
  expect(stderr).toContain('Warning: The service must have base64_signer_key of this project');
  const rows = readNdjson(readFileSync(report, 'utf8'));
  expect(rows.map(({ row, result, reason, email }) => ({ row, result, reason, email }))).toEqual(
    users.map(({ row, result, reason, email }: Record<string, unknown>) =>
      expect.objectContaining({ row, result, reason, ...(result === 'import' && { email }) }),
    ),
  );
  for (const { result, email, password } of users) {
    if (result !== 'import' || !password) continue;
    expect([email, await signInStatus(service, email, password)]).toEqual([email, 'OK']);
  }

  const prove = (password: string) =>
    runCli(['prove', ...paths, '--email', 'ada@example.org', '--url', url], {
      input: `${password}\n`,
    });
  expect((await prove('Analytical-Engine1')).code).toBe(0);
  const wrong = await prove('analytical');
  expect([wrong.code, wrong.stdout]).toEqual([2, expect.stringContaining('signer key of another project')]);
});
