import { expect, it } from 'vitest';
import { buildRegistry } from '../../src/hashing/registry.ts';
import { AppError } from '../../src/lib/errors.ts';
import { HashCensus } from '../../src/passwords/hash-census.ts';
import type { HashGroup, HashPage } from '../../src/passwords/hash-store.ts';
import { DEFAULT_LIMITS } from '../support/vectors.ts';

const GROUP: HashGroup = {
  algorithm: 'bcrypt',
  strength: 'strong',
  setBy: 'import',
  logins: 3,
  signedIn: 1,
};

/** Creates a census of these pages. Each page is returned after a call of `next`. */
function censusOf(pages: readonly (HashPage | Error)[]) {
  let nowMs = 1_000_000;
  const asked: string[] = [];
  const waiting: (() => void)[] = [];
  let place = 0;
  const census = new HashCensus({
    registry: buildRegistry(DEFAULT_LIMITS),
    now: () => nowMs,
    store: {
      countHashes: (after) => {
        asked.push(after);
        const page = pages[place++ % pages.length];
        return new Promise((resolve, reject) => {
          waiting.push(() => (page instanceof Error ? reject(page) : resolve(page as HashPage)));
        });
      },
    },
  });
  return {
    census,
    asked,
    async next() {
      await expect.poll(() => waiting.length).toBeGreaterThan(0);
      waiting.shift()?.();
    },
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

it('adds up pages, each continuing where the last one ended', async () => {
  const { census, asked, next } = censusOf([
    { groups: [GROUP], last: 'm@b.c' },
    {
      groups: [
        { ...GROUP, logins: 1, signedIn: 0 },
        { ...GROUP, setBy: 'user', logins: 9 },
      ],
      last: undefined,
    },
  ]);
  const answer = census.read();
  await next();
  await next();
  expect(await answer).toMatchObject({
    isCounting: false,
    latest: {
      countedAtMs: 1_000_000,
      groups: [
        { setBy: 'user', logins: 9 },
        { setBy: 'import', logins: 4, signedIn: 1 },
      ],
    },
  });
  expect(asked).toEqual(['', 'm@b.c']);
});

it('uses the class of the algorithm for hashes stored without a class', async () => {
  const { census, next } = censusOf([
    {
      groups: [
        { ...GROUP, strength: undefined },
        { ...GROUP, algorithm: 'phpass', strength: undefined },
        { ...GROUP, algorithm: 'of-tomorrow', strength: undefined },
      ],
      last: undefined,
    },
  ]);
  const answer = census.read();
  await next();
  const classes = (await answer).latest?.groups.map(({ algorithm, strength }) => [algorithm, strength]);
  expect(classes).toEqual([
    ['bcrypt', 'strong'],
    ['phpass', 'legacy'],
    ['of-tomorrow', 'unknown'],
  ]);
});

it('counts once for all simultaneous callers, and again after a minute', async () => {
  const { census, asked, next, pass } = censusOf([{ groups: [GROUP], last: undefined }]);
  const answers = [census.read(), census.read()];
  await next();
  await Promise.all(answers);
  await census.read();
  expect(asked).toEqual(['']);
  pass(60_001);
  const second = census.read();
  await next();
  expect(await second).toMatchObject({ latest: { countedAtMs: 1_060_001 } });
  expect(asked).toEqual(['', '']);
});

it('does not make a caller wait for a long count', async () => {
  const { census, next } = censusOf([{ groups: [GROUP], last: undefined }]);
  expect(await census.read()).toEqual({ latest: undefined, isCounting: true });
  await next();
  await expect.poll(async () => (await census.read()).isCounting).toBe(false);
});

it('reports a failure if there is no earlier result, and starts again at the next call', async () => {
  const unavailable = new AppError('STORAGE_UNAVAILABLE', 'gone');
  const { census, next, pass } = censusOf([unavailable, { groups: [GROUP], last: undefined }, unavailable]);
  const first = expect(census.read()).rejects.toBe(unavailable);
  await next();
  await first;
  const second = census.read();
  await next();
  expect((await second).latest?.groups).toHaveLength(1);
  pass(60_001);
  const third = census.read();
  await next();
  expect((await third).latest?.countedAtMs).toBe(1_000_000);
});

it('stops after the current statement', async () => {
  const { census, asked, next } = censusOf([{ groups: [GROUP], last: 'm@b.c' }]);
  const answer = census.read();
  const stopped = census.stop();
  await next();
  await stopped;
  expect((await answer).latest).toBeUndefined();
  expect(asked).toEqual(['']);
  expect(await census.read()).toEqual({ latest: undefined, isCounting: false });
});
