import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BulkPace } from '../../src/imports/bulk-pace.ts';

/** A step that ends when the test says so. */
function stepOf(pace: BulkPace) {
  let end = () => {};
  const state = { isRunning: false };
  const done = pace.step(() => {
    state.isRunning = true;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  return {
    state,
    async end() {
      end();
      await done;
    },
  };
}

const soon = () => new Promise(setImmediate);
const running = (steps: { state: { isRunning: boolean } }[]) =>
  steps.filter(({ state }) => state.isRunning).length;
const quietly = async (pace: BulkPace, steps: number) => {
  for (let step = 0; step < steps; step += 1) await pace.step(async () => {});
};

describe('steps of bulk work', () => {
  it('run all at once while nobody waits', async () => {
    const pace = new BulkPace();
    const steps = Array.from({ length: 20 }, () => stepOf(pace));
    await soon();
    expect(running(steps)).toBe(20);
    expect(pace.isHeldBack).toBe(false);
  });

  it.each(['quick', 'hashing'] as const)(
    'run one at a time, in order, while a %s call waits',
    async (kind) => {
      const pace = new BulkPace();
      const before = stepOf(pace);
      await soon();
      const answer = pace.call(kind);
      const [first, second] = [stepOf(pace), stepOf(pace)];
      await soon();
      expect(running([first, second])).toBe(0);
      await before.end();
      await soon();
      expect([first.state.isRunning, second.state.isRunning]).toEqual([true, false]);
      await first.end();
      await soon();
      expect(second.state.isRunning).toBe(true);
      expect(pace.isHeldBack).toBe(kind === 'quick');
      answer();
      await second.end();
    },
  );

  it('increase in number while nobody waits, and run one at a time again at the next call', async () => {
    const pace = new BulkPace();
    pace.call('quick')();
    const most = async () => {
      const steps = Array.from({ length: 20 }, () => stepOf(pace));
      await soon();
      const count = running(steps);
      for (let ended = 0; ended < steps.length; ended += 1) {
        await soon();
        await steps[ended]?.end();
      }
      return count;
    };
    expect(await most()).toBe(1);
    expect(await most()).toBeGreaterThan(3);
    await quietly(pace, 40);
    expect(await most()).toBe(20);
    pace.call('quick')();
    expect(await most()).toBe(1);
  });

  it('continue after one of them fails', async () => {
    const pace = new BulkPace();
    pace.call('quick');
    await expect(pace.step(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await pace.step(async () => 'next')).toBe('next');
  });

  it('all run eventually, whatever calls come and go', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('quick', 'hashing', 'answer', 'step'), { maxLength: 60 }),
        async (events) => {
          const pace = new BulkPace();
          const answers: (() => void)[] = [];
          const steps: Promise<void>[] = [];
          for (const event of events) {
            if (event === 'step') steps.push(pace.step(soon).then(() => {}));
            else if (event === 'answer') answers.pop()?.();
            else answers.push(pace.call(event));
          }
          await Promise.all(steps);
        },
      ),
    );
  });
});
