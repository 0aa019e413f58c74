import { describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT, CliRun, runCli, scratch, toyFile, toyUsers } from './command-line.ts';
import { fakeService, NDJSON } from './fake-service.ts';
import { onTerminal } from './tool-process.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

/** A run in this process, whose standard streams are terminals. */
const onScreen = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  new CliRun(args, { columns: 100, env });
const codeOf = async (run: CliRun) => (await run.finished).code;

describe('on a terminal', () => {
  it('reads the password without showing it', async (context) => {
    const file = toyFile(scratch(), [{ email: 'ada@example.com', hash: BCRYPT }]);
    const run = onTerminal(context, ['prove', file, '--email', 'ada@example.com', '--url', url]);
    await run.says('The password of that person: ');
    run.type('passwoX\x7frd\r');
    await run.says('It matches.');
    expect(await run.ended()).toBe(0);
    expect(run.output).not.toMatch(/passwo(?!rd of that)/);
  });

  it('ends the prompt on Ctrl-C', async (context) => {
    const file = toyFile(scratch(), [{ email: 'ada@example.com', hash: BCRYPT }]);
    const run = onTerminal(context, ['prove', file, '--email', 'ada@example.com', '--url', url]);
    await run.says('The password of that person: ');
    run.type('half\x03');
    expect(await run.ended()).toBe(130);
    expect(run.output).not.toContain('half');
  });

  it('inspects, does a dry run, asks, imports with progress, and says how to undo', async (context) => {
    const file = toyFile(scratch(), [
      ...toyUsers(2000, 200_000),
      { id: 'd', email: 'd@example.com', hash: BCRYPT, state: 'DISABLED' },
    ]);
    const run = onTerminal(context, ['import', file, '--url', url]);
    await run.says('[y/N]');
    expect(run.output).toContain('Toy exports');
    expect(run.output).toMatch(
      /Dry run.*: 2,001 rows = 2,000 imported \+ 1 skipped \+ 0 conflicts \+ 0 errors/,
    );
    expect(run.output).toContain('Nothing was written.');
    expect(run.output).toContain(`Import 2,000 users into ${url}?`);
    run.type('y\r');
    expect(await run.ended()).toBe(0);
    expect(run.output.match(/Next: .*/g)).toEqual([expect.stringContaining('user-import status toy-')]);
    expect(run.output).toMatch(/To undo it: user-import rollback toy-[0-9a-f]{20}/);
    expect(run.output).toContain('\x1b[1m');
    expect(run.output).not.toMatch(/user200000@|EkVBmTI0/);
  });

  it('shows whom a deletion by id concerns before it asks', async () => {
    const imported = { email: 'whose@example.com', passwordHash: BCRYPT };
    const { body } = await service.send('POST', '/recipe/user/passwordhash/import', imported);
    const id = body.user?.id ?? '';
    const run = onScreen(['delete', id, '--url', url]);
    await run.answer('[y/N]', '');
    expect(await codeOf(run)).toBe(1);
    expect(run.output.replace(/\s+/g, ' ')).toContain(
      `To be deleted: user ${id} (whose@example.com), and staged copies: 0.`,
    );
    expect((await service.send('GET', `/user/id?userId=${id}`)).body.status).toBe('OK');
    // The imports below ask about users who came in other ways.
    await service.send('POST', '/user/remove', { userId: id });
  });

  it('imports nothing unless the answer is yes', async () => {
    const file = toyFile(scratch(), toyUsers(2, 300_000));
    const run = onScreen(['import', file, '--url', url], { NO_COLOR: '1' });
    await run.answer('[y/N]', '');
    expect(await codeOf(run)).toBe(1);
    expect(run.output).toContain('Nothing was imported.');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(run.output).not.toMatch(/\x1b\[\d+m/);
    expect((await service.send('GET', '/user/id?userId=u300000')).body.status).not.toBe('OK');
  });

  it('draws one line that fits the width, at most five times a second', async () => {
    const fake = await fakeService((request, response) => {
      // Answers a hundred lines every 20 ms, which takes a second.
      response.writeHead(200, NDJSON);
      let line = 0;
      const timer = setInterval(() => {
        for (let index = 0; index < 100; index += 1)
          response.write(`{"line":${++line},"status":"CREATED"}\n`);
        if (line < 5000) return;
        clearInterval(timer);
        response.end('{"summary":{"lines":5000}}\n');
      }, 20);
      request.resume();
    });
    const run = onScreen(['import', toyFile(scratch(), toyUsers(5000)), '--url', fake.url, '--yes']);
    expect(await codeOf(run)).toBe(0);
    const drawn = run.output.split('\r').filter((text) => text.startsWith('importing '));
    expect(drawn.length).toBeGreaterThan(2);
    const texts = drawn.map((text) => text.split('\x1b[K')[0] ?? '');
    expect(texts.filter((text) => text.length > 99)).toEqual([]);
    expect(texts.at(-1)).toMatch(/^importing [\d,]+ rows .*[\d,]+ rows\/s · .*imported [\d,]+/);
  });

  it.each([
    ['typed', 1, 'Nothing was changed.'],
    ['typed-id', 0, 'Rolled back typed-id: 2 removed.'],
  ])('asks for the id before a rollback: %s', async (typed, code, said) => {
    const file = toyFile(scratch(), toyUsers(2, 400_000));
    await runCli(['import', file, '--url', url, '--yes', '--import-id', 'typed-id']);
    const run = onScreen(['rollback', 'typed-id', '--url', url]);
    await run.answer('Type the id of the import to continue: ', typed);
    expect([await codeOf(run), run.output]).toEqual([code, expect.stringContaining(said)]);
  });

  it('asks twice before it removes users who are gone from the export', async () => {
    const users = toyUsers(20, 700_000);
    const source = ['--url', url, '--source', 'twice'];
    expect((await runCli(['import', toyFile(scratch(), users), ...source, '--yes'])).code).toBe(0);
    const again = ['import', toyFile(scratch(), users.slice(1)), ...source, '--match', 'external-id'];
    const isThere = async () => (await service.send('GET', '/user/id?userId=u700000')).body.status === 'OK';
    const question = 'This removes 1 user. Type their number to continue: ';
    for (const [typed, code] of [
      ['y', 1],
      ['1', 0],
    ] as const) {
      const run = onScreen([...again, '--delete-missing'], { NO_COLOR: '1' });
      await run.answer('[y/N]', 'y');
      await run.answer(question, typed);
      expect([await codeOf(run), await isThere()]).toEqual([code, code === 1]);
      if (code === 1) expect(run.output).toContain('That is not 1. Nothing was imported.');
    }
  });

  it('prints no lines of a conversion unless it is told to', async () => {
    const file = toyFile(scratch(), toyUsers(1));
    const run = onScreen(['convert', file]);
    expect(await codeOf(run)).toBe(1);
    expect(run.output).toContain('send them to a file');
    const shown = onScreen(['convert', file, '--show']);
    expect(await codeOf(shown)).toBe(0);
    expect(shown.output).toContain('user0@example.com');
  });
});
