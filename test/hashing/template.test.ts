import { describe, expect, it } from 'vitest';
import { bytesOf, isPart } from '../../src/hashing/encodings.ts';
import { FAMILIES } from '../../src/hashing/families.ts';
import { type Parts, Template } from '../../src/hashing/template.ts';
import { refusalOf } from '../support/vectors.ts';

/** Returns the parts with bytes in hexadecimal digits. */
const shown = (parts: Parts | undefined) =>
  parts &&
  Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, isPart(part) ? bytesOf(part).toString('hex') : part]),
  );

describe('a template', () => {
  it.each<[string, string, Record<string, string | number>]>([
    ['$x$<salt:b64*>$<hash:b64/2>', '$x$AQ==$AQI', { salt: '01', hash: '0102' }],
    ['<hash:hex/2>:<salt:text>', '0102:ab', { hash: '0102', salt: '6162' }],
    ['<salt:text[0-9a-f]{2}><hash:hex/1>', 'abcd', { salt: '6162', hash: 'cd' }],
    ['<cost:word[./0-9A-Z]{1}>$<hash:hex>', 'B$01', { cost: 'B', hash: '01' }],
    ['<digest:sha1|sha256>$<rounds:int>', 'sha256$7', { digest: 'sha256', rounds: 7 }],
    ['<v=version:V1=1|V2=2>', 'v=V2', { version: 2 }],
    ['{<_:~MD5|SMD5>}<hash:hex>', '{md5}01', { hash: '01' }],
    ['$<n:hexint>$<m:int/0>', '$ff$0', { n: 255, m: 0 }],
    ['$<m=memory:int,t=passes:int,e?=encoding:utf8|utf16le>$', '$t=2,m=1$', { memory: 1, passes: 2 }],
    ['$x$[v=<version:int>$]<hash:hex>', '$x$01', { hash: '01' }],
    ['$x$[v=<version:int>$]<hash:hex>', '$x$v=3$01', { version: 3, hash: '01' }],
    [
      '$<digest:md5|sha1>$<hash:hex/digest>',
      `$md5$${'00'.repeat(16)}`,
      { digest: 'md5', hash: '00'.repeat(16) },
    ],
  ])('%s reads %s', (source, encoded, parts) => {
    const template = new Template(source);
    const read = template.read(encoded);
    expect(shown(read)).toEqual(parts);
    expect(template.mark.test(encoded)).toBe(true);
    expect(shown(template.read(template.write(read ?? {})))).toEqual(parts);
  });

  it.each([
    ['$x$<digest:md5|sha1>$<hash:hex/digest>', '$x$sha1$01', 'hash must be 20 bytes long, got 1'],
    ['$x$<hash:b64/2..4>', '$x$AQ==', 'hash must be 2 to 4 bytes long, got 1'],
    ['$x$<digest:md5|sha1>$<hash:hex/digest>', '$x$md5$01', 'hash must be 16 bytes long, got 1'],
    ['$x$<m=memory:int,t=passes:int>$', '$x$m=1$', 'parameter t is missing'],
    ['$x$<m=memory:int,t=passes:int>$', '$x$m=1,m=1$', 'parameter m is given twice'],
    ['$x$<m=memory:int,t=passes:int>$', '$x$m=1,x=1$', 'parameter 2 is none of m= t='],
    ['$x$<m=memory:int>$', '$x$m=01$', 'm is not a plain decimal number'],
    ['$x$<m=memory:int>$', '$x$m=0$', 'm must be at least 1'],
  ])('%s refuses %s', (source, encoded, message) => {
    expect(refusalOf(() => new Template(source).read(encoded)).message).toBe(message);
  });

  it.each([
    ['$x$<rounds:int>$<hash:hex>', '$x$07$01', 'rounds is not a plain decimal number'],
    ['$x$<digest:md5|sha1>$<hash:hex>', '$x$md4$01', 'digest must be one of md5, sha1'],
    ['$x$<salt:hex>$<hash:hex>', '$x$$01', 'salt is empty'],
    ['$x$<salt:hex>$<hash:hex>', '$y$01$01', undefined],
  ])('%s names the broken rule of %s', (source, encoded, problem) => {
    const template = new Template(source);
    expect(template.read(encoded)).toBeUndefined();
    expect(template.problemOf(encoded)).toBe(problem);
  });

  it('reads nothing before or after a hash', () => {
    const template = new Template('$x$<hash:hex/1>');
    for (const text of ['$x$01\n', '\n$x$01', '$x$01$', 'x$x$01'])
      expect(template.read(text)).toBeUndefined();
  });

  it('shows its syntax', () => {
    const source = '$x$<m=memory:int,e?=encoding:utf8|utf16le>$[v=<version:int>$]<hash:b64>';
    expect(new Template(source).looksLike).toBe('$x$m=<memory>[,e=<utf8|utf16le>]$[v=<version>$]<hash>');
  });

  it.each(['$x$<hash:hex', '[$x$<hash:hex>', '$x$]<hash:hex>', '$x$<hash:hax/4>', '$x$<hash:hax*>'])(
    '%s is refused',
    (source) => {
      expect(() => new Template(source)).toThrow(/^(?:malformed template|no encoding hax)/);
    },
  );
});

describe.each(FAMILIES.map((family) => [family.name, family] as const))('%s', (_name, { forms }) => {
  /** Shortest of three times in milliseconds, because another process may interrupt any of them. */
  function shortestMs(run: () => unknown): number {
    const times = [0, 1, 2].map(() => {
      const start = performance.now();
      run();
      return performance.now() - start;
    });
    return Math.min(...times);
  }

  it('needs no time for a malformed hash that grows with the square of its length', () => {
    for (const form of forms) {
      const [beginning = ''] = form.looksLike.replaceAll('[', '').split('<');
      for (const filler of ['.', '/', '$', 'a', '1', ':', ',', '{', 'a.', '$1', '=']) {
        const textOf = (length: number) => (beginning + filler.repeat(length)).slice(0, length);
        const msOf = (length: number) => shortestMs(() => form.problemOf(textOf(length)));
        const ms = msOf(4096);
        // Shorter times are those of a few steps.
        if (ms > 2) expect(ms / msOf(2048), `${form.looksLike} with ${filler}`).toBeLessThan(3);
      }
    }
  });
});
