import { expect, it } from 'vitest';
import { choosePlan } from '../../../src/sources/pipeline/choose-plan.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { fileOf } from '../containers/read-whole.ts';

const settings = { emailDomain: 'example.com' };

it('/etc/passwd alone is refused, and says what is missing', async () => {
  const survey = await surveyFile(fileOf('ann:x:1:1::/:/bin/sh\n'), {});
  expect(choosePlan([survey], { settings })).toEqual({
    noPlan: expect.stringMatching(/\/etc\/passwd without hashes.*Name both files\.$/),
  });
});

it('/etc/passwd alone is read if it holds hashes', async () => {
  const survey = await surveyFile(fileOf('ann:$1$s$h:1:1:Ann:/:/bin/sh\n'), { format: 'passwd' });
  const plan = choosePlan([survey], { settings });
  expect('noPlan' in plan ? plan.noPlan : plan.forms.map(({ name }) => name)).toEqual(['passwd']);
});

it('/etc/shadow without /etc/passwd says what that would tell', async () => {
  const survey = await surveyFile(fileOf('ann:$6$s$h:19000:0:99999:7:::\n'), {});
  const plan = choosePlan([survey], { settings });
  expect('noPlan' in plan ? [] : plan.advice).toEqual([
    expect.objectContaining({
      level: 'stop',
      text: expect.stringContaining('The table passwd is not in the export'),
    }),
  ]);
});
