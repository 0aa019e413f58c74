import { expect, it } from 'vitest';
import { newTally } from '../../../src/sources/pipeline/tally.ts';
import { adviceOnRows } from '../../../src/sources/pipeline/user-advice.ts';
import { planOf, readSamples, verdictsOf } from '../samples.ts';

const PER_APP = ['facebook', 'apple', 'active-directory'];

it('warns for exactly the systems that have logins at such a provider', async () => {
  const said = new Set<string>();
  for (const sample of readSamples()) {
    const tally = newTally();
    await verdictsOf(await planOf(sample), { tally });
    const imported = sample.users.filter(({ result }) => result === 'import');
    const providers = imported.flatMap(({ thirdParty }) =>
      thirdParty.map(({ thirdPartyId }) => thirdPartyId),
    );
    const names = sample.files.map(({ name }) => name).join(' + ');
    expect([names, [...tally.providers.keys()].sort()]).toEqual([names, [...new Set(providers)].sort()]);
    const isSaid = adviceOnRows(tally, { mfa: undefined }, 1).some(({ text }) => text.includes('Facebook'));
    expect([names, isSaid]).toEqual([names, providers.some((provider) => PER_APP.includes(provider))]);
    if (isSaid) said.add(sample.system);
  }
  expect(said.size).toBeGreaterThan(3);
});
