import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BCRYPT, CliRun, scratch, scratchFile, words } from './command-line.ts';
import { useImportSetup } from './import-setup.ts';

const cli = useImportSetup();

/** Runs the tool on a terminal, and returns the arguments that a shell gives to the command after `Next`. */
async function nextOf(...args: string[]): Promise<string[]> {
  const { stderr } = await new CliRun(args, { isTerminal: true }).finished;
  const [, command] = /Next[^:\n]*: (.*)/s.exec(stderr) ?? [];
  expect(command, stderr).toBeDefined();
  const script = `user-import() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const people = () =>
  scratchFile('people.csv', `nr,mail,pw,status\n1,a@x.org,${BCRYPT},on\n2,b@x.org,${BCRYPT},off\n`);

it('reads the same rows as the command before: with comments, line breaks and spaces in quotes', async () => {
  const query = [
    'select nr as id, mail as email, pw as hash, -- the columns',
    "\tnr || ' ' || '''' || '  \\  ' as note",
    "from people where status = 'on'",
  ].join('\n');
  const args = [people(), '--query', query, '--active', 'everybody', '--ignore-rest'];
  expect(await nextOf('inspect', ...args)).toEqual(['import', ...args]);
});

it('has files whose names are arguments of another kind, and values that begin with a dash', async () => {
  const directory = scratch();
  const file = join(directory, "-it's #1\n.csv");
  writeFileSync(file, `nr,mail,pw\n1,a@x.org,${BCRYPT}\n`);
  const given = [file, '--map', 'email=mail,hash=pw', '--active', 'everybody', '--keep=-x=nr'];
  expect(await nextOf('inspect', ...given)).toEqual(['import', ...given]);
});

it('names a mapping file, and not the answers in it', async () => {
  const [file, saved, again] = [people(), join(scratch(), 'a.json'), join(scratch(), 'b.json')];
  const answers = ['--map', 'id=nr,email=mail,hash=pw', '--active', 'status=on'];
  const service = ['--url', cli.url, '--match', 'external-id', '--source', 'shop'];
  expect(await nextOf('inspect', file, ...answers, '--ignore-rest', '--save', saved)).toEqual(
    words`import ${file} --mapping ${saved} --ignore-rest`,
  );
  expect(await nextOf('inspect', file, '--mapping', saved)).toEqual(['import', file, '--mapping', saved]);
  const changed = ['--mapping', saved, '--keep', 'status'];
  expect(await nextOf('inspect', file, ...changed)).toEqual(['import', file, ...changed]);
  expect(await nextOf('import', file, ...changed, ...service, '--dry-run', '--save', again)).toEqual(
    words`import ${file} --mapping ${again} ${service}`,
  );
});

it('has a condition in words, and not as a comment', async () => {
  const rejects = join(scratch(), 'not yet.ndjson');
  const file = scratchFile('people.csv', `nr,mail,pw\n1,not an address,${BCRYPT}\n2,b@x.org,${BCRYPT}\n`);
  const args = words`--map email=mail,hash=pw --active everybody --ignore-rest --yes --url ${cli.url}`;
  const run = new CliRun(['import', file, ...args, '--rejects', rejects]);
  expect((await run.finished).stderr).toContain(
    `\nNext, once it is corrected: user-import import '${rejects}'\n`,
  );
});
