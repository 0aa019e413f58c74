import stringWidth from 'string-width';
import { afterAll, expect, it, type TestContext } from 'vitest';
import { createTestApp } from '../support/app.ts';
import { ENV, onTerminal } from './tool-process.ts';

const service = await createTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });
afterAll(() => service.close());

/** Named relative to the project, so that lines break alike everywhere. */
const FILE = 'test/cli/sessions/users.csv';
const MAPPING = ['--active', 'is_active=1', '--without-password', 'keep', '--ignore-rest'];

/** Runs a command on a terminal. Returns what it shows, with ids, times and the address of the service replaced. */
async function session(context: TestContext, width: number, args: string[], answer = ''): Promise<string> {
  const run = onTerminal(context, args, { ...ENV, NO_COLOR: '1' }, width);
  if (answer !== '') {
    await run.says(answer.length > 1 ? 'to continue: ' : '[y/N]');
    run.type(`${answer}\r`);
  }
  const exitCode = await run.ended();
  const shown = shownLines(run.output);
  expect(shown.filter((line) => stringWidth(line) > width)).toEqual([]);
  const text = [`$ user-import ${args.join(' ')}`, ...shown, `[exit code ${exitCode}]`, '']
    .join('\n')
    .replaceAll(url, 'http://127.0.0.1:12345')
    .replaceAll(/\d+( s\b| lines\/s)/g, 'n$1')
    .replaceAll(/\b20\d\d-\d\d-\d\d( |T)\d\d:\d\d(:\d\d)?/g, (time) =>
      '2026-11-29 12:00:00'.slice(0, time.length),
    );
  return text;
}

/** Lines as they are seen: progress replaces itself on one line. */
const shownLines = (output: string): string[] =>
  output
    .trimEnd()
    .split('\r\n')
    .map((line) => line.replaceAll('\x1b[K', '\r').split('\r').at(-1) ?? '');

it.for([60, 80, 140])(
  'a session in a terminal of %i columns is as recorded',
  { timeout: 120_000 },
  async (width, context) => {
    const id = `session-${width}`;
    const run = (args: string[], answer?: string) => session(context, width, args, answer);
    const to = ['--url', url];
    const text = [
      await run(['inspect', FILE]),
      await run(['import', FILE, ...MAPPING, ...to, '--import-id', id], 'y'),
      await run(['status', id, ...to]),
      await run(['rollback', id, ...to], id),
      await run(['improt', FILE]),
    ].join('\n');
    await expect(text.replaceAll(id, 'session-id')).toMatchFileSnapshot(`sessions/${width}.txt`);
  },
);
