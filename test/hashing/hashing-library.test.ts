import { describe, expect, it } from 'vitest';
import { FAMILIES } from '../../src/hashing/families.ts';
import {
  HashingError,
  type HashingErrorCode,
  type HashingOptions,
  hashing,
  type VerifyOptions,
} from '../../src/hashing/hashing.ts';
import { BCRYPT } from '../support/example-hashes.ts';
import { vector } from '../support/vectors.ts';

const library = hashing();

const PHPASS = vector('phpass', 'phpass-pl-phpass-08');
const DJANGO = vector('django-pbkdf2', 'django-pbkdf2-pl-django_pbkdf2_sha256-01');
const PEPPERED = vector('bcrypt-pepper', 'lt-bcrypt-pepper-01');
/** MD5 of `password`. Many families look so. */
const MD5 = '5f4dcc3b5aa765d61d8327deb882cf99';
/** Cost 10: above 5 ms. */
const SLOW_BCRYPT = '$2y$10$EkVBmTI0cbPvPdnTYeVk8eIt6qpHk09C8DB5iZwHbYBu5ot2PyAnq';
const pepper = Buffer.from(PEPPERED.params?.secret ?? '');

/** Returns the error of a verification. Fails the test if there is none. */
async function failureOf(
  hash: string,
  options: VerifyOptions = {},
  { password = 'password' as string | Uint8Array, by = library } = {},
): Promise<Error> {
  const failed: unknown = await by.verify(hash, password, options).catch((error) => error);
  if (failed instanceof Error) return failed;
  throw new Error('was not refused');
}

async function refusalOf(hash: string, options: VerifyOptions = {}, by = library): Promise<HashingError> {
  const failed = await failureOf(hash, options, { by });
  expect(failed).toBeInstanceOf(HashingError);
  if (failed instanceof HashingError) return failed;
  throw failed;
}

const refused = (code: HashingErrorCode, message: string | RegExp) =>
  expect.objectContaining({ name: 'HashingError', code, message: expect.stringMatching(message) });

describe('verify', () => {
  it('finds the family', async () => {
    for (const { hash, password = '' } of [BCRYPT, PHPASS, DJANGO]) {
      expect(await library.verify(hash, password)).toBe(true);
      expect(await library.verify(hash, `${password}x`)).toBe(false);
    }
  });

  it('takes the name of a family and its aliases, in upper or lower case', async () => {
    for (const family of ['hex-md5', 'HEX-MD5']) {
      expect(await library.verify(MD5, 'password', { family })).toBe(true);
      expect(await library.verify(MD5, 'Password', { family })).toBe(false);
    }
    for (const family of ['laravel', 'Ghost'])
      expect(await library.verify(BCRYPT.hash, BCRYPT.password, { family })).toBe(true);
  });

  it('trusts the name: the same text is another hash in another family', async () => {
    expect(await library.verify(MD5, 'password', { family: 'nthash' })).toBe(false);
  });

  it('refuses a hash that several families fit, and names them', async () => {
    expect(await refusalOf(MD5)).toEqual(
      refused('FAMILY', /^name the family, one of .*\bhex-md5\b.*\bnthash\b/),
    );
  });

  it('refuses hashes and names of no family', async () => {
    expect(await refusalOf('nonsense')).toEqual(refused('FAMILY', 'the hash fits no family'));
    expect(await refusalOf('')).toEqual(refused('FAMILY', 'the hash fits no family'));
    expect(await refusalOf('*0')).toEqual(refused('FAMILY', /^the hash is refused: it marks a user/));
    expect(await refusalOf(BCRYPT.hash, { family: 'scrypt9' })).toEqual(
      refused('FAMILY', 'no family has this name'),
    );
  });

  it('refuses a hash that does not have the format of its family', async () => {
    expect(await refusalOf(BCRYPT.hash.slice(0, -1))).toEqual(refused('FORMAT', /23 bytes/));
    expect(await refusalOf(BCRYPT.hash, { family: 'hex-md5' })).toEqual(refused('FORMAT', ''));
  });

  it('refuses hashes above maxMs and memoryMb, in terms of these', async () => {
    const cheap = hashing({ maxMs: 5, memoryMb: 8 });
    const slow = await refusalOf(SLOW_BCRYPT, {}, cheap);
    expect(slow).toEqual(refused('COST', /above the limit of 5 ms \(maxMs\)$/));
    const large = '$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    const big = await refusalOf(large, {}, cheap);
    expect(big).toEqual(refused('COST', /^needs 64 MiB .* limit of 8 MiB \(memoryMb\)$/));
    const huge = '$argon2id$v=19$m=4194304,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await refusalOf(huge)).toEqual(refused('COST', /limit of 1024 MiB/));
  });

  it('uses the secret that is named, and no other', async () => {
    const { verify } = hashing({ secrets: { right: pepper, wrong: Buffer.from('another') } });
    const { hash, password = '' } = PEPPERED;
    const by = (secret: string) => verify(hash, password, { family: 'bcrypt-pepper', secret });
    expect([await by('right'), await by('wrong')]).toEqual([true, false]);
    expect(await verify(hash, `${password}x`, { family: 'bcrypt-pepper', secret: 'right' })).toBe(false);
    // It looks like bcrypt, and a wrong guess is not noticed.
    expect(await verify(hash, password)).toBe(false);
  });

  it('copies the secrets', async () => {
    const bytes = Uint8Array.from(pepper);
    const { verify } = hashing({ secrets: { pepper: bytes } });
    bytes.fill(0);
    const options = { family: 'bcrypt-pepper', secret: 'pepper' };
    expect(await verify(PEPPERED.hash, PEPPERED.password ?? '', options)).toBe(true);
  });

  it('refuses a secret that is missing, unknown, or not for the family', async () => {
    const by = hashing({ secrets: { pepper } });
    const family = 'bcrypt-pepper';
    const missing = refused('SECRET', /^hashes of bcrypt-pepper need a secret: .*`secrets`.*`secret`$/);
    expect(await refusalOf(PEPPERED.hash, { family }, by)).toEqual(missing);
    expect(await refusalOf(PEPPERED.hash, { family }, library)).toEqual(missing);
    for (const secret of ['', 'salt'])
      expect(await refusalOf(PEPPERED.hash, { family, secret }, by)).toEqual(
        refused('SECRET', 'no secret has this id'),
      );
    for (const options of [{ secret: 'pepper' }, { family: 'bcrypt', secret: 'pepper' }])
      expect(await refusalOf(BCRYPT.hash, options, by)).toEqual(
        refused('SECRET', 'hashes of bcrypt have no secret'),
      );
  });

  it('takes passwords in bytes, which need not be UTF-8', async () => {
    const { hash, passwordHex = '' } = vector('bcrypt', 'bcrypt-cb-10');
    expect(await library.verify(hash, Buffer.from(passwordHex, 'hex'))).toBe(true);
    expect(await library.verify(PHPASS.hash, new TextEncoder().encode(PHPASS.password))).toBe(true);
    // A view of a larger buffer.
    const view = Buffer.from(`..${PHPASS.password}..`).subarray(2, -2);
    expect(await library.verify(PHPASS.hash, view)).toBe(true);
  });

  it('rejects arguments of another type', async () => {
    const wrong = (value: unknown) => value as string;
    for (const [hash, password, options] of [
      [undefined, 'password', {}],
      [null, 'password', { family: 'bcrypt' }],
      [BCRYPT.hash, undefined, {}],
      [BCRYPT.hash, null, {}],
      [BCRYPT.hash, 1, {}],
      [BCRYPT.hash, [1], {}],
      [BCRYPT.hash, 'password', { family: 1 }],
      // Ignored, they would make every password wrong.
      [BCRYPT.hash, 'password', { family: 'devise-sha1', secret: Buffer.from('pepper') }],
      [BCRYPT.hash, 'password', 'bcrypt'],
    ])
      expect(
        await failureOf(wrong(hash), options as VerifyOptions, { password: wrong(password ?? null) }),
      ).toEqual(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.stringMatching(/^(?:the \w+|options) must be an? /),
        }),
      );
  });

  it('rejects passwords of more than 65,536 bytes, and computes those of as many', async () => {
    for (const password of ['x'.repeat(65_537), 'é'.repeat(32_769), new Uint8Array(65_537)])
      expect(await failureOf(PHPASS.hash, {}, { password })).toEqual(
        new RangeError('the password must have at most 65536 bytes'),
      );
    for (const password of ['x'.repeat(65_536), new Uint8Array(65_536)])
      expect(await library.verify(MD5, password, { family: 'hex-md5' })).toBe(false);
  });
});

describe('identify', () => {
  it('lists the families that fit, and first the one that verify finds', () => {
    const [first, ...others] = library.identify(BCRYPT.hash);
    expect(first).toEqual({ name: 'bcrypt', strength: 'strong', mustBeNamed: false, needsSecret: false });
    expect(others.length).toBeGreaterThan(5);
    expect(others.every(({ mustBeNamed }) => mustBeNamed)).toBe(true);
    expect(others).toContainEqual(
      expect.objectContaining({ name: 'bcrypt-pepper', needsSecret: true, mustBeNamed: true }),
    );
  });

  it('lists only families that must be named for an ambiguous hash, and none for nonsense', () => {
    const found = library.identify(MD5);
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['hex-md5', 'nthash']));
    expect(found.every(({ mustBeNamed, strength }) => mustBeNamed && strength === 'broken')).toBe(true);
    expect(library.identify('nonsense')).toEqual([]);
  });

  it('says why verify would refuse the hash', () => {
    const [first] = hashing({ maxMs: 5 }).identify(SLOW_BCRYPT);
    expect(first).toEqual(
      expect.objectContaining({ name: 'bcrypt', refusal: expect.stringMatching(/\(maxMs\)$/) }),
    );
    // A secret that is missing is no refusal: nothing is known of the secret here.
    expect(library.identify(PEPPERED.hash).find(({ name }) => name === 'bcrypt-pepper')).not.toHaveProperty(
      'refusal',
    );
  });

  it('throws for anything but a text', () => {
    expect(() => library.identify(undefined as unknown as string)).toThrow(TypeError);
  });
});

it('families describes every family, without markup', () => {
  expect(library.families.map(({ name }) => name)).toEqual(FAMILIES.map(({ name }) => name));
  const byName = new Map(library.families.map((one) => [one.name, one]));
  expect(byName.get('bcrypt')).toMatchObject({ strength: 'strong', secret: undefined, mustBeNamed: false });
  expect(byName.get('bcrypt')?.aliases).toContain('laravel');
  expect(byName.get('bcrypt-pepper')).toMatchObject({ secret: 'required', mustBeNamed: true });
  expect(byName.get('hex-md5')).toMatchObject({ strength: 'broken', mustBeNamed: true });
  expect(library.families.filter(({ looksLike }) => looksLike === '' || /`/.test(looksLike))).toEqual([]);
});

describe('options', () => {
  it.each([
    [{ maxMs: 0 }, RangeError],
    [{ maxMs: Number.NaN }, RangeError],
    [{ maxMs: Number.POSITIVE_INFINITY }, RangeError],
    [{ maxMs: '2000' }, TypeError],
    [{ maxMs: null }, TypeError],
    [{ memoryMb: 0 }, RangeError],
    [{ memoryMb: 2 ** 21 }, RangeError],
    [{ secrets: { pepper: 'text' } }, TypeError],
    [{ secrets: new Map([['pepper', Buffer.from('text')]]) }, TypeError],
    [null, TypeError],
    [{ secrets: { pepper: [1] } }, TypeError],
  ])('%j are refused', (options, type) => {
    expect(() => hashing(options as HashingOptions)).toThrow(type);
  });

  it('that are undefined have their defaults', async () => {
    const { verify } = hashing({ maxMs: undefined, memoryMb: undefined, secrets: undefined });
    expect(await verify(PHPASS.hash, PHPASS.password ?? '')).toBe(true);
  });
});
