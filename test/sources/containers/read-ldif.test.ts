import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readLdif } from '../../../src/sources/containers/read-ldif.ts';
import { isBadRecord } from '../../../src/sources/containers/table.ts';
import { surveyFile } from '../../../src/sources/pipeline/survey-file.ts';
import { fileOf, outcomes, problemOf, readWhole } from './read-whole.ts';

const SAMPLE = readFileSync(new URL('../samples/ldif/export.ldif', import.meta.url));
const read = async (text: string | Buffer) => outcomes(await readWhole(readLdif, text));
const ADA = 'dn: uid=ada\nmail: ada@example.org\n';
const ada = { dn: ['uid=ada'], mail: ['ada@example.org'] };
const base64 = (bytes: string | Buffer) => Buffer.from(bytes).toString('base64');

describe('unreadable entries', () => {
  it.each([
    ['a line without a colon', 'dn: uid=x\nmail\n'],
    ['a line without a name', 'dn: uid=x\n: y\nmail: x@y.z\n'],
    ['a line that goes on where nothing began', ' mail: x@y.z\n'],
    ['what is no base64', 'dn: uid=x\nuserPassword:: not*base64\n'],
    ['base64 that is cut', 'dn: uid=x\nmail: x@y.z\nuserPassword:: e1NTSEF9R\n'],
    ['a person without a dn', 'mail: x@y.z\n'],
    ['a value in another file', 'dn: uid=x\nmail: x@y.z\nnsAccountLock:< file:///tmp/ldapsearch-lock\n'],
  ])('%s', async (_, entry) => {
    const whole = await readWhole(readLdif, `${ADA}\n${entry}\n${ADA}`);
    expect(outcomes(whole)).toEqual([ada, 'LDIF_INVALID', ada]);
    expect(
      whole.records.flatMap((record) => (isBadRecord(record) ? [record.message] : [])).join(),
    ).not.toMatch(/x@|uid/);
  });

  it('may have more than 16 MiB, in one line or in many', async () => {
    const photo = 'jpegPhoto: '.padEnd(17_000_000, 'x');
    const lines = 'description: 0123456789\n'.repeat(800_000);
    const text = `dn: uid=x\nmail: x\n${photo}\n\n${ADA}\ndn: uid=y\n${lines}mail: y\n\n${ADA}`;
    expect(await read(text)).toEqual(['RECORD_TOO_LONG', ada, 'RECORD_TOO_LONG', ada]);
  });

  it('a value of very many lines takes linear time', async () => {
    const [record] = await read(`dn: uid=x\nmail: x\n${' 01234567\n'.repeat(400_000)}`);
    expect(record).toMatchObject({ mail: [`x${'01234567'.repeat(400_000)}`] });
  });
});

describe('a file of changes is refused, even if its entries are not wanted', () => {
  it.each([
    ['a change', 'dn: uid=ada\nchangetype: modify\nreplace: mail\nmail: x@y.z\n-\n'],
    ['a change that does not say so', 'dn: uid=ada\nreplace: mail\nmail: x@y.z\n-\n'],
    ['a deletion', 'dn: uid=ada\nchangetype: delete\n'],
    ['a deletion that is folded', 'dn: uid=ada\nchange\n type: del\n ete\n'],
    ['a deletion in base64', `dn: uid=ada\nChangeType:: ${base64('delete')}\n`],
    ['a change in base64 that is no text', `dn: uid=ada\nchangetype:: ${base64(Buffer.from([0xff]))}\n`],
    ['another name', 'dn: uid=ada\nchangetype: modrdn\nnewrdn: uid=eve\ndeleteoldrdn: 1\n'],
  ])('%s', async (_, change) => {
    for (const before of [ADA, `${ADA}\n`.repeat(3_000)]) {
      const file = fileOf(`${before}\n${change}\n${ADA}`);
      const said = await problemOf(() => surveyFile(file, {}));
      expect(said).toMatch(/^FILE_INVALID: The file holds changes of entries .*slapcat/);
    }
  });
});

describe('a name with a line break, which ldapsearch copies into a comment', () => {
  // ldapsearch 2.5 writes this for an entry whose cn is "x", a line break and more.
  const forged =
    'dn: uid\nmail: boss@example.org\nuserPassword: {CRYPT}$1$saltsalt$qjXMvbEw8oaL.CzflDtaK/\n\n#';
  const entry = `dn:: ${base64(`cn=x\n${forged},dc=example,dc=org`)}\n`;
  const person = 'objectClass: inetOrgPerson\nmail: eve@example.org\n';

  it.each([
    ['a person', person],
    ['too long', `${`description: ${'0123456789'.repeat(100)}\n`.repeat(17_000)}${person}`],
  ])('stops a file with comments: %s', async (_, rest) => {
    const text = `# extended LDIF\n\n# ada\n${ADA}\n# x\n${forged}, example.org\n${entry}${rest}\n`;
    expect(await problemOf(() => surveyFile(fileOf(text), {}))).toContain('ldapsearch -LLL');
    expect(await problemOf(() => readWhole(readLdif, text))).toContain('ldapsearch -LLL');
  });

  it('is an ordinary name in a file without comments', async () => {
    expect(await read(`${ADA}\n${entry}${person}\n`)).toHaveLength(2);
  });
});

describe('entries', () => {
  it('have their attributes read', async () => {
    const text = `version: 1
dn:: ${base64('uid=zoë')}
objectClass: top
objectClass: person
MAIL:zoe@example.org
mail;lang-de:   second@example.org 
cn:: ${base64('Zoë')}
note: a: b :: c
empty:
userPassword:: ${base64('{SSHA}abc=')}
`;
    expect(await read(text)).toEqual([
      {
        dn: ['uid=zoë'],
        objectclass: ['top', 'person'],
        mail: ['zoe@example.org', 'second@example.org '],
        cn: ['Zoë'],
        note: ['a: b :: c'],
        empty: [''],
        userpassword: ['{SSHA}abc='],
      },
    ]);
  });

  it('may have continued lines and continued comments, and some attributes are left out', async () => {
    const text = `# a comment
 that goes on: with a colon
dn: uid=ada
# another
#
 mail: not this
mail: ada@exam
 ple.org
jpegPhoto:: ${base64(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))}
usercertificate;binary:: ${base64(Buffer.from([0x30, 0x82, 0xff]))}
__proto__: x
constructor: x
`;
    const whole = await readWhole(readLdif, text);
    expect(whole.records).toEqual([{ ...ada, constructor: ['x'] }]);
  });

  it('are rows if they are people; the summary of ldapsearch is not', async () => {
    const text = `# extended LDIF
#
# LDAPv3
# base <dc=example> with scope subtree
#

# example
dn: dc=example
dc: example

# ada, example
${ADA}
# no address
dn: uid=grace
userPassword: plain

# search reference
ref: ldap://other.example/dc=example

# search result
search: 2
result: 0 Success

# numResponses: 4
# numEntries: 3
`;
    expect(await read(text)).toEqual([ada, { dn: ['uid=grace'], userpassword: ['plain'] }]);
  });

  describe('of which ldapsearch has counted', () => {
    const summary = (entries: number, result = '0 Success') =>
      `\n# search result\nsearch: 2\nresult: ${result}\n\n# numResponses: ${entries + 1}\n# numEntries: ${entries}\n`;
    const many = Array.from({ length: 50 }, (_, n) => `dn: uid=${n}\nmail: ${n}@example.org\n\n`).join('');

    it('all, in one search or in pages, are read', async () => {
      expect(await read(`${ADA}${summary(1)}`)).toHaveLength(1);
      expect(await read(`${ADA}${summary(1)}${many}${summary(50)}`)).toHaveLength(51);
    });

    it('more or fewer stop the file, also in the part that is only surveyed', async () => {
      for (const [text, stated] of [
        [ADA, 2],
        [`${ADA}${ADA}`, 1],
        [many, 51],
        [`${ADA}${summary(1)}${ADA}`, 2],
      ] as const)
        await expect(read(`${text}${summary(stated)}`)).rejects.toMatchObject({ code: 'FILE_TRUNCATED' });
    });

    it('those up to a limit of the server stop the file', async () => {
      for (const result of [
        '4 Size limit exceeded',
        '3 Time limit exceeded',
        '11 Administrative limit exceeded',
      ])
        await expect(read(`${many}${summary(50, result)}`)).rejects.toMatchObject({ code: 'FILE_TRUNCATED' });
    });
  });

  it('may be additions', async () => {
    const text =
      'version: 1\r\n\r\ndn: uid=ada\r\ncontrol: 1.2.3 true\r\nchangetype: add\r\nmail: ada@example.org\r\n';
    expect(await read(text)).toEqual([{ ...ada, control: ['1.2.3 true'], changetype: ['add'] }]);
  });

  it('need not be separated, or only by blanks', async () => {
    expect(await read(`${ADA}${ADA} \n${ADA}`)).toEqual([ada, ada, ada]);
  });

  it('may be missing, which gives a table without rows', async () => {
    for (const text of ['', '\n\n', '# comment', 'version: 1\n', 'dn: dc=example\n']) {
      expect(await readWhole(readLdif, text)).toMatchObject({ records: [], heads: [{ name: '' }] });
    }
  });
});

it('the sample gives the same entries with other line folding', async () => {
  const unfolded = SAMPLE.toString().replaceAll('\n ', '');
  const { records } = await readWhole(readLdif, SAMPLE);
  for (const width of [10, 40, 76, 100_000]) {
    const folded = unfolded.replaceAll(
      new RegExp(`^.{${width}}|(?<=.{${width}}).{${width - 1}}`, 'gm'),
      '$&\n ',
    );
    expect((await readWhole(readLdif, folded.replaceAll('\n', '\r\n'))).records).toEqual(records);
  }
});
