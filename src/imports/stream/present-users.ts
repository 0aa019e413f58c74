import { stripControlAndSpace } from '../../lib/text/strip-control-and-space.ts';
import { isBlank, type RawLine } from '../input/line-splitter.ts';

/** Initial size: enough for most chunks. */
const BITMAP_BYTES = 256;

/**
 * Users whom the lines of an import name, whether imported or not. Needs one bit per user: a user id consists
 * of the chunk that created the user and the index of the line (resolve/chunk-ids.ts).
 */
export class PresentUsers {
  readonly #bitmaps = new Map<string, Uint8Array>();
  /** Number of lines without an external id. It is unknown which users they are about. */
  unnamed = 0;

  add(userId: string): void {
    const [chunk, index] = placeOf(userId);
    const byte = index >> 3;
    let bitmap = this.#bitmaps.get(chunk);
    if (bitmap === undefined || byte >= bitmap.length) {
      const larger = new Uint8Array(Math.max(BITMAP_BYTES, 2 * byte));
      if (bitmap !== undefined) larger.set(bitmap);
      bitmap = larger;
      this.#bitmaps.set(chunk, bitmap);
    }
    bitmap[byte] = (bitmap[byte] ?? 0) | (1 << (index & 7));
  }

  has(userId: string): boolean {
    const [chunk, index] = placeOf(userId);
    return (((this.#bitmaps.get(chunk)?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1;
  }
}

const placeOf = (userId: string): [chunk: string, index: number] => [
  userId.slice(0, 24) + userId.slice(29),
  Number.parseInt(userId.slice(24, 29), 16),
];

export function externalIdsIn(line: RawLine): string[] | undefined {
  if (isBlank(line)) return undefined;
  const value = parsed(line.text);
  const methods = Array.isArray(value.loginMethods) ? value.loginMethods : [];
  return [value, ...methods].flatMap((one) => {
    const id = typeof one === 'object' && one !== null ? (one as Members).externalUserId : undefined;
    return typeof id === 'string' && id !== '' ? stripControlAndSpace(id) : [];
  });
}

/** `{"externalUserId":"…"}` only states that a user is not missing, and imports nobody. */
export function isMention({ text }: RawLine): boolean {
  const members = parsed(text);
  return members !== NOTHING && Object.keys(members).every((key) => key === 'externalUserId');
}

type Members = Record<string, unknown>;

function parsed(text: string | undefined): Members {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : NOTHING;
  } catch {
    return NOTHING;
  }
}

const NOTHING: Members = {};
