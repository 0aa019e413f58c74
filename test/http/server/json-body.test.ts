import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { failure, withMember } from '../../support/service-calls.ts';
import { BODY_ROUTES } from '../route-examples.ts';

/** Time passes with every look, because hooks limit wrong passwords for each minute. */
let nowMs = Date.now();
const service = await useTestApp({
  now: () => {
    nowMs += 10_000;
    return nowMs;
  },
});

const DEEP = 100_000;
const NOT_JSON: [string, string | Buffer][] = [
  ['nothing', ''],
  ['white space', ' \n'],
  ['a word', 'hello'],
  ['a form', 'email=a%40b.c'],
  ['single quotes', "{'email':'a@b.c'}"],
  ['a trailing comma', '{"email":"a@b.c",}'],
  ['two objects', '{}{}'],
  ['a NUL behind the object', '{}\0'],
  ['NaN', '{"email":NaN}'],
  ['an open nest 100,000 deep', '['.repeat(DEEP)],
  ['open objects 100,000 deep', '{"a":'.repeat(DEEP)],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
  ['UTF-16', Buffer.from('{"email":"a@b.c"}', 'utf16le')],
];
const NO_OBJECT: [string, string][] = [
  ['an array', '[]'],
  ['an array that holds an object', '[{"email":"a@b.c"}]'],
  ['a closed nest 100,000 deep', '['.repeat(DEEP) + ']'.repeat(DEEP)],
  ['a text', '"a@b.c"'],
  ['a number', '12345'],
  ['a number beyond all bounds', `1${'0'.repeat(400)}`],
  ['true', 'true'],
  ['null', 'null'],
];

/** Longer than any text member may be. */
const TOO_LONG = 'x'.repeat(70_000);

describe.each(BODY_ROUTES)('$method $path', ({ method, path, limitBytes, body, texts, flags, required }) => {
  const send = (payload: unknown, headers?: Record<string, string | undefined>) =>
    service.send(method, path, payload, headers);
  const invalidField = (member: string) =>
    failure(400, 'FIELD_INVALID', `Field name '${member.split('.').at(-1)}' is invalid in JSON input`);
  const NO_JSON = failure(400, 'BODY_INVALID_JSON', 'Invalid Json Input');
  const TOO_LARGE = failure(413, 'BODY_TOO_LARGE', `Request body is too large: at most ${limitBytes} bytes`);
  const NOT_SUPPORTED = failure(415, 'CONTENT_TYPE_UNSUPPORTED', 'Unsupported content type');

  it('accepts a valid body', async () => {
    expect((await send(body)).status).toBe(200);
  });

  it('refuses what is no object in JSON, and repeats nothing of it', async () => {
    const half = JSON.stringify(body).slice(0, JSON.stringify(body).length / 2);
    const secret = '{"email":"secret@b.c","password":"hunter2",';
    for (const [what, payload] of [...NOT_JSON, ...NO_OBJECT, ['half of the body', half], ['', secret]]) {
      const answer = await send(payload);
      expect([what, answer]).toMatchObject([what, payload.length > limitBytes ? TOO_LARGE : NO_JSON]);
      expect(answer.text).not.toMatch(/secret|hunter2/);
    }
    expect(await send(undefined)).toMatchObject(NO_JSON);
  });

  it.each(required)('requires %s', async (member) => {
    expect(await send(withMember(body, member, undefined))).toMatchObject(invalidField(member));
  });

  it.each(texts)('refuses other types as %s instead of converting them to text', async (member) => {
    for (const value of [null, 12345, true, ['a@b.c'], [], { id: 'a@b.c' }]) {
      const answer = await send(withMember(body, member, value));
      expect([value, answer]).toMatchObject([value, invalidField(member)]);
    }
    const huge = JSON.stringify(withMember(body, member, '@@')).replace('"@@"', '1e999');
    expect(await send(huge)).toMatchObject(invalidField(member));
  });

  it.each(texts.filter((member) => /(^|\.)email(\.id)?$/.test(member)))(
    'refuses what is no address as %s',
    async (member) => {
      for (const address of ['', ' ', 'a.b.c', '@b.c', 'a@', `${'x'.repeat(253)}@b.c`, 'a\0b@b.c']) {
        const answer = await send(withMember(body, member, address));
        expect([address, answer]).toMatchObject([
          address,
          failure(400, 'FIELD_INVALID', "Field name 'email' is"),
        ]);
      }
    },
  );

  // An id may be any text, limited only by the size of the body.
  it.each(texts.filter((member) => !/^(recipeU|u)serId$/.test(member)))(
    'refuses a text that is too long as %s',
    async (member) => {
      const expected = TOO_LONG.length > limitBytes ? TOO_LARGE : invalidField(member);
      expect(await send(withMember(body, member, TOO_LONG))).toMatchObject(expected);
    },
  );

  it.each(flags.flatMap((member) => [null, 'true', 1, 0, [true], {}].map((value) => ({ member, value }))))(
    'refuses $value as $member',
    async ({ member, value }) => {
      expect(await send(withMember(body, member, value))).toMatchObject(invalidField(member));
    },
  );

  it('ignores unknown members of any type', async () => {
    const text = JSON.stringify({ unknown: 1, ...body });
    expect((await send(text)).status).toBe(200);
    const depth = Math.min(DEEP, limitBytes / 4);
    const deep = `{"unknown":${'['.repeat(depth)}${']'.repeat(depth)},${text.slice(1)}`;
    expect((await send(deep)).status).toBe(200);
  });

  it('uses the last of several members with one name', async () => {
    const text = JSON.stringify(body);
    const [member = Object.keys(body)[0] ?? ''] = required;
    expect((await send(`{"${member}":null,${text.slice(1)}`)).status).toBe(200);
    expect(await send(`${text.slice(0, -1)},"${member}":null}`)).toMatchObject(invalidField(member));
  });

  it('ignores members of a prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const answer = await send(`{"${name}":${JSON.stringify(body)}}`);
      expect(answer).toMatchObject(failure(400, 'FIELD_INVALID', "Field name '"));
    }
    expect(Object.prototype).not.toHaveProperty('email');
  });

  it('ignores a byte order mark', async () => {
    expect((await send(`\uFEFF${JSON.stringify(body)}`)).status).toBe(200);
  });

  it.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset=UTF-8' },
    { 'content-type': 'application/json; charset="utf-8"' },
    { 'content-type': 'Application/JSON' },
    { 'content-encoding': 'identity' },
    { 'content-encoding': 'Identity' },
  ])('accepts %j', async (headers) => {
    expect((await send(body, headers)).status).toBe(200);
  });

  it.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'nonsense',
    undefined,
  ])('refuses the content type %s', async (type) => {
    expect(await send(body, { 'content-type': type })).toMatchObject(NOT_SUPPORTED);
  });

  it.each(['gzip', 'br', 'deflate', 'identity, gzip', 'x'])(
    'refuses the content encoding %s, whatever the bytes',
    async (encoding) => {
      const headers = { 'content-encoding': encoding };
      expect(await send(body, headers)).toMatchObject(NOT_SUPPORTED);
      expect(await send(gzipSync(JSON.stringify(body)), headers)).toMatchObject(NOT_SUPPORTED);
    },
  );
});

/** Half of a surrogate pair, as JSON writes it. */
const LONE = '\\ud800';
const lone = (body: Record<string, unknown>, member: string) =>
  JSON.stringify(withMember(body, member, '@@')).replace('@@', LONE);

const IDS = ['userId', 'recipeUserId'];

describe('text that cannot be stored', () => {
  const routed = BODY_ROUTES.flatMap((route) => route.texts.map((member) => ({ ...route, member })));

  it.each(routed.filter(({ member }) => !IDS.includes(member)))(
    '$method $path refuses half a surrogate pair as $member',
    async ({ method, path, body, member }) => {
      expect(await service.send(method, path, lone(body, member))).toMatchObject(
        failure(400, 'FIELD_INVALID', `Field name '${member.split('.').at(-1)}' is invalid in JSON input`),
      );
    },
  );

  it.each(routed.filter(({ member }) => IDS.includes(member)))(
    '$method $path accepts any text as $member',
    async ({ method, path, body, member }) => {
      expect((await service.send(method, path, lone(body, member))).status).toBe(200);
      expect((await service.send(method, path, withMember(body, member, 'a\0b'))).status).toBe(200);
    },
  );

  it.each(routed.filter(({ member }) => /email|thirdParty/.test(member)))(
    '$method $path refuses a NUL in $member',
    async ({ method, path, body, member }) => {
      expect(await service.send(method, path, withMember(body, member, 'a\0@b.c'))).toMatchObject(
        failure(400, 'FIELD_INVALID', "Field name '"),
      );
    },
  );
});

it('answers a body that is shorter than announced, instead of waiting', async () => {
  const answer = await service.send('POST', '/recipe/signin', '{}', { 'content-length': '5' });
  expect(answer).toMatchObject(failure(400, 'REQUEST_MALFORMED', 'Request is malformed'));
});
