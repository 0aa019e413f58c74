import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openContainer } from '../../../src/sources/containers/open-container.ts';
import { collect, fileOf, kindOf, outcomes, problemOf } from './read-whole.ts';

const problem = (bytes: Buffer | string) => problemOf(() => kindOf(bytes));
const latin1 = (text: string) => Buffer.from(text, 'latin1');

describe('unreadable files are named by their kind', () => {
  it.each<[string, Buffer | string, RegExp]>([
    ['nothing', '', /^FILE_INVALID: The file is empty/],
    ['blanks', ' \r\n\n\t', /^FILE_INVALID: The file is empty/],
    ['only a byte order mark', '\ufeff', /^FILE_INVALID: The file is empty/],
    ['very many blanks', ' '.repeat(100_000), /^FILE_INVALID: .*blanks/],
    ['pg_dump -Fc', latin1('PGDMP\x01\x0e\0\x04\x08'), /^FILE_UNKNOWN: .*pg_restore -f dump.sql/],
    ['COPY in binary format', latin1('PGCOPY\n\xff\r\n\0\0\0'), /^FILE_UNKNOWN: .*csv header/],
    ['Excel', latin1('PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0'), /^FILE_UNKNOWN: .*as CSV/],
    ['SQLite', latin1('SQLite format 3\0\x10\0'), /^FILE_UNKNOWN: .*sqlite3 FILE .dump/],
    ['bzip2', latin1('BZh91AY&SY'), /^FILE_UNKNOWN: .*bunzip2/],
    ['zstd', latin1('\x28\xb5\x2f\xfd\x04\x00'), /^FILE_UNKNOWN: .*unzstd/],
    ['xz', latin1('\xfd7zXZ\0\0'), /^FILE_UNKNOWN: .*unxz/],
    ['tar', latin1(`${'users.json'.padEnd(257, '\0')}ustar\x0000`), /^FILE_UNKNOWN: .*tar xf/],
    ['PGP, armoured', '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n', /^FILE_UNKNOWN: .*gpg --decrypt/],
    [
      'PGP, to a key',
      latin1('\x85\x02\x0c\x03\x124Vx\x9a\xbc\xde\xf0\x01'),
      /^FILE_UNKNOWN: .*gpg --decrypt/,
    ],
    ['PGP, to an elliptic key', latin1('\x84\x5e\x03\x124Vx\x9a\xbc\xde\xf0\x12'), /^FILE_UNKNOWN: .*gpg/],
    ['PGP, with a password', latin1('\x8c\x0d\x04\x09\x03\x08\xff\xfe'), /^FILE_UNKNOWN: .*gpg --decrypt/],
    ['mongodump', latin1('\x2d\0\0\0\x07_id\0abcdefghijkl'), /^FILE_UNKNOWN: .*bsondump/],
    ['mongosh', "[\n  {\n    _id: ObjectId('507f1f77bcf86cd799439011'),\n", /^FILE_UNKNOWN: .*mongoexport/],
    ['the old mongo shell', '{ "_id" : "a", "at" : ISODate("2024-01-01") }\n', /^FILE_UNKNOWN: .*EJSON/],
    ['SQL Developer', 'REM INSERTING into APP.USERS\nSET DEFINE OFF;\n', /^FILE_UNKNOWN: .*as CSV/],
    ['a web page', '\n<!DOCTYPE html><html><title>a,b</title>', /^FILE_UNKNOWN: .*web page/],
    ['XML', '<?xml version="1.0"?>\n<users a="b,c"/>', /^FILE_UNKNOWN: .*XML/],
    ['a screen of psql', ' id | email \n----+-------\n  1 | a@b.c\n', /^FILE_UNKNOWN: .*copy/],
    ['a list on a screen of psql', ' [{"a":1}, +\n  {"a":2}]\n\n', /^FILE_UNKNOWN: .* as psql draws .*-At/],
    [
      'a list of JSON from COPY',
      '[{"a":"b"}, \\n {"a":"say \\\\"hi\\\\""}]\n',
      /^FILE_UNKNOWN: .*escaped once more, as COPY .*psql -At/,
    ],
    ['a column of JSON with its name', 'row_to_json\n{"a":1}\n(1 row)\n', /^FILE_UNKNOWN: .*psql -At/],
    ['a column of JSON in CSV', '"{""a"":1,""b"":2}"\n', /^FILE_UNKNOWN: It is a column of JSON/],
    ['a screen of psql, expanded', '-[ RECORD 1 ]-\nid    | 1\nemail | a@b.c\n', /^FILE_UNKNOWN: .*copy/],
    [
      'a screen of mysql, vertical',
      `${'*'.repeat(27)} 1. row ${'*'.repeat(27)}\nid: 1\n`,
      /^FILE_UNKNOWN: .*copy/,
    ],
    ['a screen of sqlite3', 'id  email  \n--  -------\n1   a@b.c  \n', /^FILE_UNKNOWN: .*\.mode csv/],
    ['a box of sqlite3', '┌────┬───────┐\n│ id │ email │\n├────┼───────┤\n', /^FILE_UNKNOWN: .*\.mode csv/],
    ['a screen of mysql', '+----+-------+\n| id | email |\n', /^FILE_UNKNOWN: .*--batch/],
    ...['[dbo].[Users]', '[mysqld]\n', '{SSHA}abc', '---\na: b\n'].map((text): [string, string, RegExp] => [
      text,
      text,
      /^FILE_UNKNOWN: It is not a supported kind/,
    ]),
    ['a word', 'hello\n', /^FILE_UNKNOWN: It is not a supported kind/],
    ['zeros', Buffer.alloc(5_000), /^FILE_UNKNOWN: /],
    ['two lines of base64', `${'Qm9i'.repeat(20)}\n${'Qm9i'.repeat(20)}\n`, /^FILE_UNKNOWN: /],
    ['latin1', latin1('id,name\n1,Zo\xeb\n'), /^ENCODING_INVALID: .*byte 12\..*--encoding windows-1252/],
    ['random bytes', Buffer.from('3f9a00c1e88877665544fafbfc01020304', 'hex'), /^ENCODING_INVALID: /],
    ['half a download', gzipSync('id,mail\n'.repeat(90)).subarray(0, 20), /^FILE_TRUNCATED: /],
  ])('%s', async (_, bytes, said) => {
    for (const file of [bytes, gzipSync(bytes)]) expect(await problem(file)).toMatch(said);
  });

  it('every beginning of these files, and random bytes, give a verdict', async () => {
    let seed = 7;
    const next = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed >> 16;
    };
    for (let round = 0; round < 1_000; round++) {
      const alphabet = round % 2 === 0 ? '\n:,;"{}[]$*!dn ab12=<\\\t' : undefined;
      const bytes = Buffer.from(
        Array.from({ length: next() % 60 }, () =>
          alphabet === undefined ? next() % 256 : alphabet.charCodeAt(next() % alphabet.length),
        ),
      );
      const said = await problemOf(() => kindOf(bytes));
      expect(said ?? 'FILE_UNKNOWN').toMatch(
        /^(?:FILE_UNKNOWN|FILE_INVALID|FILE_TRUNCATED|ENCODING_INVALID)/,
      );
    }
  });
});

/** Beginnings of files, by their kind. */
const BEGINNINGS: Readonly<Record<string, readonly string[]>> = {
  'hash-config': [
    'hash_config {algorithm: SCRYPT, base64_signer_key: QUJD==}',
    'algorithm: SCRYPT,\nbase64_signer_key: QUJD,\n',
  ],
  'signer-key': [`${'aB3_'.repeat(21)}\r\n`],
  json: [
    ...['{', '[', '{}', '[]', ' \r\n[\n {', '[[1]]', '["a"]', '[-1]', '\n\n{"a":1}\n{"a":2}\n'],
    '[{"a":"INSERT INTO users VALUES (1);"}]',
  ],
  ldif: [
    '# extended LDIF\n#\n# LDAPv3\n#\n\n# ada, example\ndn: uid=ada\nmail: a@b.c\n',
    'dn:: dWlkPWFkYQ==\nobjectClass: top\n',
    'version: 1\n\n# x\ndn: uid=ada\n',
    'dn: uid=insert\n',
  ],
  shadow: [
    'ada:*:19000:0:99999:7:::\n',
    '# vipw\nada:ab3kd92kdk2kd:19000:0:99999:7:::\nroot::1::::::\n',
    'update:!:19000::::::\n',
  ],
  passwd: ['root:x:0:0:root:/root:/bin/bash\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\n'],
  csv: [
    ...['E-Mail\na@b.c\n', '"email"\r\n"a@b.c"\r\n', 'sep=;\r\nemail;name\r\n', 'email|name\na@b.c|x\n'],
    ...['at,hash\n2024-01-01 10:11:12,$2a$:::::::\n', 'id,email', 'create,set,insert\n1,2,3\n'],
    ...['Create Date,Email\n2020,ada@example.com\n', 'set,use\n1,2\n', 'Insert;Into;Users\n', 'copy\tfrom\n'],
  ],
  sql: [
    '--\n-- PostgreSQL database dump\n--\n',
    '\n\n-- phpMyAdmin SQL Dump\n-- version 5.2.1\n',
    '/*M!999999\\- enable the sandbox mode */ \n',
    '/*!999999\\- enable the sandbox mode */ \n-- MariaDB dump',
    'mysqldump: [Warning] Using a password on the command line can be insecure.\n-- MySQL dump 10.13',
    '-- any comment, and then\nINSERT INTO `users` VALUES (1);',
    '# a comment\n\nCREATE TABLE IF NOT EXISTS users (id int);',
    '/* a comment */ insert into users (id) values (1);',
    'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;',
    'USE [shop]\r\nGO\r\n/****** Object:  Table [dbo].[Users] ******/',
    'SET ANSI_NULLS ON\r\nGO\r\n',
    'INSERT [dbo].[Users] ([Id]) VALUES (1)',
    'COPY auth.users (id, email) FROM stdin;\n1\t2\n',
    ...['USE `shop`;\n', 'SET session_replication_role = replica;\n', '\\restrict abc\n'],
  ],
};

describe.each(Object.entries(BEGINNINGS))('%s', (kind, texts) => {
  it.each(texts)('%j', async (text) => {
    expect(await kindOf(text)).toBe(kind);
    expect(await kindOf(`\ufeff${text}`, {}, 1)).toBe(kind);
    expect(await kindOf(Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(kind);
    const rest = '#\n'.repeat(kind === 'csv' || kind === 'ldif' ? 60_000 : 0);
    expect(await kindOf(`${text}\n${rest}`)).toBe(kind);
  });
});

describe('reading', () => {
  it('begins at the start each time, and closes the file after the survey', async () => {
    let opened = 0;
    let closed = 0;
    const text = `id,mail\n${Array.from({ length: 20_000 }, (_, id) => `${id},user${id}@example.org\n`).join('')}`;
    const file = {
      name: 'users.csv',
      async *open() {
        opened++;
        try {
          for await (const chunk of fileOf(text).open()) yield chunk;
        } finally {
          closed++;
        }
      },
    };
    const container = await openContainer(file, {});
    expect([opened, closed]).toEqual([1, 1]);
    for (const times of [2, 3]) {
      expect((await collect(container.read(() => true))).records).toHaveLength(20_000);
      expect([opened, closed]).toEqual([times, times]);
    }
    for await (const _ of container.read(() => true)) break;
    expect([opened, closed]).toEqual([4, 4]);
  });

  it('uses the encoding that the operator names', async () => {
    const { read } = await openContainer(fileOf(latin1('id,name\n1,Zo\xeb\n')), { encoding: 'latin1' });
    expect(outcomes(await collect(read(() => true)))).toEqual([{ id: '1', name: 'Zoë' }]);
  });

  it('checks a dump against the encoding that the operator names', async () => {
    const dump = "SET NAMES latin1;\nINSERT INTO users (id,name) VALUES (1,'Zo\xeb');\n";
    const readAs = async (encoding: string) => {
      const { read } = await openContainer(fileOf(latin1(dump)), { encoding });
      return outcomes(await collect(read(() => true)));
    };
    expect(await readAs('windows-1252')).toEqual([{ id: '1', name: 'Zoë' }]);
    expect(await problemOf(() => readAs('utf-8'))).toMatch(
      /^ENCODING_INVALID: .*not valid UTF-8 at byte 59\./,
    );
  });

  it('reports a truncated file even if no table is wanted', async () => {
    const packed = gzipSync(
      Buffer.from(Array.from({ length: 20_000 }, (_, id) => `${id},${id ** 3}\n`).join('')),
    );
    const { read } = await openContainer(fileOf(packed.subarray(0, packed.length - 9)), {
      columns: ['id', 'cube'],
    });
    expect(await problemOf(() => collect(read(() => false)))).toMatch(/^FILE_TRUNCATED/);
  });
});
