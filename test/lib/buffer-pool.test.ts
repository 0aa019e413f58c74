import { expect, it } from 'vitest';
import { BufferPool } from '../../src/lib/buffers.ts';

const MIB = 1024 * 1024;

class Item {
  readonly capacity: number;
  isCleared = false;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  clear(): void {
    this.isCleared = true;
  }
}

it('reuses returned buffers, cleared, each only once', () => {
  const pool = new BufferPool(() => new Item(1));
  const [first, second] = [pool.take(), pool.take()];
  expect(second).not.toBe(first);
  expect(first.isCleared).toBe(false);
  pool.give(first);
  expect(pool.take()).toBe(first);
  expect(first.isCleared).toBe(true);
  expect(pool.take()).not.toBe(first);
});

it('accepts no buffer twice, whether it was kept or not', () => {
  const pool = new BufferPool(() => new Item(MIB));
  const [kept, dropped] = [pool.take(), new Item(5 * MIB)];
  for (const item of [kept, dropped]) {
    pool.give(item);
    expect(() => pool.give(item)).toThrow('given back already');
  }
  expect(pool.take()).toBe(kept);
  expect(pool.take()).not.toBe(kept);
  pool.give(kept);
});

it('keeps at most 4 MiB', () => {
  const pool = new BufferPool(() => new Item(MIB));
  const items = Array.from({ length: 6 }, () => pool.take());
  for (const item of items) pool.give(item);
  const again = Array.from({ length: 6 }, () => pool.take());
  expect(again.filter((item) => items.includes(item))).toHaveLength(4);
  pool.give(new Item(5 * MIB));
  expect(pool.take().capacity).toBe(MIB);
});
