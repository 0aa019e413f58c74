import { expect, it } from 'vitest';
import type { Plan } from '../../../src/sources/pipeline/plan.ts';
import { adviceOnRealms, countRealm } from '../../../src/sources/pipeline/realms.ts';
import { casdoor } from '../../../src/sources/systems/casdoor.ts';

const planWith = (settings: Plan['settings']): Plan => ({
  ...{ source: casdoor, forms: casdoor.forms, surveys: [], uses: new Map(), settings, advice: [] },
});

function countsOf(realms: readonly string[], settings: Plan['settings'] = {}): Map<string, number> {
  const counts: Map<string, number> = new Map();
  for (const realm of realms) countRealm(counts, realm, settings);
  return counts;
}

const many = Array.from({ length: 5000 }, (_, at) => `r${at}`);

it('keeps a bounded number of realms, and the chosen one', () => {
  expect(countsOf(many).size).toBeLessThan(1100);
  const settings = { realm: 'r4999' };
  expect(adviceOnRealms(planWith(settings), countsOf(many, settings))).toBeUndefined();
  expect(adviceOnRealms(planWith({ realm: 'r5000' }), countsOf(many))?.text).toMatch(
    /others 4000, r0 1, .*, and 981 more organisations\. Choose one: --set realm=r0\.$/,
  );
});

it('shows an example that a shell passes on unchanged', () => {
  const exampleOf = (...realms: string[]) =>
    /Choose one: (.*)\. To import all/.exec(adviceOnRealms(planWith({}), countsOf(realms))?.text ?? '')?.[1];
  expect(exampleOf('', 'ada@example.org', '$HOME', 'x"y', 'a b', 'c')).toBe('--set "realm=a b"');
  expect(exampleOf('', '$HOME')).toBe('--set realm=NAME');
  expect(exampleOf('c', 'a b')).toBe('--set realm=c');
});
