import { describe, expect, it } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { BCRYPT, scratch, toyFile, toyUsers } from './command-line.ts';
import { fakeService, NDJSON } from './fake-service.ts';
import { ENV, onTerminal, tool } from './tool-process.ts';

const service = await useTestApp();
const url = await service.app.listen({ port: 0, host: '127.0.0.1' });

describe('on a terminal', { timeout: 60_000 }, () => {
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

  it('inspects, does a dry run, asks, imports with progress, and says how to undo', {
    timeout: 60_000,
  }, async (context) => {
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

  it('shows whom a deletion by id concerns before it asks', async (context) => {
    const imported = { email: 'whose@example.com', passwordHash: BCRYPT };
    const { body } = await service.send('POST', '/recipe/user/passwordhash/import', imported);
    const id = body.user?.id ?? '';
    const run = onTerminal(context, ['delete', id, '--url', url]);
    await run.says('[y/N]');
    expect(run.output.replace(/\s+/g, ' ')).toContain(
      `To be deleted: user ${id} (whose@example.com), and staged copies: 0.`,
    );
    run.type('\r');
    expect(await run.ended()).toBe(1);
    expect((await service.send('GET', `/user/id?userId=${id}`)).body.status).toBe('OK');
    // The imports below ask about users who came in other ways.
    await service.send('POST', '/user/remove', { userId: id });
  });

  it('imports nothing unless the answer is yes', async (context) => {
    const file = toyFile(scratch(), toyUsers(2, 300_000));
    const run = onTerminal(context, ['import', file, '--url', url], { ...ENV, NO_COLOR: '1' });
    await run.says('[y/N]');
    run.type('\r');
    expect(await run.ended()).toBe(1);
    expect(run.output).toContain('Nothing was imported.');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are what it is about
    expect(run.output).not.toMatch(/\x1b\[\d+m/);
    expect((await service.send('GET', '/user/id?userId=u300000')).body.status).not.toBe('OK');
  });

  it('draws one line that fits the width, at most five times a second', async (context) => {
    const fake = await fakeService((request, response) => {
      // Answers a hundred lines every 20 ms, which takes two seconds.
      response.writeHead(200, NDJSON);
      let line = 0;
      const timer = setInterval(() => {
        for (let index = 0; index < 100; index += 1)
          response.write(`{"line":${++line},"status":"CREATED"}\n`);
        if (line < 10_000) return;
        clearInterval(timer);
        response.end('{"summary":{"lines":10000}}\n');
      }, 20);
      request.resume();
    });
    const file = toyFile(scratch(), toyUsers(10_000));
    const run = onTerminal(context, ['import', file, '--url', fake.url, '--yes']);
    expect(await run.ended()).toBe(0);
    const drawn = run.output.split('\r').filter((text) => text.startsWith('importing '));
    expect(drawn.length).toBeGreaterThan(2);
    const texts = drawn.map((text) => text.split('\x1b[K')[0] ?? '');
    expect(texts.filter((text) => text.length > 99)).toEqual([]);
    expect(texts.at(-1)).toMatch(/^importing [\d,]+ rows .*[\d,]+ rows\/s · .*imported [\d,]+/);
  });

  it('asks for the id before a rollback', async (context) => {
    const file = toyFile(scratch(), toyUsers(2, 400_000));
    const imported = tool('import', file, '--url', url, '--yes', '--import-id', 'typed-id');
    expect(await imported.ended()).toBe(0);
    const wrong = onTerminal(context, ['rollback', 'typed-id', '--url', url]);
    await wrong.says('Type the id of the import to continue: ');
    wrong.type('typed\r');
    expect([await wrong.ended(), wrong.output.includes('Nothing was changed.')]).toEqual([1, true]);
    const right = onTerminal(context, ['rollback', 'typed-id', '--url', url]);
    await right.says('Type the id of the import to continue: ');
    right.type('typed-id\r');
    expect([await right.ended(), right.output.includes('Rolled back typed-id: 2 removed.')]).toEqual([
      0,
      true,
    ]);
  });

  it('asks twice before it removes users who are gone from the export', async (context) => {
    const users = toyUsers(20, 700_000);
    const first = tool('import', toyFile(scratch(), users), '--url', url, '--yes', '--source', 'twice');
    expect(await first.ended(), first.output).toBe(0);
    const again = ['import', toyFile(scratch(), users.slice(1)), '--url', url, '--source', 'twice'];
    const begin = () => onTerminal(context, [...again, '--match', 'external-id', '--delete-missing']);
    const isThere = async () => (await service.send('GET', '/user/id?userId=u700000')).body.status === 'OK';
    const refused = begin();
    await refused.says('[y/N]');
    refused.type('y\r');
    await refused.says('This removes 1 user. Type their number to continue: ');
    refused.type('y\r');
    expect([await refused.ended(), await isThere()]).toEqual([1, true]);
    expect(refused.output).toContain('That is not 1. Nothing was imported.');
    const agreed = begin();
    await agreed.says('[y/N]');
    agreed.type('y\r');
    await agreed.says('Type their number to continue: ');
    agreed.type('1\r');
    expect([await agreed.ended(), await isThere()]).toEqual([0, false]);
  });

  it('prints no lines of a conversion unless it is told to', async (context) => {
    const file = toyFile(scratch(), toyUsers(1));
    const run = onTerminal(context, ['convert', file]);
    expect(await run.ended()).toBe(1);
    expect(run.output).toContain('send them to a file');
    const shown = onTerminal(context, ['convert', file, '--show']);
    expect(await shown.ended()).toBe(0);
    expect(shown.output).toContain('user0@example.com');
  });
});
