import { describe, expect, it } from 'vitest';
import { explainColumns } from '../../../src/sources/mapping/column-plan.ts';
import type { Settings } from '../../../src/sources/source.ts';
import { generic } from '../../../src/sources/systems/generic.ts';
import { findForm, readOne, readUsers, type TestTable, tableOf } from './read-users.ts';

const csv = (record: Readonly<Record<string, unknown>>) => tableOf('csv', [record]);
const fits = (table: TestTable, settings: Settings = {}) => findForm(generic, [table], { settings })?.name;

describe('the generic source', () => {
  it.each([
    ['a mapping that is wrong', { map: 'email' }],
    ['a template that is wrong', { hash: '{' }],
  ])('accepts no table by %s', (_, settings) => {
    expect(fits(csv({ id: '1', email: 'a@x' }), settings)).toBeUndefined();
    const advice = generic.forms[0]?.advice?.({ tables: [], settings });
    expect(advice?.[0]?.level).toBe('stop');
  });

  it('reads known columns, and reports their meanings', () => {
    const table = csv({ 'E-Mail': 'a@x', Password_Digest: 'h', UserID: '7', Plan: 'pro', reset_token: 't' });
    expect(fits(table)).toBe('generic-csv');
    expect(explainColumns(table.head, {})).toEqual([
      { column: 'UserID', use: 'id', why: 'by its name' },
      { column: 'E-Mail', use: 'email', why: 'by its name' },
      { column: 'Password_Digest', use: 'hash', why: 'by its name' },
      { column: 'Plan', use: undefined, why: 'not kept' },
      { column: 'reset_token', use: undefined, why: 'not kept' },
    ]);
    expect(readOne(generic, table)).toMatchObject({
      externalUserId: '7',
      email: 'a@x',
      password: { encoded: 'h' },
    });
  });
});

describe('a mapping of the operator', () => {
  it('combines a hash in the order of the template', () => {
    const record = { mail: 'a@x', pw_hash: 'deadbeef', pw_salt: '00ff', name: 'A' };
    const settings = {
      map: 'email=mail,hash=pw_hash,salt=pw_salt',
      hash: '$pbkdf2-sha256$i=27500$\\{salt|hex\\}$\\{hash|hex\\}',
    };
    const user = readOne(generic, csv(record), settings);
    expect(user.password).toEqual({ encoded: '$pbkdf2-sha256$i=27500$AP8$3q2+7w' });
    expect(user.metadata).toBeUndefined();
    expect(explainColumns(csv(record).head, settings)).toEqual([
      { column: 'mail', use: 'email', why: 'by --map or --hash' },
      { column: 'pw_salt', use: 'template', why: 'by --map or --hash' },
      { column: 'pw_hash', use: 'template', why: 'by --map or --hash' },
      { column: 'name', use: undefined, why: 'not kept' },
    ]);
  });

  it('sets words for yes', () => {
    const map = 'verified=bestätigt,email=kontakt.mail';
    const record = { id: 1, bestätigt: 'JA', kontakt: { mail: 'a@x', ort: 'Ulm' }, x: 1 };
    const table = tableOf('json', [record]);
    const user = readOne(generic, table, { map, true: 'ja,oui' });
    expect(user).toMatchObject({ email: 'a@x', isVerified: true });
    const uses = explainColumns(table.head, { map, keep: 'ort=kontakt.ort' });
    expect(uses).toContainEqual({ column: 'x', use: undefined, why: 'not kept' });
    expect(uses).toContainEqual({ column: 'kontakt.ort', use: 'metadata.ort', why: 'by --keep' });
  });

  it.each([
    [
      'a column that is missing',
      { id: '1', email: 'a@x' },
      { map: 'hash=pw' },
      /^stop: --map, --hash or --active names columns that are not there: pw\. The table has id, email\./,
    ],
    ['hashes that are nowhere', { id: '1', email: 'a@x' }, {}, /^warn: No column of hashes was found/],
    [
      'passwords in the clear',
      { id: '1', email: 'a@x', hash: 'h' },
      { plainTextPasswords: 'true' },
      /^warn: Values in the column of hashes that are not hashes/,
    ],
  ])('is reported for %s', (_, record, settings: Settings, text) => {
    expect(readUsers(generic, [csv(record)], { settings }).advice).toEqual([expect.stringMatching(text)]);
  });
});
