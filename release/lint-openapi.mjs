/** Usage: `npm run lint`. Checks docs/openapi.json by the recommended rules of Redocly, its examples among them. */
import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';

const path = new URL('../docs/openapi.json', import.meta.url);
// The server of the description is an example, as there is no public one.
const config = await createConfig({ extends: ['recommended'], rules: { 'no-server-example.com': 'off' } });
const source = readFileSync(path, 'utf8');
for (const { message, location } of await lintFromString({ source, absoluteRef: path.pathname, config })) {
  process.stderr.write(`docs/openapi.json${location[0]?.pointer ?? ''}: ${message}\n`);
  process.exitCode = 1;
}
