import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each(['docs/index.md', 'docs/scaling.md'])('docs/capacity.md is linked from %s', (path) => {
  expect(readFileSync(path, 'utf8')).toMatch(/\]\((?:docs\/)?capacity\.md\)/);
});
