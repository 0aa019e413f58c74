import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadPipeline } from '../../src/cli/pipeline.ts';
import { BCRYPT, readNdjson, runCli, scratch, scratchFile as write } from './command-line.ts';

const run = (...args: string[]) => runCli(args, { pipeline: loadPipeline() });
const people = () =>
  write('people.csv', `nr,mail,pw,status,plan\n1,a@x.org,${BCRYPT},on,pro\n2,b@x.org,${BCRYPT},off,pro\n`);
const ANSWERS = [
  '--map',
  'id=nr,email=mail,hash=pw',
  '--active',
  'status=on',
  '--keep',
  'plan',
  '--verified',
];

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
      'convert',
      people(),
      '--mapping',
      saved,
      '--active',
      'status=off',
      '--save',
      saved,
    );
    expect(readNdjson(stdout).map(({ externalUserId }) => externalUserId)).toEqual(['2']);
    expect(JSON.parse(readFileSync(saved, 'utf8')).active).toEqual(['status=off']);
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
