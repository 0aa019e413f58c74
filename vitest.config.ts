import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Each statement costs several times as much where it goes to several nodes.
    testTimeout: process.env.TEST_CITUS_URL ? 300_000 : 60_000,
    hookTimeout: 120_000,
    // Without it one core is left alone. On a machine with two, half of the time the other one waits for Postgres.
    maxWorkers: availableParallelism(),
  },
});
