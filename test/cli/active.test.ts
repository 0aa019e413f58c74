import { describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, words, scratchFile as write } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();
const run = (...args: string[]) => runCli(args);

/** A table of one's own, with one user for each cell, whose id is its place. */
const csvOf = (column: string, cells: readonly string[]) =>
  write(
    'people.csv',
    `id,email,hash,${column}\n${cells.map((cell, at) => `${at},u${at}@example.com,${BCRYPT},${cell}\n`).join('')}`,
  );

/** Returns the cells of those who are let in. */
async function letIn(column: string, cells: readonly string[], ...rules: string[]) {
  const { code, stdout, stderr } = await run(
    'convert',
    csvOf(column, cells),
    ...rules.flatMap((rule) => ['--active', rule]),
    '--ignore-rest',
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining(' 0 errors')]);
  return readNdjson(stdout).map(({ externalUserId }) => cells[Number(externalUserId)]);
}

describe('a table of which nobody has said who may sign in', () => {
  it('is not imported, whatever its columns are called, and the question shows their values', async () => {
    const people = [
      { id: 1, email: 'a@example.com', hash: BCRYPT, account: { disabled: true, since: 'x' } },
      {
        id: 2,
        email: 'b@example.com',
        hash: BCRYPT,
        account: { disabled: false },
        note: 'secret@example.com',
      },
    ];
    const file = write('people.json', JSON.stringify(people));
    const before = await cli.userCount();
    for (const [command, ...flags] of [
      ['convert'],
      ['import', '--yes', '--url', cli.url],
      ['import', '--dry-run', '--url', cli.url],
    ] as const) {
      const { code, stdout, stderr } = await run(command, file, ...flags);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain("--active 'status=active,trial'");
      expect(stderr).toMatch(/account\.disabled: (?:true 1, false 1|false 1, true 1)/);
      expect(stderr).not.toMatch(/secret@|\$2|^ {2}(?:id|email|hash):/m);
    }
    expect(await cli.userCount()).toBe(before);
    const inspected = await run('inspect', file);
    expect([inspected.code, inspected.stdout]).toEqual([2, expect.stringContaining('account.disabled')]);
    const said = await run('convert', file, '--active', 'account.disabled=false', '--ignore', 'account,note');
    expect(readNdjson(said.stdout).map(({ externalUserId }) => externalUserId)).toEqual(['2']);
  });

  it('is asked about a column with many values, without showing one', async () => {
    const { stderr } = await run(
      'convert',
      csvOf(
        'city',
        Array.from({ length: 20 }, (_, at) => `c${at}`),
      ),
    );
    expect(stderr).toContain('Nothing shows who may sign in');
    expect(stderr).toContain('city: more than 12 values, in 20 records');
    expect(stderr).not.toContain('c1');
  });
});

describe('--active', () => {
  it.each([
    ['everybody', ['a', ''], ['a', '']],
    [
      'x=active,trial',
      ['active', 'TRIAL', ' active ', 'gold', '', 'inactive'],
      ['active', 'TRIAL', ' active '],
    ],
    ['x=true', ['t', 'true', '1', 'YES', 'f', '0', '', '2'], ['t', 'true', '1']],
    // The letters of two states: normal and frozen.
    ['x=N', ['N', 'no', 'F', 'D', 'false'], ['N', 'no']],
    ['x=0', ['0', 'f', 'false', '1', '00', ''], ['0', 'f', 'false']],
    ['x=on', ['on', 'true', 'off'], ['on']],
    ['x=', ['', 'a', 'no', 'false'], ['']],
    ['x=a,', ['', 'a', 'no', '0'], ['', 'a']],
    ['x="a,b",', ['', 'a', '"a,b"', 'b'], ['', '"a,b"']],
    ['x is null', ['', 'NULL', '2020-01-01', 'false', '0'], ['', 'NULL']],
    ['x IS NOT NULL', ['', '2020-01-01', '0'], ['2020-01-01', '0']],
    [
      'x < now',
      [
        ...['2001-01-01', '2999-01-01', '', 'infinity', '-infinity', '1600000000'],
        ...['0000-00-00', '0000-00-00 00:00:00', '253402300799'],
      ],
      ['2001-01-01', '', '-infinity', '1600000000', '0000-00-00', '0000-00-00 00:00:00'],
    ],
    ['x>now', ['2001-01-01', '2999-01-01', '', 'infinity'], ['2999-01-01', 'infinity']],
  ] as [string, string[], string[]][])('%s lets in of %j: %j', async (rule, cells, expected) => {
    expect(await letIn('x', cells, rule)).toEqual(expected);
  });

  it('may be given several times, and all rules must hold', async () => {
    const file = write(
      'people.csv',
      [
        'id,email,hash,status,deleted_at',
        `1,a@x.org,${BCRYPT},active,`,
        `2,b@x.org,${BCRYPT},active,2020-01-01`,
      ]
        .concat(`3,c@x.org,${BCRYPT},banned,`)
        .join('\n'),
    );
    const { stdout } = await run(
      ...words`convert ${file} --active status=active --active 'deleted_at is null'`,
    );
    expect(readNdjson(stdout).map(({ externalUserId }) => externalUserId)).toEqual(['1']);
  });

  it.each(['soon', '0', '1', '-1', '0000-00-00x', '12345678'])(
    'stops at a time that cannot be read: %s',
    async (text) => {
      const { code, stdout, stderr } = await run(
        ...words`convert ${csvOf('until', [text, ''])} --active 'until < now'`,
      );
      expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(`until: ${text} 1`)]);
    },
  );

  it('stops at a time in JSON that is an object or a list', async () => {
    const people = ['{"toString":1}', '["2001-01-01"]', '{"$date":"2001-01-01"}'].map(
      (until, id) => `{"id":${id},"email":"u${id}@x.org","hash":"${BCRYPT}","until":${until}}`,
    );
    const file = write('people.json', `[${people.join(',')}]`);
    const { code, stdout, stderr } = await run('convert', file, '--active', 'until < now');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('an object or a list')]);
  });

  it('stops at columns that no record of JSON has', async () => {
    const file = write(
      'people.json',
      `[{"id":1,"email":"a@x.org","hash":"${BCRYPT}","deleted_at":"2020-01-01"}]`,
    );
    for (const [flags, name] of [
      [['--active', 'delted_at is null'], 'delted_at'],
      [['--active', 'everybody', '--keep', 'city=profile.city'], 'profile.city'],
    ] as const) {
      const { code, stdout, stderr } = await run('convert', file, ...flags);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(`--active or --keep names columns that no user has: ${name}`);
    }
  });

  it('may name the words with which nobody may sign in', async () => {
    const cells = ['active', 'closed', '', 'Closed', 'new'];
    expect(await letIn('status', cells, 'status!=closed')).toEqual(['active', '', 'new']);
    expect(await letIn('status', cells, 'status != closed,')).toEqual(['active', 'new']);
    expect(await letIn('status', cells, 'status!=closed,new', 'status is not null')).toEqual(['active']);
    const { code, stderr } = await run('convert', csvOf('status', cells), '--active', 'status!=closd');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--active status: no user has closd there.')]);
  });

  it('is asked about once if it names a column that nobody has', async () => {
    const { stdout } = await run(
      'inspect',
      csvOf('status', ['active', 'closed']),
      '--active',
      'state=active',
      '--json',
    );
    const codes = JSON.parse(stdout).questions.map(({ code }: { code?: string }) => code);
    expect(codes).toEqual(['COLUMNS_UNUSED', 'COLUMNS_ABSENT']);
  });

  it('is refused if it is no rule, or names no column', async () => {
    const file = csvOf('x', ['a']);
    for (const [rule, said] of [
      ['status', '--active status: expected everybody, or rules such as'],
      ['=active', '--active =active: expected everybody'],
      ['y=active', '--active or --keep names columns that no user has: y'],
    ] as const)
      expect((await run('convert', file, '--active', rule)).stderr).toContain(said);
    const { stderr } = await run('convert', file, '--map', 'disabled=x', '--active', 'everybody');
    expect(stderr).toContain('--map disabled: say who may sign in by a rule');
  });

  it('adds to what a known system says, and never takes from it', async () => {
    const row = (id: number, active: number, plan: string) =>
      `${id},u${id},u${id}@x.org,${BCRYPT},0,0,0,,${active},${plan}`;
    const kanboard = write(
      'users.csv',
      [
        'id,username,email,password,is_ldap_user,disable_login_form,twofactor_activated,twofactor_secret,is_active,plan',
        row(1, 1, 'pro'),
        row(2, 0, 'pro'),
        row(3, 1, 'closed'),
      ].join('\n'),
    );
    const idsOf = async (...flags: string[]) =>
      readNdjson((await run('convert', kanboard, ...flags)).stdout).map(
        ({ externalUserId }) => externalUserId,
      );
    expect((await run('convert', kanboard)).stderr).toContain('plan: 2 different values, in 3 records');
    expect(await idsOf('--active', 'plan=pro')).toEqual(['1']);
    expect(await idsOf('--active', 'everybody', '--ignore', 'plan')).toEqual(['1', '3']);
  });
});
