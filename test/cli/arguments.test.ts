import { expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { FLAG_NAMES } from '../../src/cli/options/flags.ts';
import { runCli } from './command-line.ts';

it.each([
  [['imprt', 'x'], 'There is no command imprt. Did you mean import?'],
  [['wxyz'], 'There is no command wxyz. Commands: inspect, prove,'],
  [['constructor'], 'There is no command constructor.'],
  [['inspect', '--form', 'x', 'y'], 'There is no flag --form. Did you mean --from?'],
  [['inspect', '--qqqqqqqqq', 'y'], 'There is no flag --qqqqqqqqq.'],
  [['inspect', '-x', 'y'], 'There is no flag -x'],
  [['inspect', 'y', '--from'], '--from needs a value: --from SYSTEM'],
  [['inspect', 'y', '--from='], '--from needs a value: --from SYSTEM'],
  [['import', 'y', '--report', '--yes'], '--report needs a value'],
  [['inspect', 'y', '--from', 'a', '--from', 'b'], '--from is given twice.'],
  [['import', 'y', '--yes=no'], '--yes takes no value.'],
  [['convert', 'y', '--url', 'http://x'], 'convert has no flag --url.'],
  [['census', '--yes'], 'census has no flag --yes.'],
  [['inspect'], 'Usage: user-import inspect FILE…'],
  [['inspect', 'y', '--set', 'novalue'], '--set: expected name=value'],
  [['inspect', 'y', '--set', 'a=1', '--set', 'a=2'], '--set: a is given twice.'],
  [['inspect', 'y', '--map', 'email'], '--map, position 1: expected field=column'],
  [['inspect', 'y', '--map', '@/nowhere/map'], 'is named by --mapping FILE'],
  [['inspect', 'y', '--mapping', '/nowhere/map'], '--mapping /nowhere/map cannot be read (ENOENT)'],
  [['inspect', 'y', '--map', 'emial=x'], '"emial" of the mapping is not a field'],
  [['inspect', 'y', '--hash', '{nope'], '--hash, position'],
  [['inspect', 'y', '--encoding', 'klingon'], '--encoding: klingon is not a known encoding'],
  [['inspect', 'y', '--csv', 'word'], '--csv: there is no word. Expected rfc4180'],
  [['inspect', 'y', '--columns', 'id,,hash'], '--columns: expected a different name for each column'],
  [['inspect', 'y', '--csv', 'excell'], '--csv: there is no excell. Did you mean excel?\n'],
  [
    ['import', 'y', '--yes', '--on-conflict', 'shrug'],
    '--on-conflict: there is no shrug. Expected update-unchanged',
  ],
  [['import', 'y', '--parallel', '3'], 'There is no flag --parallel.'],
  [['import', 'y', '--yes', '--retry-for', 'soon'], '--retry-for: expected a time such as 90s'],
  [['import', 'y', '--yes', '--timeout', '-5'], '--timeout needs a value'],
  [['import', 'y'], 'this cannot be confirmed. Add --yes to continue'],
  [['status', 'a', 'b'], 'Usage: user-import status [ID]'],
  [['status', 'a b'], 'An import id has 1 to 64 of'],
  [['rejects'], 'Usage: user-import rejects ID'],
  [['import', 'x', '--expect-users', 'many'], '--expect-users: expected a whole number'],
  [['rollback', '..'], 'An import id has 1 to 64 of'],
  [['census', 'x'], 'Usage: user-import census'],
  [['prove', 'x'], 'Name the user whose password you know: --email'],
  [[], 'Name a command.'],
])('%j is refused before it runs', async (args, message) => {
  const { code, stdout, stderr } = await runCli(args);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(message);
});

it.each([
  ['not a url', 'expected a URL'],
  ['ftp://example.com', 'expected http:// or https://'],
  ['http://user:secret-word@example.com', 'remove the user and password before the @'],
  ['http://example.com/?key=secret-word', 'leave out what follows ?'],
  ['https://a.example,https://b.example', 'one address. For several instances'],
])('the URL %s is refused, and not shown', async (url, message) => {
  for (const { code, stderr } of [
    await runCli(['status', '--url', url]),
    await runCli(['status'], { env: { USER_IMPORT_URL: url } }),
  ]) {
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret-word');
  }
});

it('commands that call the service require a key', async () => {
  for (const command of [
    ['status'],
    ['census'],
    ['rejects', 'x'],
    ['rollback', 'x', '--yes'],
    ['import', 'x', '--yes'],
  ]) {
    const { code, stderr } = await runCli(command, { env: { USER_IMPORT_API_KEY: '' } });
    expect([command, code]).toEqual([command, 1]);
    expect(stderr).toContain('The API key is missing: set USER_IMPORT_API_KEY');
  }
  const unreadable = await runCli(['status', '--api-key-file', '/nowhere/key']);
  expect(unreadable.stderr).toContain('--api-key-file: /nowhere/key cannot be read (ENOENT)');
  const odd = await runCli(['status'], { env: { USER_IMPORT_API_KEY: 'secret\nwords' } });
  expect(odd.stderr).toContain('contains characters that keys never have');
  expect(odd.stderr).not.toContain('secret');
});

it('prints help', async () => {
  const help = await runCli(['help']);
  expect([help.code, help.stderr]).toEqual([0, '']);
  for (const name of Object.keys(COMMANDS)) {
    expect(help.stdout).toContain(`  ${name} `);
    const [own, other] = [await runCli(['help', name]), await runCli([name, '--help'])];
    expect(own).toEqual(other);
    expect([own.code, own.stderr]).toEqual([0, '']);
    expect(own.stdout).toContain(`Usage: user-import ${name}`);
    expect(own.stdout).toContain('Examples:\n  ');
  }
  expect(await runCli(['--help'])).toEqual(help);
  expect(await runCli(['--version'])).toEqual({ code: 0, stdout: 'user-import 1.2.3\n', stderr: '' });
  expect((await runCli(['help', 'imprt'])).code).toBe(1);
});

it('every flag belongs to a command, and the help fits into 100 columns', async () => {
  const used = new Set(Object.values(COMMANDS).flatMap(({ flags }) => [...flags]));
  expect(FLAG_NAMES.filter((name) => !used.has(name))).toEqual(['version']);
  for (const name of Object.keys(COMMANDS)) {
    const { stdout } = await runCli(['help', name]);
    expect(stdout.split('\n').filter((line) => line.length > 100 && !/ \S+$/.test(line.trim()))).toEqual([]);
  }
});

it('reports in JSON why it did not run', async () => {
  const { stdout } = await runCli(['status', '--json', 'a b']);
  expect(JSON.parse(stdout)).toEqual({
    error: 'An import id has 1 to 64 of A-Z a-z 0-9 . _ -, and is not . or ..',
  });
});
