import { describe, expect, it } from 'vitest';
import { rendered } from './render.ts';

const RECORD = {
  hash: 'DEADBEEF',
  salt: 'c2FsdA==',
  name: 'Zoë',
  bytea: '\\x2432622431302478',
  n: 16_384,
  empty: '',
  'odd | name': 'x',
  both: 'sha1:5000:ff:Zm9v',
};

describe('a wrong template', () => {
  it.each([
    ['', '1: uses no column'],
    ['plain', '1: uses no column'],
    ['a{}', '3: expected the name of a column'],
    ['{hash', '6: a } is missing'],
    ['{hash|', '7: is none of hex,'],
    ['{hash|hxe}', '7: is none of hex,'],
    ['{hash||hex}', '7: is none of hex,'],
    ['{hash|constructor}', '7: is none of hex,'],
    ['{hash$}', '6: expected | and a step, or }'],
    ['{hash|hex|lower}', '11: needs text, but the step before it results in bytes'],
    ['{hash|to-hex}', '7: needs bytes, but the step before it results in text'],
    ['{hash|hex|to-hex|to-hex}', '18: needs bytes'],
    ['{"hash}', '2: a " is missing'],
    ['{hash}}', '7: a } without {'],
    ['{hash}\\}', '7: a } without {'],
    ['{hash|part}', '7: expected a number that is not 0 and a separator'],
    ["{hash|part(0,':')}", '7: expected a number that is not 0 and a separator'],
    ["{hash|part(1,'')}", '7: expected a number that is not 0 and a separator'],
    ["{hash|part(1,':'}", '7: expected a number that is not 0 and a separator'],
    [`{hash${'|lower'.repeat(17)}}`, '103: more than 16 steps'],
    [`${'x'.repeat(4096)}{hash}`, '4097: is longer than 4096 characters'],
  ])('%s is refused', (template, problem) => {
    expect(rendered(template, RECORD)).toMatch(new RegExp(`^${problem.replace(/[|]/g, '\\|')}`));
  });
});

describe('a template', () => {
  it.each([
    ['{hash}', 'DEADBEEF'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of ours
    ['$x$i=27500${salt|base64}${hash|hex}', '$x$i=27500$c2FsdA$3q2+7w'],
    ['$x$\\{salt|base64\\}$\\{hash|hex\\}', '$x$c2FsdA$3q2+7w'],
    ['{ hash | hex | to-base64url }', '3q2-7w'],
    ['{hash|hex|to-base64}', '3q2+7w=='],
    ['{hash|hex|to-hex}', 'deadbeef'],
    ['{bytea|hex|text}', '$2b$10$x'],
    ["{bytea|hex|text|part(-1,'$')}", 'x'],
    ['{salt|base64|text}', 'salt'],
    ['{{SSHA}}{hash|hex|to-base64}', '{SSHA}3q2+7w=='],
    ['{{CRYPT}}{{{name}', '{CRYPT}{Zoë'],
    ['{hash|lower}', 'deadbeef'],
    ['{hash|utf8}', 'REVBREJFRUY'],
    ['{salt|unpad}', 'c2FsdA'],
    ['{name|utf8|to-hex}', '5a6fc3ab'],
    ['{name|latin1|to-hex}', '5a6feb'],
    ['{name|utf16le|to-hex|upper}', '5A006F00EB00'],
    ['ln={n|log2},n={n}', 'ln=14,n=16384'],
    ['{{{hash}}}\\\\', '{DEADBEEF}\\'],
    ['a\\b{hash}', 'a\\bDEADBEEF'],
    ['{"odd | name"}', 'x'],
    ['{both|part(3,\':\')|hex}:{both|part(-1,":")|base64|to-hex}', '/w:666f6f'],
  ])('%s gives a hash', (template, encoded) => {
    expect(rendered(template, RECORD)).toEqual({ encoded, algorithm: undefined });
  });

  it.each([
    ['a cell is no hexadecimal', '{name|hex}', 'column name is not hexadecimal'],
    ['digits are odd in number', '{x|hex}', 'column x is not hexadecimal'],
    ['a cell is no base64', '{hash|base64}{both|base64}', 'column both is not base64'],
    ['base64 has two alphabets', '{mixed|base64}', 'column mixed is not base64'],
    ['bytes are no text', '{hash|hex|text}', 'column hash is not text in UTF-8'],
    ['a character is not in Latin-1', '{euro|latin1}', 'column euro is not Latin-1'],
    ['a number is no power of two', '{x|log2}', 'column x is not a power of two'],
    ['there are fewer parts', "{both|part(9,':')}", 'column both is not made of so many parts between ":"'],
    ['a cell is empty beside the main one', '{empty}{hash}', 'column empty is empty'],
    ['a column is missing', '{missing}{hash}', 'column missing is empty'],
    ['a cell is no text', '{list}{hash}', 'column list is empty'],
  ])('gives an invalid hash if %s', (_, template, message) => {
    const record = { ...RECORD, x: '123', mixed: '+_8', euro: '€', list: [1] };
    expect(rendered(template, record)).toEqual({ problem: 'PASSWORD_HASH_INVALID', message });
  });

  it('gives no password if the main column is empty, which is named hash or else comes last', () => {
    expect(rendered('{hash}{n}', { n: 1 })).toBeUndefined();
    expect(rendered('{n}{pw}', { n: 1, pw: null })).toBeUndefined();
  });
});
