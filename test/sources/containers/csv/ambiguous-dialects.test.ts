import { describe, expect, it } from 'vitest';
import { readSurveyed as read, surveyProblemOf } from '../read-whole.ts';

const HASH = '$2y$10$abcdefghijklmnopqrstuuJ9kz7U0k1v2w3x4y5z6A7B8C9D0E1F2';

describe('backslashes outside quotes, with --csv-escape backslash', () => {
  it.each([
    ['no cell is in quotes', 'name,email\n\\\\0x,ann@example.org\n', /No cell of the file is in quotes/],
    ['quoted cells have none', 'name,email\n\\n1|x,"m@x.org\n"\n', /Backslashes outside quotes/],
  ])('are ambiguous: %s', async (_, text, said) => {
    expect(await surveyProblemOf(text, { csvEscape: 'backslash' })).toMatch(said);
  });

  it('are ambiguous even if the quote is given', async () => {
    const text = 'name,email\n"\\n%,ann@example.org\n';
    expect(await surveyProblemOf(text, { csvEscape: 'backslash', csvQuote: "'" })).toContain('No cell');
  });

  it('are text in a cell that begins with \\N and continues', async () => {
    const { records } = await read('name,email\n\\Nx,ann@example.org\n', {
      csvEscape: 'backslash',
      csvQuote: "'",
    });
    expect(records).toEqual([{ name: '\\Nx', email: 'ann@example.org' }]);
  });

  it.each([
    ['that may be one elsewhere', '\\next\\.', '\\~y', '~y'],
    ['in the header', 'x', '\\~\\\\', '~\\'],
  ])('remain text after one %s, as psql writes it with ESCAPE', async (_, unquoted, quoted, meant) => {
    const text = `name,e\\mail,bio\n${unquoted},ann@example.org,~${quoted}~\n\\n,bob@example.org,z\n`;
    const { records } = await read(text, { csvEscape: 'backslash', csvQuote: '~' });
    expect(records).toEqual([
      { name: unquoted, 'e\\mail': 'ann@example.org', bio: meant },
      { name: '\\n', 'e\\mail': 'bob@example.org', bio: 'z' },
    ]);
  });

  it('are text in \\N alone, if another text means null', async () => {
    const text = 'name,bio,email\n\\N,"a \\"b\\"",ann@example.org\n\\N,x,bob@example.org\n';
    const { records } = await read(text, { csvEscape: 'backslash', csvNull: 'NULL' });
    expect(records).toEqual([
      { name: '\\N', bio: 'a "b"', email: 'ann@example.org' },
      { name: '\\N', bio: 'x', email: 'bob@example.org' },
    ]);
  });

  it('mean null in \\N alone', async () => {
    const text = '"name","email"\n\\N,"ann@example.org"\n\\N,"bob@example.org"\n';
    const { records } = await read(text, { csvEscape: 'backslash' });
    expect(records[1]).toEqual({ name: null, email: 'bob@example.org' });
  });
});

describe('flags of CSV', () => {
  it('--csv-escape does not hide that the file uses another quote', async () => {
    const text = "'name'\t'email'\n'x\n9\tboss@example.org\ny'\t'ann@example.org'\n";
    for (const csvEscape of ['doubled', 'php', 'backslash'] as const) {
      expect(await surveyProblemOf(text, { csvEscape })).toMatch(/with quotes '"', and with "'"/);
    }
    expect((await read(text, { csvEscape: 'doubled', csvQuote: "'" })).records).toHaveLength(1);
  });

  it('--csv-escape backslash reads a file whose cells are all quoted', async () => {
    const text = '"name","email"\n"Ann","ann@example.org"\n';
    const { records } = await read(text, { csvEscape: 'backslash' });
    expect(records).toEqual([{ name: 'Ann', email: 'ann@example.org' }]);
  });
});

it('a first row does not determine the delimiter of rows with escaped line breaks', async () => {
  const text = `ann@example.org\t${HASH}\t,,,\\\n9,x,boss@example.org,${HASH}\\\n\n`;
  const said = await surveyProblemOf(text, { csvHeader: false, csvQuote: 'none' });
  expect(said).toContain("--csv-delimiter ',' or --csv-delimiter tab");
});

it('a carriage return at the beginning of the first cell is preserved', async () => {
  const text = `\rann\tann@example.org\t${HASH}\nbob\tbob@example.org\t${HASH}\n`;
  const options = { csvHeader: false, csvQuote: 'none' };
  expect(await surveyProblemOf(text, options)).toContain('line end other than the CR');
  expect((await read(text.replaceAll('\n', '\r'), options)).records).toHaveLength(2);
});

it('doubled quotes that are text do not merge rows of INTO OUTFILE into one cell', async () => {
  const rows = [
    'plain,"""\\,,H0,mal@x.org',
    `x,y,${HASH},boss@example.org`,
    'z,\\\\" \\\\",H1,ann@x.org',
    'plain,\\\\"n",H3,mal2@x.org',
  ];
  const text = `bio,name,hash,email\n${rows.join('\n')}\n`;
  expect(await surveyProblemOf(text)).toContain('--csv-escape');
  expect((await read(text, { csvQuote: 'none' })).records).toHaveLength(rows.length);
});

it("a cell that ends with two backslashes does not turn PHP's backslashes into escapes", async () => {
  const text = 'bio,email\n"a \\"b\\" c",ann@example.org\n"x\\\\",mal@example.org\n';
  expect(await surveyProblemOf(text)).toContain('--csv-escape');
});
