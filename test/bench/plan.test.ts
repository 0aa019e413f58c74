import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { planCapacity } from '../../bench/capacity/plan-capacity.ts';
import { HELP } from '../../bench/capacity/read-demand.ts';
import { EXAMPLES, planned } from '../support/docs/capacity-tables.ts';
import { demandOf } from './capacity/demands.ts';

const plan = (...args: string[]) =>
  promisify(execFile)('npm', ['run', '-s', 'plan', '--', ...args]).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );

it('refuses flags that it cannot read with one sentence, and exits with 1', async () => {
  expect(await plan('--users', 'many', '--sign-ins', '1')).toEqual({
    code: 1,
    stdout: '',
    stderr: '--users: expected a whole number from 1 to 100,000,000,000, got many.\n',
  });
});

it('prints the examples of the documentation', async () => {
  for (const args of EXAMPLES)
    expect(await plan(...args.split(' '))).toEqual({ code: 0, stdout: planned(args), stderr: '' });
});

it('prints the same as JSON', async () => {
  const { stdout } = await plan('--users', '1e6', '--sign-ins', '10', '--json');
  expect(JSON.parse(stdout)).toEqual(planCapacity(demandOf()));
});

it('prints help', async () => {
  expect(await plan('--help')).toEqual({ code: 0, stdout: HELP, stderr: '' });
});
