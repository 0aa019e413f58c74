import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseMap, readMapping } from '../../../src/sources/mapping/mapping.ts';

const problemOf = (value: object) => ('problem' in value ? value.problem : undefined);

describe('a wrong mapping', () => {
  it.each([
    ['email', 'position 1: expected field=column'],
    ['email=mail,hash', 'position 12: expected field=column'],
    ['email=mail,,hash=x', 'position 12: expected field=column'],
    ['=mail', 'position 1: expected field=column'],
    ['email=mail,e-mail=x', 'position 12: email is mapped twice'],
    ['email=mail\\', 'position 1: expected field=column'],
    ['slat=pw_salt', '"slat" of the mapping is not a field'],
    ['identity.=x', '"identity." of the mapping is not a field'],
  ])('%s is refused', (map, problem) => {
    expect(problemOf(readMapping({ map }))).toContain(problem);
  });

  it('is reported with the position in its template', () => {
    expect(readMapping({ hash: '$x${salt|hex' })).toEqual({ problem: '--hash, position 13: a } is missing' });
  });

  it('is always reported, and never thrown', () => {
    const map = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.constantFrom('email', '=', ',', '\\', '{', ' ')).map((parts) => parts.join('')),
    );
    fc.assert(fc.property(map, fc.string(), (text, hash) => void readMapping({ map: text, hash })));
  });
});

describe('a mapping', () => {
  it('names fields in any spelling, names for the template, and columns to leave alone', () => {
    const map = ' E-Mail = mail , password_hash=pw,salt=pw_salt,verified=,identity.google=google_id,';
    const mapping = readMapping({ map, hash: '{salt}{hash}', algorithm: 'pbkdf2' });
    expect(mapping).toMatchObject({ algorithm: 'pbkdf2' });
    expect('columns' in mapping && [...mapping.columns]).toEqual([
      ['email', 'mail'],
      ['hash', 'pw'],
      ['salt', 'pw_salt'],
      ['verified', null],
      ['identity.google', 'google_id'],
    ]);
  });

  it.each([
    ['metadata.name="Full name",id=nr', 'Full name'],
    ['metadata.name= "Name, full" ,id=nr', 'Name, full'],
    ['metadata.name="a \\"b\\" c",id=nr', 'a "b" c'],
    ['metadata.name=\\"a\\",id=nr', '"a"'],
    ['metadata.name="a" b,id=nr', '"a" b'],
  ])('takes the quotes from around a column: %s', (map, column) => {
    const columns = Object.fromEntries(parseMap(map) as Map<string, string>);
    expect(columns).toEqual({ 'metadata.name': column, id: 'nr' });
  });

  it('may have commas and equals signs in names, after a backslash', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(name, (column) => {
        const escaped = column.replace(/[\\,="]/g, (one) => `\\${one}`);
        const columns = parseMap(`id=x,email=${escaped}`);
        expect(Object.fromEntries(columns as Map<string, string>)).toEqual({ id: 'x', email: column });
      }),
    );
  });
});
