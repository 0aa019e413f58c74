import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runCli, scratch, scratchFile } from './command-line.ts';

const scriptOf = async (shell: string) => {
  const { code, stdout, stderr } = await runCli(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
};

/** Returns what bash offers for the last word. */
async function offered(...words: string[]): Promise<string[]> {
  const path = scratchFile('completion.bash', await scriptOf('bash'));
  const array = ['user-import', ...words].map((word) => `'${word}'`).join(' ');
  const script = `source ${path}; COMP_WORDS=(${array}); COMP_CWORD=${words.length}; _user_import; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

it('completes commands, flags, and the values of flags', async () => {
  expect(await offered('re')).toEqual(['rejects']);
  expect(await offered('im')).toEqual(['import']);
  expect(await offered('rollback', '--')).toEqual(
    expect.arrayContaining(['--url', '--api-key-file', '--yes', '--json']),
  );
  expect(await offered('import', '--on-conflict', 's')).toEqual(['skip']);
  expect(await offered('inspect', '--from', 'keyc')).toEqual(['keycloak']);
  expect(await offered('convert', '--to', 'kr')).toEqual(['kratos']);
  // Files are completed by the shell itself.
  expect(await offered('import', 'us')).toEqual([]);
  expect(await offered('import', '--report', '--')).toEqual([]);
});

it.for(['bash', 'zsh', 'fish'])('%s accepts the script', async (shell, { skip }) => {
  const path = join(scratch(), 'none');
  const checked = spawnSync(shell, ['-n', scratchFile('completion', await scriptOf(shell)), path]);
  if (checked.error !== undefined) skip(`${shell} is not installed`);
  expect([checked.status, String(checked.stderr)]).toEqual([0, '']);
});

it('names the shells that it knows', async () => {
  expect((await runCli(['completion', 'tcsh'])).stderr).toBe('Name a shell: bash, zsh, fish\n');
});
