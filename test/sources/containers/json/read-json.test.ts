import { describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../src/lib/json/exact-json.ts';
import { readAll, rowsOf } from './read-all.ts';

describe('lines', () => {
  it('have any line ends, and the last line may have none', async () => {
    for (const file of ['{"a":1}\r\n{"a":2}\r\n', '{"a":1}\n{"a":2}', '\n\n{"a":1}\n \t\r\n{"a":2} \n\n']) {
      expect(await rowsOf(file)).toEqual([{ a: 1 }, { a: 2 }]);
    }
  });

  it('may be a single one with a user', async () => {
    const { tables } = await readAll('{"user_id":"auth0|1","identities":[{"provider":"auth0"}]}\n');
    expect(tables['']?.rows).toEqual([{ user_id: 'auth0|1', identities: [{ provider: 'auth0' }] }]);
  });

  it('may be a single one of unknown content, which is a record and the root', async () => {
    for (const space of [undefined, 1]) {
      const { tables } = await readAll(JSON.stringify({ realm: 'x', clients: [] }, null, space));
      expect(tables['']?.head).toMatchObject({ first: [{ realm: 'x' }], root: { realm: 'x', clients: [] } });
    }
  });

  it('may contain lists with the names of tables', async () => {
    const lines = ['{"_id":"1","data":[{"a":1}]}', '{"_id":"2","identities":[{}]}'];
    expect(await rowsOf(lines.join('\n'))).toEqual(lines.map((line) => JSON.parse(line)));
  });

  it('may be Django fixtures, some without a key', async () => {
    const lines = [
      '{"model":"auth.user","pk":1,"fields":{"email":"a"}}',
      '{"model":"x.y","fields":{"b":1}}',
      '{"model":"auth.user","pk":"9","fields":{}}',
    ];
    const { tables } = await readAll(lines.join('\n'));
    expect(tables['auth.user']?.rows).toEqual([{ pk: 1, email: 'a' }, { pk: '9' }]);
    expect(tables['x.y']?.rows).toEqual([{ b: 1 }]);
  });
});

describe('consecutive documents', () => {
  const users = [{ email: 'a', list: [{ x: '}{' }] }, { email: 'b' }, { email: 'c', o: {} }];

  it.each([
    ['on several lines each', users.map((user) => JSON.stringify(user, null, 2)).join('\n')],
    ['with empty lines', users.map((user) => JSON.stringify(user, null, 4)).join('\r\n\r\n')],
    ['on one line', users.map((user) => JSON.stringify(user)).join('')],
    ['on one line, apart', users.map((user) => JSON.stringify(user)).join(' ')],
  ])('%s', async (_, file) => {
    expect(await rowsOf(file)).toEqual(users);
  });

  it('are pages of a list if they are arrays, or if the operator names the path of the list', async () => {
    expect(await rowsOf('[{"a":1}]\n[{"a":2}]')).toEqual([{ a: 1 }, { a: 2 }]);
    const pages = ['{"Users":[{"a":1},{"a":2}],"Next":"x"}', '{"Users":[{"a":3}]}'];
    for (const file of [pages.join('\n'), pages.join('')]) {
      expect(await rowsOf(file, { jsonPath: 'Users' })).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
      expect(await rowsOf(file)).toEqual(pages.map((page) => JSON.parse(page)));
    }
    const { problem } = await readAll(`${pages[0]}\n{"error":"too many requests"}`, { jsonPath: 'Users' });
    expect(problem?.message).toMatch(/^The document at byte 39 has no list at Users, so a page/);
  });
});

describe('tables in a document', () => {
  it('are as many as there are lists of records, and lists at known paths', async () => {
    const file = '{"v":1,"users":[{"a":1}],"x":[{"users":[1]}],"none":null,"results":[],"z":[]}';
    const { asked } = await readAll(file);
    expect(asked.map((head) => [head.name, head.found])).toEqual([
      ['users', undefined],
      ['x', { isTable: true }],
      ['results', undefined],
      ['none', { isTable: true }],
      ['z', { isTable: true }],
    ]);
    expect(asked[0]?.root).toEqual({ v: 1, x: [{ users: [1] }], none: null, z: [] });
  });

  it('of Ghost are deep inside, with and without db', async () => {
    const data = { meta: {}, data: { posts: [], users: [{ a: 1 }] } };
    expect((await readAll(JSON.stringify({ db: [data] }))).tables['db.0.data.users']?.rows).toEqual([
      { a: 1 },
    ]);
    expect((await readAll(JSON.stringify(data))).tables['data.users']?.rows).toEqual([{ a: 1 }]);
  });

  it('have different names', async () => {
    for (const file of ['{"users":[{"a":1}],"users":[{"a":2}]}', '{"z":[{"a":1}],"users":[],"z":[{"a":2}]}'])
      expect((await readAll(file)).problem?.message).toMatch(/has the name of an earlier one/);
  });

  it('are only those at known paths in a file that is not of a database', async () => {
    for (const member of ['{"a":1}', '{"b":[{"a":1}]}', '["a"]', '[[{"a":1}]]']) {
      const { asked } = await readAll(`{"z":[{"a":1}],"users":[{"a":1}],"x":${member},"y":[{"a":1}]}`);
      expect(asked.map((head) => head.name)).toEqual(['z', 'users']);
      expect(asked.map((head) => head.found)).toEqual([{ isTable: false }, undefined]);
    }
    const user = '{"email":"a@x.org","logins":[{"email":"b@x.org"}]}';
    expect((await readAll(user)).asked.map((head) => head.name)).toEqual(['']);
  });

  it('are found in a file of any size, with a record each', async () => {
    const long = Array.from({ length: 5_000 }, (_, id) => ({ id, email: `${id}@x.org` }));
    for (const file of [
      { none: null, users: long, customers: long },
      { emails: long, users: long },
    ])
      for (const space of [undefined, 1]) {
        const { tables, problem } = await readAll(JSON.stringify(file, null, space));
        expect(problem).toBeUndefined();
        expect(Object.keys(tables)).toEqual(Object.keys(file).filter((name) => name !== 'none'));
        for (const { rows } of Object.values(tables)) expect(rows).toEqual(long);
      }
    const rows = Array.from({ length: 20 }, () => ({ x: 'x'.repeat(1500) }));
    const wide = Object.fromEntries(Array.from({ length: 800 }, (_, at) => [`t${at}`, rows]));
    const { asked } = await readAll(JSON.stringify({ ...wide, customers: long }));
    expect(asked.find(({ name }) => name === 'customers')?.columns).toEqual(new Set(['id', 'email']));
  });

  it('are restricted to a given path', async () => {
    const file = '{"users":[{"no":1}],"a":{"b":[[],[{"c":[{"yes":1}],"d":2}]]}}';
    const { tables, asked } = await readAll(file, { jsonPath: 'a.b.1.0.c' });
    expect(tables['a.b.1.0.c']?.rows).toEqual([{ yes: 1 }]);
    expect(asked[0]?.root).toMatchObject({ d: 2 });
    const inList = await readAll('[{"users":[{"a":1}]},3]', { jsonPath: '0.users' });
    expect(inList.tables['0.users']?.rows).toEqual([{ a: 1 }]);
    const nowhere = await readAll(file, { jsonPath: 'nowhere' });
    expect(nowhere.asked).toMatchObject([{ name: '', first: [] }]);
  });

  it('of phpMyAdmin have their names', async () => {
    const { tables, problem } = await readAll(`[
{"type":"header","version":"5.2.1","comment":"Export to JSON plugin for phpMyAdmin"},
{"type":"database","name":"shop"},
{"type":"table","name":"wp_users","database":"shop","data":
[
{"ID":"1"},
{"ID":"2"}
]
}
,{"type":"table","name":"wp_usermeta","database":"shop","data":
[
{"umeta_id":"1"}
]
}
]
`);
    expect(problem).toBeUndefined();
    expect(tables.wp_users?.rows).toEqual([{ ID: '1' }, { ID: '2' }]);
    expect(tables.wp_usermeta?.rows).toEqual([{ umeta_id: '1' }]);
  });

  it('of phpMyAdmin are the whole file, and have different names', async () => {
    const table = (name: string) => `{"type":"table","name":"${name}","data":[{"a":"1"}]}`;
    const head = '[{"type":"header","version":"5.2.1"}';
    const said = async (other: string) => (await readAll(`${head},${table('a')},${other}]`)).problem?.message;
    const others = [
      '{"email":"a@x.org"}',
      '{"type":"user","name":"b"}',
      '{"data":[{"a":"1"}],"type":"table"}',
    ];
    for (const other of [...others, '5'])
      expect(await said(other)).toMatch(/begins like JSON of phpMyAdmin, but the element at byte 8\d is no/);
    expect(await said(table('a'))).toMatch(/has the name of an earlier one/);
  });

  it('are those of one document, if it is large', async () => {
    const list = Array.from({ length: 200_000 }, (_, id) => ({ id, name: 'x'.repeat(10) }));
    const { problem } = await readAll(`${JSON.stringify({ users: list })}\n{"users":[]}`);
    expect(problem?.message).toMatch(/^Another document begins at byte \d+, .*--json-path users/);
  });

  it('have small members beside them, before or after', async () => {
    const big = 'x'.repeat(70_000);
    const { asked, tables } = await readAll(
      `{"realm":"r","big":"${big}","users":[{"a":1}],"identityProviders":[{"alias":"g","n":1.10}],"__proto__":{"users":1}}`,
    );
    const root = tables.users?.head.root;
    expect(root).toEqual({ realm: 'r', identityProviders: [{ alias: 'g', n: new ExactNumber('1.10') }] });
    expect(asked[0]?.root).toBe(root);
    expect(({} as Record<string, unknown>).users).toBeUndefined();
    const many = Array.from({ length: 50 }, (_, index) => [`m${index}`, 'y'.repeat(60_000)]);
    const { asked: heads } = await readAll(JSON.stringify({ ...Object.fromEntries(many), users: [{}] }));
    expect(Object.keys(heads[0]?.root ?? {})).toHaveLength(4);
  });
});

describe('heads of tables', () => {
  it('hold the first 20 records, and are offered before the file ends', async () => {
    const users = Array.from({ length: 2000 }, (_, index) => ({ [`m${Math.min(index, 30)}`]: index }));
    let seen = 0;
    const { tables } = await readAll(JSON.stringify({ users, tail: 1 }), {}, (head) => {
      seen = head.first.length;
      expect(head.root).toEqual({});
      return true;
    });
    expect(seen).toBe(20);
    expect(tables.users?.head.columns).toEqual(new Set(users.slice(0, 20).flatMap(Object.keys)));
    expect(tables.users?.rows).toEqual(users);
    expect(tables.users?.head.root).toEqual({ tail: 1 });
  });

  it('that are declined are followed by no records', async () => {
    const users = Array.from({ length: 2000 }, (_, index) => ({ index, text: ']}"{[' }));
    const { tables, asked } = await readAll(
      JSON.stringify({ users, results: users.slice(0, 3), tail: 1 }),
      {},
      ({ name }) => name === 'results',
    );
    expect(Object.keys(tables)).toEqual(['results']);
    expect(tables.results?.rows).toHaveLength(3);
    expect(asked[0]?.root).toEqual({ tail: 1 });
    expect(
      (await readAll(users.map((user) => JSON.stringify(user)).join('\n'), {}, () => false)).tables,
    ).toEqual({});
  });
});

describe('numbers that a float would change', () => {
  it.each(['12345678901234567890', '1.10', '-0', '1e400', '-1.0', '100000000000000000001'])(
    '%s',
    async (text) => {
      const exact = new ExactNumber(text);
      const record = { id: exact, list: [{ n: exact }], plain: 1.5, text };
      const written = `{"id":${text},"list":[{"n":${text}}],"plain":1.5,"text":"${text}"}`;
      expect(await rowsOf(`[${written}]`)).toEqual([record]);
      expect(await rowsOf(`${written}\n${written}\n`)).toEqual([record, record]);
    },
  );

  it('other numbers are numbers', async () => {
    const written = '{"a":1700000000000,"b":0.1,"c":-5,"d":9007199254740991,"e":1576083372.123}';
    expect(await rowsOf(`[${written}]`)).toEqual([JSON.parse(written)]);
  });
});
