import { expect, it } from 'vitest';
import { nextSteps } from '../../../src/cli/rows/next-steps.ts';
import { VerdictCounts } from '../../../src/cli/rows/verdict-counts.ts';
import type { OnConflict } from '../../../src/imports/import-request.ts';
import { LINE_CODES } from '../../../src/imports/input/parsed-user.ts';
import { RECORD_PROBLEMS } from '../../../src/sources/containers/table.ts';
import { USER_PROBLEMS, type Verdict } from '../../../src/sources/pipeline/verdict.ts';
import { HASH_PROBLEMS } from '../../../src/sources/source-user.ts';

type Rows = [result: Verdict['result'], reason: string][];

const stepsFor = (...rows: Rows) => stepsOf({}, rows);

function stepsOf(
  settings: Record<string, string>,
  rows: Rows,
  onConflict: OnConflict = 'update-unchanged',
  matchBy?: 'externalId',
): string[] {
  const verdicts = new VerdictCounts();
  for (const [result, reason] of rows) verdicts.add({ result, reason });
  return nextSteps(verdicts, { settings }, { onConflict, matchBy });
}

/** Codes of lines that are skipped, and need nothing. */
const NOTHING_TO_DO = new Set([
  'EMAIL_CHANGED_SINCE',
  'LOGIN_METHODS_CHANGED_SINCE',
  'PASSWORD_CHANGED_SINCE',
  'SIGNED_IN_SINCE',
  'STATE_CHANGED_SINCE',
  'UNCHANGED',
  'USER_UNKNOWN',
]);

it.each([
  ...[...RECORD_PROBLEMS, ...USER_PROBLEMS, ...HASH_PROBLEMS],
  ...LINE_CODES.filter((code) => !NOTHING_TO_DO.has(code)),
  ...['FACTORS_SECRET_MISSING', 'FIELD_INVALID', 'HANDED_OVER', 'HASHING_SECRET_MISSING'],
  ...['HASHING_ALGORITHM_UNSUPPORTED', 'PASSWORD_HASH_COST', 'SIGNER_KEY_NOT_CONFIGURED'],
])('%s has a next step', (reason) => {
  const [step] = stepsFor(['error', reason]);
  expect(step).toMatch(new RegExp(`^  ${reason}: .{20,}\\.$`));
  expect(step).not.toContain('docs/errors.md');
});

it('names the messages and the document for codes of the service that are rare', () => {
  expect(stepsFor(['error', 'INTERNAL'])).toEqual([
    '  INTERNAL: see the messages in --report FILE, and docs/errors.md.',
  ]);
});

it('does not offer --on-conflict skip to an import that has it', () => {
  const stepFor = (onConflict: OnConflict) =>
    stepsOf({}, [['conflict', 'EXTERNAL_ID_ALREADY_EXISTS']], onConflict)[0];
  expect(stepFor('update-unchanged')).toContain('add --on-conflict skip');
  expect(stepFor('skip')).toMatch(/add --set idPrefix=TEXT\.$/);
});

it.each(['EXTERNAL_ID_ALREADY_EXISTS', 'LOGIN_METHODS_DIVIDED'])(
  'an import that meets users of an earlier one is told to find them by id: %s',
  (reason) => {
    const rows: Rows = [['conflict', reason]];
    expect(stepsOf({}, rows)[0]).toContain('--match external-id');
    expect(stepsOf({}, rows, 'skip', 'externalId')[0]).not.toContain('--match external-id');
  },
);

it('names failures first, and leaves out skipped rows that need nothing', () => {
  const steps = stepsFor(
    ['skip', 'DELETED'],
    ['skip', 'DISABLED'],
    ['conflict', 'EXTERNAL_ID_ALREADY_EXISTS'],
  );
  expect(steps.map((step) => step.trim().split(':')[0])).toEqual(['EXTERNAL_ID_ALREADY_EXISTS', 'DISABLED']);
  expect(steps[0]).toContain('--set idPrefix=TEXT');
});

it.each([
  [{}, /^ {2}NO_EMAIL: people sign in here by address: [^-]*$/],
  [{ usernameIsEmail: 'x' }, /--set usernameIsEmail=yes\.$/],
  [{ emailDomain: 'x' }, /^[^;]*--set emailDomain=example\.com\.$/],
  [{ usernameIsEmail: 'x', emailDomain: 'x' }, /usernameIsEmail=yes; .*emailDomain=example\.com\.$/],
])('offers only settings that the system has: %j', (settings, step) => {
  expect(stepsOf(settings, [['skip', 'NO_EMAIL']])).toEqual([expect.stringMatching(step)]);
});
