import { describe, expect, it } from 'vitest';
import { fileOf } from '../containers/read-whole.ts';
import { planOf, readSamples, type Sample, verdictsOf } from '../samples.ts';

const PREFIX = 'shop-';

/** Returns the id of each row, and its line if it is imported. */
async function rowsOf(sample: Pick<Sample, 'files' | 'options'>, options: Record<string, string> = {}) {
  const plan = await planOf({ ...sample, options: { ...sample.options, ...options } });
  return (await verdictsOf(plan)).map(({ externalUserId, line }) => ({
    externalUserId,
    line: line === undefined ? undefined : JSON.parse(line),
  }));
}

const withPrefix = <Ids extends { externalUserId?: string | undefined }>(ids: Ids): Ids =>
  ids?.externalUserId === undefined ? ids : { ...ids, externalUserId: `${PREFIX}${ids.externalUserId}` };

describe('--set idPrefix', () => {
  it.each([...new Map(readSamples().map((sample) => [sample.system, sample]))])(
    'changes the ids and nothing else: %s',
    async (_, sample) => {
      const before = await rowsOf(sample);
      expect(await rowsOf(sample, { idPrefix: PREFIX })).toEqual(
        before.map(({ externalUserId, line }) => ({
          ...withPrefix({ externalUserId }),
          line: line && {
            ...withPrefix(line),
            loginMethods: line.loginMethods.map(withPrefix),
          },
        })),
      );
    },
  );

  it('stands before the ids of login methods as well, and replaces the blanks that the service strips', async () => {
    const method = (email: string, externalUserId: string) => ({
      recipeId: 'thirdparty',
      thirdPartyId: 'google',
      thirdPartyUserId: externalUserId,
      email,
      externalUserId,
    });
    const user = { externalUserId: ' 7 ', loginMethods: [method('a@x.org', '7'), method('b@x.org', '8')] };
    const files = [{ ...fileOf(JSON.stringify([user])), name: 'users.json' }];
    const [row] = await rowsOf({ files, options: {} }, { idPrefix: PREFIX });
    expect(row?.line.externalUserId).toBe('shop-7');
    expect(row?.line.loginMethods.map((one: { externalUserId: string }) => one.externalUserId)).toEqual([
      'shop-7',
      'shop-8',
    ]);
  });

  it('leaves users without an id as they are', async () => {
    const text =
      'id,email,hash\n,ada@example.com,$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq\n';
    const [row] = await rowsOf(
      { files: [{ ...fileOf(text), name: 'users.csv' }], options: {} },
      { idPrefix: PREFIX },
    );
    expect(row?.line.loginMethods).toHaveLength(1);
    expect(row?.line.externalUserId).toBeUndefined();
  });
});
