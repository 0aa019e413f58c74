import { readFileSync } from 'node:fs';

const ROOT = new URL('../../../', import.meta.url);

/** @param path relative to the root of the project */
export const urlOf = (path: string) => new URL(path, ROOT);

export const readText = (path: string) => readFileSync(urlOf(path), 'utf8');

/** Returns the numbered lines of a Markdown document that are not in a fenced block. */
export function proseLines(text: string): { number: number; line: string }[] {
  let isFenced = false;
  return text.split('\n').flatMap((line, index) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isFenced = !isFenced;
    return isFence || isFenced ? [] : [{ number: index + 1, line }];
  });
}
