import stringWidth from 'string-width';
import { expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { CliRun } from './command-line.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

/** Named relative to the project, so that lines break alike everywhere. */
const FILE = 'test/cli/sessions/users.csv';
const MAPPING = ['--active', 'is_active=1', '--without-password', 'keep', '--ignore-rest'];

/** Runs a command on a terminal. Returns what it shows, with ids, times and the address of the service replaced. */
async function session(columns: number, args: string[], answer = ''): Promise<string> {
  const run = new CliRun(args, { columns, env: { NO_COLOR: '1' } });
  if (answer !== '') await run.answer(answer.length > 1 ? 'to continue: ' : '[y/N]', answer);
  const { code } = await run.finished;
  const shown = shownLines(run.output);
  expect(shown.filter((line) => stringWidth(line) > columns)).toEqual([]);
  const text = [`$ user-import ${args.join(' ')}`, ...shown, `[exit code ${code}]`, '']
    .join('\n')
    .replaceAll(url, 'http://127.0.0.1:12345')
    .replaceAll(/\d+ s\b/g, 'n s')
    .replaceAll(/[\d,]+ lines\/s/g, 'n lines/s')
    .replaceAll(/\b20\d\d-\d\d-\d\d( |T)\d\d:\d\d(:\d\d)?/g, (time) =>
      '2026-11-29 12:00:00'.slice(0, time.length),
    );
  return text;
}

/** Lines as they are seen: progress replaces itself on one line. */
const shownLines = (output: string): string[] =>
  output
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.replaceAll('\x1b[K', '\r').split('\r').at(-1) ?? '');

it.each([60, 80, 140])('a session in a terminal of %i columns is as recorded', async (width) => {
  const id = `session-${width}`;
  const to = ['--url', url];
  const text = [
    await session(width, ['inspect', FILE]),
    await session(width, ['import', FILE, ...MAPPING, ...to, '--import-id', id], 'y'),
    await session(width, ['status', id, ...to]),
    await session(width, ['rollback', id, ...to], id),
    await session(width, ['improt', FILE]),
  ].join('\n');
  await expect(text.replaceAll(id, 'session-id')).toMatchFileSnapshot(`sessions/${width}.txt`);
});
