import { expect, it } from 'vitest';
import { refusalOf, vector, verifierOf } from '../../support/vectors.ts';

it('repairs change no encoding if nothing is base64', () => {
  const repairs = verifierOf('werkzeug').repairs(vector('werkzeug', 'own-werkzeug-sha512').hash);
  const mistakes = repairs.map(({ mistake }) => mistake);
  expect(mistakes).toContain('ITERATIONS_OF_A_VERSION');
  expect(mistakes.filter((one) => one.includes('BASE64'))).toEqual([]);
});

it("name Werkzeug's default iterations if none are written", () => {
  const { hash } = vector('werkzeug', 'own-werkzeug-no-iterations');
  const { reason, message } = refusalOf(() => verifierOf('werkzeug').parse(hash));
  expect(reason).toBe('format');
  for (const iterations of ['1000000', '600000', '260000', '150000', '50000'])
    expect(message).toContain(iterations);
});

it.each([
  ['pbkdf2:', 'werkzeug'],
  ['scrypt:', 'werkzeug'],
])('distinguishes the two families of Werkzeug: %s', (begin, algorithm) => {
  const message = refusalOf(() => verifierOf(algorithm).parse(`${begin}x`)).message;
  expect(message).toContain(begin);
});

it('describes the spelling if a dialect has several', () => {
  const formOf = (algorithm: string, id: string) =>
    verifierOf(algorithm).parse(vector(algorithm, id).hash).describe().form;
  expect(formOf('ldap-pbkdf2', 'own-ldap-389ds')).toBe('389 DS');
  expect(formOf('ldap-pbkdf2', 'own-ldap-dovecot')).toBe('Dovecot');
  expect(formOf('aspnet-identity', 'own-aspnet-v2')).toBe('version 2');
  expect(formOf('pbkdf2', 'lt-pbkdf2-01')).toBeUndefined();
});

it('recognises Liferay by its prefix only', () => {
  const verifier = verifierOf('liferay-pbkdf2');
  const { hash } = vector('liferay-pbkdf2', 'own-liferay-prefix');
  expect(verifier.recognises(hash)).toBe(true);
  expect(verifier.recognises(hash.replace(/^\{.*\}/, ''))).toBe(false);
});
