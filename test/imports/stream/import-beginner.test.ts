import { expect, it } from 'vitest';
import type { ImportRequest } from '../../../src/imports/import-request.ts';
import type { NotBegun, Run } from '../../../src/imports/import-store.ts';
import { ImportBeginner } from '../../../src/imports/stream/run-import.ts';

const request = (importId: string, keyName = ''): ImportRequest => ({
  importId,
  keyName,
  dryRun: false,
  onConflict: 'fail',
});
const runOf = ({ importId, keyName }: ImportRequest): Run => ({
  importId,
  owner: keyName,
  progress: {
    nextLine: 1,
    outcomes: { created: 0, updated: 0, skipped: 0, failed: 0 },
    failures: {},
    algorithms: {},
    hashes: {},
  },
});

/** A store whose statements overtake each other: the first takes longest. */
function storeThatReorders() {
  const begun: string[] = [];
  let pauseMs = 30;
  return {
    begun,
    async begin(asked: ImportRequest): Promise<Run | NotBegun> {
      const pause = pauseMs;
      pauseMs -= 10;
      await new Promise((resolve) => setTimeout(resolve, pause));
      begun.push(asked.keyName);
      return asked.importId === 'old' ? 'expired' : runOf(asked);
    },
  };
}

it('begins one import in the order of requests, so that the last one owns it', async () => {
  const store = storeThatReorders();
  const beginner = new ImportBeginner(store);
  const runs = await Promise.all(['first', 'second', 'third'].map((by) => beginner.begin(request('it', by))));
  expect(runs.map(({ owner }) => owner)).toEqual(['first', 'second', 'third']);
  expect(store.begun).toEqual(['first', 'second', 'third']);
});

it('begins different imports at the same time', async () => {
  const store = storeThatReorders();
  const beginner = new ImportBeginner(store);
  await Promise.all(['first', 'second', 'third'].map((by) => beginner.begin(request(by, by))));
  expect(store.begun).toEqual(['third', 'second', 'first']);
});

it('does not begin for a caller that has left, and continues with the next', async () => {
  const store = storeThatReorders();
  const beginner = new ImportBeginner(store);
  const gone = new AbortController();
  const left = beginner.begin(request('it', 'gone'), gone.signal);
  const next = beginner.begin(request('it', 'next'));
  gone.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect((await next).owner).toBe('next');
  expect(store.begun).toEqual(['next']);
});

it('reports why an import cannot be resumed', async () => {
  await expect(new ImportBeginner(storeThatReorders()).begin(request('old'))).rejects.toMatchObject({
    code: 'IMPORT_EXPIRED',
  });
});
