import { parseTemplate, templateRenderer } from '../../../src/sources/mapping/hash-template.ts';
import type { SourcePassword } from '../../../src/sources/source-user.ts';

/**
 * Returns the hash that a template makes of columns with its names, or the position and problem of the
 * template.
 */
export function rendered(
  text: string,
  record: Readonly<Record<string, unknown>>,
): SourcePassword | string | undefined {
  const template = parseTemplate(text);
  if ('problem' in template) return `${template.position}: ${template.problem}`;
  const cellOf = (column: string) => ({
    column,
    valueOf: (of: Readonly<Record<string, unknown>>) => of[column],
  });
  return templateRenderer(template, { cellOf, algorithm: undefined, familyOf: () => undefined })(record);
}
