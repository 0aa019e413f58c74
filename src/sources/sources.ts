import type { Source } from './source.ts';

/** Every system whose exports are read, in the order of docs/imports.md. */
export const SOURCES: readonly Source[] = [];

/** Asked where no other source fits. */
export const GENERIC: Source = { name: 'generic', title: 'any other system', forms: [] };
