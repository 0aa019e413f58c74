import { configurationDocs, configurationExample } from './config-reference.ts';
import { csvWriterTable } from './csv-writer-table.ts';
import { withGeneratedParts } from './doc-tables.ts';
import { endpointTable } from './endpoint-table.ts';
import { familyTable, timesTable } from './hash-tables.ts';
import { inspectPicture } from './inspect-picture.ts';
import { openApiDocument } from './openapi-document.ts';
import { readText } from './read-text.ts';
import { declarationCode, SYSTEM_BLOCKS, systemIndex } from './system-blocks.ts';

/** Returns the text that each generated document should have, by its path. */
export const GENERATED_DOCUMENTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'config.yaml.example': configurationExample,
  'docs/configuration.md': configurationDocs,
  'docs/hash-formats.md': () => withGeneratedParts('docs/hash-formats.md', { families: familyTable }),
  'docs/hash-reference.md': () => withGeneratedParts('docs/hash-reference.md', { times: timesTable }),
  'docs/http-api.md': () => withGeneratedParts('docs/http-api.md', { endpoints: endpointTable }),
  'docs/images/inspect.svg': inspectPicture,
  'docs/imports.md': () =>
    withGeneratedParts('docs/imports.md', {
      systems: systemIndex,
      'kanboard declaration': () => declarationCode('kanboard'),
      ...SYSTEM_BLOCKS,
    }),
  'docs/openapi.json': openApiDocument,
  'docs/user-import.md': () => withGeneratedParts('docs/user-import.md', { writers: csvWriterTable }),
};

/** Returns the paths of the documents that differ from what the code generates. */
export async function outdatedDocuments(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, generate] of Object.entries(GENERATED_DOCUMENTS))
    if (readText(path) !== (await generate())) outdated.push(path);
  return outdated;
}
