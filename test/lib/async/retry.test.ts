import { describe, expect, it } from 'vitest';
import { retry, upTo } from '../../../src/lib/async/until.ts';

/** Fails a number of times, each time with another error. */
function failing(times: number) {
  const attempts: number[] = [];
  const work = async (attempt: number) => {
    attempts.push(attempt);
    if (attempt <= times) throw new Error(`failure ${attempt}`);
    return 'done';
  };
  return { attempts, work };
}

describe('retry', () => {
  it('repeats until the work succeeds, and counts the attempts', async () => {
    const { attempts, work } = failing(2);
    expect(await retry(work, () => 0)).toBe('done');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('throws the last error when the decision is to give up', async () => {
    const { attempts, work } = failing(5);
    await expect(retry(work, (_, attempt) => (attempt < 3 ? 0 : undefined))).rejects.toThrow('failure 3');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('throws what the decision throws', async () => {
    const { work } = failing(1);
    const decide = async () => {
      throw new Error('explained');
    };
    await expect(retry(work, decide)).rejects.toThrow('explained');
  });

  it('waits between attempts', async () => {
    const { work } = failing(2);
    const started = performance.now();
    await retry(work, () => 30);
    expect(performance.now() - started).toBeGreaterThan(55);
  });

  it('ends a pause when the signal is aborted, with its reason', async () => {
    const { attempts, work } = failing(5);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('interrupted')), 10);
    const started = performance.now();
    await expect(retry(work, () => 60_000, controller.signal)).rejects.toThrow('interrupted');
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(attempts).toEqual([1]);
  });

  it('makes no further attempt without a pause either once the signal is aborted', async () => {
    const controller = new AbortController();
    const { attempts, work } = failing(5);
    const decide = () => {
      controller.abort(new Error('interrupted'));
      return 0;
    };
    await expect(retry(work, decide, controller.signal)).rejects.toThrow('interrupted');
    expect(attempts).toEqual([1]);
  });
});

describe('upTo', () => {
  it('allows as many attempts in all', async () => {
    const { attempts, work } = failing(5);
    await expect(
      retry(
        work,
        upTo(3, () => true),
      ),
    ).rejects.toThrow('failure 3');
    expect(attempts).toEqual([1, 2, 3]);
  });

  it('gives up at once after an error of another kind', async () => {
    const { attempts, work } = failing(5);
    const isFirst = (error: unknown) => error instanceof Error && error.message === 'failure 1';
    await expect(retry(work, upTo(9, isFirst))).rejects.toThrow('failure 2');
    expect(attempts).toEqual([1, 2]);
  });
});
