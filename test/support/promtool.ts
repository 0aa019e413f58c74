import { execFileSync, spawnSync } from 'node:child_process';
import type { TestContext } from 'vitest';

/** Runs promtool, and returns its exit code and output. Skips the test where promtool is not installed, except in CI. */
export function promtool(context: TestContext, args: readonly string[], input = ''): string {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
  } catch {
    if (process.env.CI === undefined) context.skip('promtool (Debian package prometheus) is not installed');
  }
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  return `${status} ${stdout}${stderr}`;
}
