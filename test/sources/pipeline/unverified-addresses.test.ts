import { expect, it } from 'vitest';
import { newTally } from '../../../src/sources/pipeline/tally.ts';
import { adviceOnRows } from '../../../src/sources/pipeline/user-advice.ts';
import { planOf, readSamples, verdictsOf } from '../samples.ts';

it('are said of every export in which other addresses are verified, and of no other', async () => {
  const said = new Set<string>();
  for (const sample of readSamples()) {
    const tally = newTally();
    const verdicts = await verdictsOf(await planOf(sample), { tally });
    const flags = verdicts.flatMap(({ line = '{"loginMethods":[]}' }) => {
      const { loginMethods }: { loginMethods: { recipeId: string; isVerified: boolean }[] } =
        JSON.parse(line);
      return loginMethods.flatMap(({ recipeId, isVerified }) =>
        recipeId === 'emailpassword' ? isVerified === true : [],
      );
    });
    const unverified = flags.filter((verified) => !verified).length;
    const isMixed = unverified > 0 && unverified < flags.length;
    const advice = adviceOnRows(tally, { mfa: undefined }, 1).find(({ text }) =>
      text.includes('while others have one'),
    );
    const names = sample.files.map(({ name }) => name).join(' + ');
    expect([names, advice?.text.includes(`while others have one: ${unverified}.`)]).toEqual([
      names,
      isMixed ? true : undefined,
    ]);
    if (isMixed) said.add(sample.system);
  }
  expect([...said]).toEqual(expect.arrayContaining(['payload', 'flask-security']));
});
