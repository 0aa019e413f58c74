import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Files that replace a module for themselves, look at what their process has loaded, or set up a library once for the whole process. */
const WITH_OWN_MODULES = [
  'test/hashing/kdf/find-libxcrypt.test.ts',
  'test/hashing/process/hashing-processes.test.ts',
  'test/hashing/process/native-library.test.ts',
  'test/sdk/*.test.ts',
  'test/passwords/verify-password-hash-runs.test.ts',
];

const TIMEOUTS = {
  // Each statement costs several times as much where it goes to several nodes.
  testTimeout: process.env.TEST_CITUS_URL ? 300_000 : 60_000,
  hookTimeout: 120_000,
  // A condition may take long on a busy machine. It fails with the test, and not before.
  expect: { poll: { timeout: 30_000, interval: 20 } },
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // One more than there are cores: many tests wait for Postgres, or for processes that they have started.
    maxWorkers: availableParallelism() + 1,
    // A process for each file would take half of the time to load what the others have loaded.
    projects: [
      {
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: WITH_OWN_MODULES,
          ...TIMEOUTS,
        },
      },
      { test: { name: 'alone', include: WITH_OWN_MODULES, ...TIMEOUTS } },
    ],
  },
});
