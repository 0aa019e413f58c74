import type { TSchema } from '@sinclair/typebox';

/**
 * For Ajv, which refuses keywords it does not know. A field that is checked by hand, for its message, is any text to Ajv;
 * what it must be stands in `documentedAs`, a schema of its own, for readers of the interface description.
 */
export const DOCUMENTED_AS = 'documentedAs';

/** A schema as the interface description shows it: `documentedAs` in place of what checks the field, at any depth. */
export function documented(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(documented);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED_AS]: better, description, ...rest } = schema as Partial<TSchema>;
  const whole = { ...(description !== undefined && { description }), ...(better ?? rest) };
  return Object.fromEntries(Object.entries(whole).map(([name, value]) => [name, documented(value)]));
}
