import type { TSchema } from '@sinclair/typebox';

/**
 * The keyword of a schema for readers. A field that is checked by hand, for the sake of its message, is any text to Ajv; what
 * it must be stands under this keyword, for the interface description.
 */
export const DOCUMENTED_AS = 'documentedAs';

/** Returns a schema as the interface description shows it: `documentedAs` in place of what checks the field, at any depth. */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
