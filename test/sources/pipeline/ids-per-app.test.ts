import { expect, it } from 'vitest';
import { idsPerApp } from '../../../src/sources/pipeline/ids-per-app.ts';
import { newTally } from '../../../src/sources/pipeline/judge.ts';
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
    const isSaid = idsPerApp(tally).length === 1;
    expect([names, isSaid]).toEqual([names, providers.some((provider) => PER_APP.includes(provider))]);
    if (isSaid) said.add(sample.system);
  }
  expect(said.size).toBeGreaterThan(3);
});
