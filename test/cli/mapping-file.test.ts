import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BCRYPT, readNdjson, runCli, scratch, words, scratchFile as write } from './command-line.ts';

const run = (...args: string[]) => runCli(args);
const people = () =>
  write('people.csv', `nr,mail,pw,status,plan\n1,a@x.org,${BCRYPT},on,pro\n2,b@x.org,${BCRYPT},off,pro\n`);
const ANSWERS = words`--map id=nr,email=mail,hash=pw --active status=on --keep plan --verified`;

describe('a mapping file', () => {
  it('has the answers that were given, for this user only, and gives them again', async () => {
    const saved = join(scratch(), 'answers.json');
    expect((await run('inspect', people(), ...ANSWERS, '--save', saved)).code).toBe(0);
    expect(JSON.parse(readFileSync(saved, 'utf8'))).toEqual({
      map: 'id=nr,email=mail,hash=pw',
      active: ['status=on'],
      keep: 'plan',
      verified: true,
    });
    expect(statSync(saved).mode & 0o777).toBe(0o600);
    const direct = await run('convert', people(), ...ANSWERS);
    const fromFile = await run('convert', people(), '--mapping', saved);
    expect([fromFile.code, fromFile.stdout]).toEqual([0, direct.stdout]);
  });

  it('counts less than the command line, and may be changed by it', async () => {
    const saved = join(scratch(), 'answers.json');
    await run('inspect', people(), ...ANSWERS, '--save', saved);
    const { stdout } = await run(
      ...words`convert ${people()} --mapping ${saved} --active status=off --save ${saved}`,
    );
    expect(readNdjson(stdout).map(({ externalUserId }) => externalUserId)).toEqual(['2']);
    expect(JSON.parse(readFileSync(saved, 'utf8')).active).toEqual(['status=off']);
  });

  describe('and flags of the command line', () => {
    const users = () =>
      write(
        'users.csv',
        [
          'id,mail,pw,state,conf,plan,note',
          ...['a,ok,1,p', 'b,ok,0,p', 'c,out,1,p', 'd,ok,1,q', 'e,new,1,p'].map((line) => {
            const [id, ...cells] = line.split(',');
            return [id, `${id}@x.org`, BCRYPT, ...cells, 'x'].join(',');
          }),
        ].join('\n'),
      );
    const answersWith = (answers: object) =>
      write('answers.json', JSON.stringify({ map: 'email=mail,hash=pw', ...answers }));
    const converted = async (answers: object, ...args: string[]) =>
      readNdjson((await run('convert', users(), '--mapping', answersWith(answers), ...args)).stdout);
    const idsOf = async (...given: Parameters<typeof converted>) =>
      (await converted(...given)).map(({ externalUserId }) => externalUserId).join('');

    it.each<[rules: string[], given: string[], ids: string]>([
      [['conf=1', 'state=ok'], [], 'ad'],
      [['conf=1', 'state=ok'], ['plan=p'], 'a'],
      [['conf=1', 'state=ok'], ['plan=p', 'state=ok'], 'a'],
      [['conf=1', 'state=ok'], ['plan=p', '"state" = ok,new'], 'ae'],
      [['conf=1', 'state=ok'], ['state is not null'], 'acde'],
      [['conf=1', 'state=ok'], ['everybody'], 'ad'],
      [['everybody'], ['plan=q'], 'd'],
      [['Everybody'], ['everybody'], 'abcde'],
    ])('have rules that add up: %j and %j', async (active, given, ids) => {
      const args = given.flatMap((rule) => ['--active', rule]);
      expect(await idsOf({ active, 'ignore-rest': true }, ...args)).toBe(ids);
    });

    it('have lists that add up', async () => {
      const answers = {
        ...{ active: ['conf=1', 'state=ok'], ignore: 'note', keep: 'plan,n=note', 'ignore-table': 'a' },
        ...{ 'without-table': 'b', set: ['idPrefix=old-', 'provider.x=y'] },
      };
      const saved = join(scratch(), 'all.json');
      const args = ['--ignore', 'state', '--keep', 'c=conf,n=plan', '--ignore-table', 'c'];
      args.push('--without-table', 'd', '--set', 'idPrefix=new-', '--save', saved);
      const [first] = await converted(answers, ...args);
      expect(first).toMatchObject({
        externalUserId: 'new-a',
        userMetadata: { plan: 'p', c: '1', n: 'p' },
      });
      expect(JSON.parse(readFileSync(saved, 'utf8'))).toMatchObject({
        ...{ ignore: 'note,state', 'ignore-table': 'a,c', 'without-table': 'b,d' },
        set: ['provider.x=y', 'idPrefix=new-'],
      });
    });

    it('have rules for columns that the other one ignores', async () => {
      const rest = { 'ignore-rest': true };
      expect(await idsOf({ active: ['conf=1'], ...rest }, '--ignore', 'conf')).toBe('acde');
      expect(await idsOf({ active: ['conf=1'], ignore: 'plan', ...rest }, '--active', 'plan=p')).toBe('ace');
    });
  });

  it.each([
    ['{', 'expected a JSON object'],
    ['[]', 'expected a JSON object'],
    ['{"colums":"x"}', 'there is no flag --colums about exports. Did you mean columns?'],
    ['{"yes":true}', 'there is no flag --yes about exports'],
    ['{"mapping":"x"}', 'there is no flag --mapping about exports'],
    ['{"map":{"id":"nr"}}', 'map must be a text'],
    ['{"active":[1,{}]}', 'active must be a list of texts'],
    ['{"verified":"yes"}', 'verified must be true'],
    ['{"map":"slat=x"}', '"slat" of the mapping is not a field'],
  ])('is refused if it is wrong: %s', async (text, problem) => {
    const { code, stderr } = await run('convert', people(), '--mapping', write('answers.json', text));
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
  });

  it('is not written over a file that is none', async () => {
    const other = write('notes.json', '{"secret":1}');
    const { code } = await run('inspect', people(), '--save', other);
    expect([code, readFileSync(other, 'utf8')]).toEqual([1, '{"secret":1}']);
  });
});
