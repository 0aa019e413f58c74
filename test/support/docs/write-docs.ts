/**
 * `npm run docs` writes the generated documents. `npm run docs -- --check` writes nothing, lists the documents that are out
 * of date, and exits with 1 if there are any.
 */
import { writeFileSync } from 'node:fs';
import { GENERATED_DOCUMENTS, outdatedDocuments } from './generated-documents.ts';
import { urlOf } from './read-text.ts';

const [flag, ...others] = process.argv.slice(2);

if ((flag !== undefined && flag !== '--check') || others.length > 0) {
  process.stderr.write('Usage: npm run docs [-- --check]\n');
  process.exitCode = 2;
} else {
  const outdated = await outdatedDocuments();
  for (const path of outdated) {
    if (flag === undefined) writeFileSync(urlOf(path), (await GENERATED_DOCUMENTS[path]?.()) ?? '');
    process.stdout.write(
      flag === undefined ? `wrote ${path}\n` : `${path} is out of date: run npm run docs\n`,
    );
  }
  if (flag === '--check' && outdated.length > 0) process.exitCode = 1;
}
