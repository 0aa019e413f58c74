import { describe, expect, it } from 'vitest';
import { HELP, readDemand } from '../../../bench/capacity/read-demand.ts';
import { demandOf } from './demands.ts';

const BOTH = ['--users', '1e6', '--sign-ins', '10'];

describe('is refused with one sentence', () => {
  it.each([
    ['no users', ['--sign-ins', '10'], '--users is missing: --users N.'],
    ['no sign-ins', ['--users', '1e6'], '--sign-ins is missing: --sign-ins N.'],
    ['no value', ['--users'], '--users needs a value.'],
    ['an empty value', ['--users='], '--users needs a value.'],
    ['a word', ['--users', 'many'], '--users: expected a whole number from 1 to 100,000,000,000, got many.'],
    ['no user', ['--users', '0'], '--users: expected a whole number from 1 to 100,000,000,000, got 0.'],
    [
      'a part of a user',
      ['--users', '1.5'],
      '--users: expected a whole number from 1 to 100,000,000,000, got 1.5.',
    ],
    [
      'fewer than none',
      ['--users=-5'],
      '--users: expected a whole number from 1 to 100,000,000,000, got -5.',
    ],
    [
      'more than there can be',
      ['--users', '1e12'],
      '--users: expected a whole number from 1 to 100,000,000,000, got 1e12.',
    ],
    [
      'another base',
      ['--users', '0x10'],
      '--users: expected a whole number from 1 to 100,000,000,000, got 0x10.',
    ],
    ['a blank', ['--users', ' '], '--users: expected a whole number from 1 to 100,000,000,000, got  .'],
    [
      'a misplaced underscore',
      ['--users', '1__0'],
      '--users: expected a whole number from 1 to 100,000,000,000, got 1__0.',
    ],
    [
      'endless',
      ['--users', 'Infinity'],
      '--users: expected a whole number from 1 to 100,000,000,000, got Infinity.',
    ],
    [
      'no hours',
      [...BOTH, '--import-hours', '0'],
      '--import-hours: expected a number from 0.01 to 10,000, got 0.',
    ],
    [
      'no cores',
      [...BOTH, '--cores-per-node', '0'],
      '--cores-per-node: expected a whole number from 1 to 1,024, got 0.',
    ],
    ['a flag twice', [...BOTH, '--users', '2'], '--users is given twice.'],
    ['a value for none', [...BOTH, '--json=yes'], '--json takes no value.'],
    ['a flag that is mistyped', [...BOTH, '--user', '1'], 'There is no flag --user. Did you mean --users?'],
    ['a flag like no other', [...BOTH, '-z'], 'There is no flag -z.'],
    ['a word without a flag', [...BOTH, '5000'], '5000 belongs to no flag.'],
    [
      'a hash that is mistyped',
      [...BOTH, '--hash', 'bcript'],
      '--hash: There is no hash called bcript. Did you mean bcrypt?',
    ],
    [
      'a share that is no number',
      [...BOTH, '--hash', 'bcrypt=most'],
      '--hash bcrypt: expected a number from 0 to 1,000,000,000, got most.',
    ],
    [
      'a hash twice',
      [...BOTH, '--hash', 'bcrypt,bcrypt'],
      '--hash: expected shares such as bcrypt=0.7,argon2=0.3, got bcrypt,bcrypt.',
    ],
    ['no share at all', [...BOTH, '--hash', 'bcrypt=0'], '--hash: the shares are all 0.'],
  ])('%s', (_name, args, problem) => {
    expect(readDemand(args)).toEqual({ problem });
  });
});

it.each(['1000000000', '1_000_000_000', '1e9', '1E9', '0.001e12', '1000000000.0'])(
  '%s reads as a billion',
  (text) => {
    expect(readDemand(['--users', text, '--sign-ins', '0'])).toMatchObject({ demand: { users: 1e9 } });
  },
);

it('every flag except users and sign-ins has a default', () => {
  expect(readDemand(BOTH)).toEqual({ demand: demandOf(), json: false });
});

it('reads every flag', () => {
  const args =
    '--users=2e6 --sign-ins=1_000 --single-imports 50 --cores-per-node 8 --memory-per-node 32 --disk-per-node 250 --import-hours 1.5 --json';
  expect(readDemand([...args.split(' '), '--hash', 'bcrypt=3,argon2=1'])).toEqual({
    demand: {
      ...{ users: 2e6, signIns: 1000, singleImports: 50, cores: 8, memoryGib: 32, diskMbs: 250 },
      ...{ importHours: 1.5, hashes: { bcrypt: 0.75, argon2: 0.25 } },
    },
    json: true,
  });
});

it('prints help before it asks for flags, and the help names every flag', () => {
  expect(readDemand(['--help'])).toEqual({ help: true });
  for (const flag of ['users', 'sign-ins', 'hash', 'import-hours', 'json'])
    expect(HELP).toContain(`--${flag} `);
});
