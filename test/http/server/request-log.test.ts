import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TroubleLog } from '../../../src/http/server/request-log.ts';
import { AppError } from '../../../src/lib/errors.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createTestApp } from '../../support/app.ts';

const lines: string[] = [];
let troubles: TroubleLog;
beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
  troubles = new TroubleLog(createLogger('info', { write: (line) => void lines.push(line) }));
});
afterEach(() => void vi.useRealTimers());

const logged = () => lines.map((line) => JSON.parse(line)).map(({ code, count }) => [code, count]);
const meet = (code: 'OVERLOADED' | 'STORAGE_UNAVAILABLE', times: number) => {
  for (let time = 0; time < times; time += 1) troubles.add(new AppError(code, 'a trouble'));
};

it('logs the first problem at once, and then once a second with the number of the others', () => {
  meet('OVERLOADED', 1000);
  expect(logged()).toEqual([['OVERLOADED', undefined]]);
  vi.advanceTimersByTime(1000);
  expect(logged()).toEqual([
    ['OVERLOADED', undefined],
    ['OVERLOADED', 999],
  ]);
  meet('OVERLOADED', 5);
  vi.advanceTimersByTime(1000);
  expect(logged().at(-1)).toEqual(['OVERLOADED', 5]);
});

it('starts again after a second without problems, separately for each kind', () => {
  meet('OVERLOADED', 1);
  meet('STORAGE_UNAVAILABLE', 2);
  vi.advanceTimersByTime(1000);
  meet('OVERLOADED', 1);
  expect(logged()).toEqual([
    ['OVERLOADED', undefined],
    ['STORAGE_UNAVAILABLE', undefined],
    ['STORAGE_UNAVAILABLE', 1],
    ['OVERLOADED', undefined],
  ]);
});

it('logs everything that is pending at the end', () => {
  meet('OVERLOADED', 3);
  troubles.flush();
  expect(logged()).toEqual([
    ['OVERLOADED', undefined],
    ['OVERLOADED', 2],
  ]);
  vi.advanceTimersByTime(5000);
  expect(logged()).toHaveLength(2);
});

it('logs requests that are answered with 503', async () => {
  vi.useRealTimers();
  const unavailable = async (): Promise<never> => {
    throw new AppError('STORAGE_UNAVAILABLE', 'Storage is unavailable');
  };
  const service = await createTestApp({ store: (real) => ({ ...real, countUsers: unavailable }) });
  for (let time = 0; time < 20; time += 1) await service.send('GET', '/users/count');
  await service.close();
  const errors = service
    .log()
    .split('\n')
    .filter((line) => line.includes('"level":"error"'));
  expect(errors.length).toBeLessThan(5);
  const sum = errors.reduce((total, line) => total + (JSON.parse(line).count ?? 1), 0);
  expect(sum).toBe(20);
});
